"""What students do on their laptops works where nothing can be forked or confined, with limits of time and a notice."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import league as package
from league.cli import league
from league.errors import IsolationError
from league.hosts import spawned
from league.hosts.factory import HostFactory
from league.setup.bot_folder import read_folder, write_folder
from league.setup.roster import load
from league.tools import system
from league.values.settings import USUAL, Isolation, Limits
from tests.hosts import stage
from tests.leagues import FIRST, LAST
from tests.play.test_determinism import BOTS, League
from tests.tables import each

LOOP = FIRST.replace("return", "while len(view.history) == 3: pass\n        return")
SLEEPER = FIRST.replace("return", "import time; time.sleep(60 * (len(view.history) == 3))\n        return")
SLOW = FIRST.replace(
    "return",
    "import time; end = time.process_time() + 0.15 * (len(view.history) == 3)\n"
    "        while time.process_time() < end: pass\n        return",
)
"""Longer than it may, and soon enough to answer."""
LIMITS = Limits(move_ms=100, start_ms=500)
PROGRAM = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    answer = {"protocol": 1} if "hello" in message else [one["view"]["legal"][0] for one in message["choose"]]
    print(json.dumps(answer), flush=True)
"""


def run(*words: object, code: int = 0, answers: str = "") -> str:
    result = CliRunner().invoke(league, [str(word) for word in words], input=answers, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(system, "_told", [])
    Path("bots").mkdir()
    for name, source in {"amy": FIRST, "bob": LAST}.items():
        Path("bots", f"{name}.py").write_bytes(source.replace("\n", "\r\n").encode())
    Path("small.yaml").write_bytes(
        b"league: small\r\nseed: 3\r\nbots: .\\bots\r\ngames:\r\n  - {game: raj, deals: 6}\r\n"
    )


def test_the_switch_hides_what_windows_lacks_here_and_in_children():
    code = "from league.tools import system; print(system.PLAIN, system.cores() > 0, system.load(), system.user())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "0.0", "-1"]
    assert USUAL is Isolation.PROCESS


def test_a_student_can_write_check_and_try_a_bot():
    assert "Wrote cid.py" in run("new", "cid", "--game", "raj")
    checked = run("check", "cid.py", "--config", "small.yaml")
    assert "no faults" in checked
    assert checked.count(system.NOTICE) == 1
    assert "Round 15" in run("match", "raj", "cid.py", "amy")
    assert "amy minus bob" in run("duel", "amy", "bob", "--game", "raj", "--seed", "1", "--deals", "64")
    moves = "".join(f"{number % 16}\n" for number in range(400))
    assert "You" in run("play", "raj", "--vs", "amy", "--seed", "1", answers=moves)
    assert not [name for name in sys.modules if name.startswith("league.hosts.confine.")]


def test_check_by_a_config_uses_what_there_is():
    checked = run("check", "bots/amy.py", "bots/bob.py", "--config", "small.yaml", "--workers", "1")
    assert checked.count("no faults") == 2


def test_the_notice_is_printed_once_if_bots_are_checked_side_by_side():
    checked = run("check", "bots/amy.py", "bots/bob.py", "--config", "small.yaml", "--workers", "2")
    assert checked.count(system.NOTICE) == 1


def test_hand_ins_of_others_are_tried_only_if_somebody_asks_for_less_than_a_sandbox():
    Path("people.csv").write_text("name\r\nAmy\r\nBob\r\n")
    Path("handins").mkdir()
    for name in ("amy", "bob"):
        Path("handins", f"{name}.py").write_bytes(Path("bots", f"{name}.py").read_bytes())
    collect = ("class", "collect", "handins", "--roster", "people.csv", "--to", "class", "--workers", "2")
    for more in ((), ("--config", "small.yaml")):
        with pytest.raises(IsolationError, match=r"sandbox needs Linux\. Try --isolation process"):
            run(*collect, *more)
    assert not list(Path("class").iterdir())
    collected = run(*collect, "--isolation", "process")
    assert collected.count(system.NOTICE) == 1
    assert "2 of 2 people have their newest hand-in" in collected


def test_a_league_is_played_only_if_somebody_asks_for_less_than_a_sandbox():
    with pytest.raises(IsolationError, match=r"sandbox needs Linux\. Try --isolation process"):
        run("run", "small.yaml")
    run("run", "small.yaml", "--isolation", "trusted", "--workers", "2")
    assert Path("results/small/standings.html").exists()
    assert "Round 15" in run("replay", "results/small", "amy")
    assert "Round 15" in run("replay", "results/small", "amy", "--again")
    assert "bob" in run("standings", "results/small")


def test_results_are_those_of_a_system_that_forks(tmp_path):
    league = League(tmp_path / "plain", BOTS)
    league.run_in_a_new_interpreter("--workers", "2", "--isolation", "process")
    other = League(tmp_path / "linux", BOTS)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "league", "run", "config.yaml", "--workers", "2", "--isolation", "process"]
    done = subprocess.run(command, cwd=other.folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "cannot confine" not in done.stderr
    assert league.files() == other.files()


@each(
    "source, cause",
    [
        (LOOP, "more than 2.7 s by the clock for one decision"),
        (SLEEPER, "more than 2.7 s by the clock for one decision"),
        (FIRST.replace("return", "import os; os._exit(3)\n        return"), "its process ended with exit code 3"),
        (FIRST.replace("return", "raise ValueError('no')\n        return"), "ValueError: no"),
        ("while True: pass", "more than 3.0 s by the clock to be loaded"),
        (FIRST.replace("return", "import os; raise ValueError(os.read(0, 9))\n        return"), "ValueError: b''"),
    ],
)
def test_misbehaviour_is_a_fault_of_one_seat(source, cause, monkeypatch):
    monkeypatch.setattr(spawned, "SLACK", 6)  # the honest one may be slow on a busy machine
    assert _faults(source) == [("mallory", cause)]


def test_processor_time_is_limited_too(monkeypatch):
    monkeypatch.setattr(spawned, "SLACK", 100)  # so that it is never the clock
    assert _faults(SLOW) == [("mallory", "more than 100 ms of processor time for one decision")]


def _faults(source):
    """The faults of a game between a bot with this source and an honest one."""
    bots = [stage.bot("mallory", source.encode()), stage.bot("honest", FIRST.encode())]
    with HostFactory(USUAL, LIMITS) as factory:
        result = stage.play(factory, bots, stage.block(bots, 1, LIMITS))
    return [(fault.bot, fault.cause) for fault in result.faults]


def test_the_clock_allows_for_some_load():
    clock = spawned.WallClock(LIMITS)
    clock.begin()
    assert clock.overrun() == "more than 0.9 s by the clock for one decision"
    clock.heard()
    assert clock.overrun() == "more than 1.0 s by the clock to be loaded"


def test_what_a_bot_prints_is_shown():
    Path("talker.py").write_text(FIRST.replace("return", "print('my hand', 7)\n        return"))
    assert "my hand 7" in run("check", "talker.py", "--game", "braverats")


def test_folders_and_programs_play(tmp_path):
    own = tmp_path / "own"
    (own / "data").mkdir(parents=True)
    (own / "bot.py").write_text("import helper\n" + FIRST.replace("[0]", "[helper.place()]"))
    (own / "helper.py").write_text("def place():\n    return int(open('data/place.txt').read())\n")
    (own / "data" / "place.txt").write_text("0\r\n")
    other = tmp_path / "other"
    other.mkdir()
    (other / "bot.toml").write_text(f"command = [{json.dumps(sys.executable)}, 'main.py']\n")
    (other / "main.py").write_text(PROGRAM)
    assert "no faults" in run("check", own, "--config", "small.yaml")
    assert "Round 15" in run("match", "raj", own, other)


def test_a_program_that_is_not_there_is_one_line(tmp_path):
    (tmp_path / "lost").mkdir()
    (tmp_path / "lost" / "bot.toml").write_text('command = ["no-such-program"]\n')
    said = run("check", "lost", "--config", "small.yaml", code=1)
    assert "'no-such-program' is no program of this system or of its folder" in said


def test_a_program_that_says_something_else_than_hello_is_heard_until_it_is_silent(tmp_path, monkeypatch):
    monkeypatch.setattr(spawned, "SILENCE", 100)  # the machine may be busy
    (tmp_path / "loud").mkdir()
    (tmp_path / "loud" / "bot.toml").write_text(f"command = [{json.dumps(sys.executable)}, 'main.py']\n")
    (tmp_path / "loud" / "main.py").write_text(
        "from time import sleep\n"
        "input()\n"
        "print('Oops', flush=True)\n"
        "sleep(0.3)\n"
        "print('a file is missing', flush=True)\n"
        "sleep(600)\n"
    )
    bots = [load(tmp_path / "loud"), stage.bot("honest", FIRST.encode())]
    with HostFactory(USUAL, LIMITS) as factory:
        (fault,) = stage.play(factory, bots, stage.block(bots, 1, LIMITS)).faults
    assert "found 'Oops'" in fault.cause
    assert "Oops\na file is missing" in fault.tail


def test_a_folder_is_read_and_written_without_descriptors(tmp_path):
    folder = tmp_path / "bot"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "bot.py").write_text(FIRST)
    (folder / "deep" / "er" / "table.bin").write_bytes(b"\r\n\x1a")
    files = read_folder(folder)
    assert [file.path for file in files] == ["bot.py", "deep/er/table.bin"]
    (tmp_path / "copy").mkdir()
    write_folder(files, tmp_path / "copy")
    assert read_folder(tmp_path / "copy") == files
    assert load(folder).hash == load(tmp_path / "copy").hash


def test_classes_of_a_script_play_without_a_guard(tmp_path):
    script = tmp_path / "mine.py"
    script.write_text(
        "import league\n"
        "class Mine:\n"
        "    def choose(self, view):\n"
        "        return view.legal[0]\n"
        "config = {'league': 'own', 'games': [{'game': 'raj', 'deals': 2}], 'isolation': 'process'}\n"
        "print(len(league.run(config, bots=[Mine, 'amy', 'bob'], progress=False).standings()))\n"
        "print(len(league.run({**config, 'league': 'files'}, bots=['amy', 'bob'], progress=False).standings()))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.stdout.split() == ["3", "2"], done.stderr
    assert done.stderr.count(system.NOTICE) == 1


def test_python_can_ask_for_a_game_and_a_duel():
    assert package.match("raj", ["amy", "bob"], seed=1).names == ("amy", "bob")
    assert package.duel("amy", "bob", game="raj", seed=1, deals=64, workers=1).counted == 128
