"""What students do on their laptops works where nothing can be forked or confined: in one process, with a notice."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import league as package
from league.cli import league
from league.errors import IsolationError
from league.setup.bot_folder import read_folder, write_folder
from league.setup.roster import load
from league.tools import system
from league.values.settings import USUAL, Isolation
from tests.leagues import FIRST, LAST
from tests.play.test_determinism import BOTS, League


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
    assert USUAL is Isolation.TRUSTED


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


def test_bots_are_checked_side_by_side_with_one_notice():
    checked = run("check", "bots/amy.py", "bots/bob.py", "--config", "small.yaml", "--workers", "2")
    assert checked.count("no faults") == 2
    assert checked.count(system.NOTICE) == 1


@pytest.mark.parametrize("level", ["sandbox", "process"])
@pytest.mark.parametrize("words", [("run", "small.yaml"), ("match", "raj", "amy", "bob"), ("check", "bots/amy.py")])
def test_what_needs_linux_says_so(words, level):
    with pytest.raises(IsolationError, match=r"on Linux only\. Try --isolation trusted"):
        run(*words, "--isolation", level)


def test_programs_need_linux():
    Path("other").mkdir()
    Path("other", "bot.toml").write_text("command = ['node', 'main.js']\n")
    with pytest.raises(IsolationError, match="on Linux only"):
        run("match", "raj", "other", "amy")


def test_hand_ins_of_others_are_tried_only_if_somebody_trusts_them():
    Path("people.csv").write_text("name\r\nAmy\r\nBob\r\n")
    Path("handins").mkdir()
    for name in ("amy", "bob"):
        Path("handins", f"{name}.py").write_bytes(Path("bots", f"{name}.py").read_bytes())
    collect = ("class", "collect", "handins", "--roster", "people.csv", "--to", "class", "--workers", "2")
    for more in ((), ("--config", "small.yaml")):
        with pytest.raises(IsolationError, match="on Linux only"):
            run(*collect, *more)
    assert not list(Path("class").iterdir())
    assert "2 of 2 people have their newest hand-in" in run(*collect, "--isolation", "trusted")


def test_a_league_is_played_only_if_somebody_trusts_its_bots():
    with pytest.raises(IsolationError, match="on Linux only"):
        run("run", "small.yaml")
    run("run", "small.yaml", "--isolation", "trusted", "--workers", "2")
    assert Path("results/small/standings.html").exists()
    assert "Round 15" in run("replay", "results/small", "amy")
    assert "Round 15" in run("replay", "results/small", "amy", "--again")
    assert "bob" in run("standings", "results/small")


def test_results_are_those_of_a_system_that_forks(tmp_path):
    league = League(tmp_path / "plain", BOTS)
    league.run_in_a_new_interpreter("--workers", "2", "--isolation", "trusted")
    other = League(tmp_path / "linux", BOTS)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "league", "run", "config.yaml", "--workers", "2", "--isolation", "trusted"]
    done = subprocess.run(command, cwd=other.folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "cannot confine" not in done.stderr
    assert league.files() == other.files()


@pytest.mark.parametrize("where", ["in choose", "while it is loaded"])
def test_a_loop_without_end_is_told_with_its_line(where):
    source = (
        FIRST.replace("return", "while True: pass\n        return")
        if where == "in choose"
        else f"{FIRST}\nwhile True: pass\n"
    )
    Path("looping.py").write_text(source)
    code = (
        "from league.hosts import trusted\n"
        "from league.cli import league\n"
        "trusted.PATIENCE_S = -0.5\n"  # half a second for one answer
        "league(['match', 'raj', 'looping.py', 'amy'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 1
    assert f'File "looping.py", line {1 + source[: source.index("while")].count(chr(10))} in ' in done.stderr


def test_a_bot_that_fails_is_at_fault():
    Path("bad.py").write_text(FIRST.replace("return", "raise ValueError('no')\n        return"))
    assert "ValueError: no" in run("check", "bad.py", "--config", "small.yaml", code=1)


def test_folders_play(tmp_path):
    own = tmp_path / "own"
    (own / "data").mkdir(parents=True)
    (own / "bot.py").write_text("import helper\n" + FIRST.replace("[0]", "[helper.place()]"))
    (own / "helper.py").write_text(
        "def place():\n    return int(__import__('pathlib').Path('data/place.txt').read_text())\n"
    )
    (own / "data" / "place.txt").write_text("0\r\n")
    assert "no faults" in run("check", own, "--config", "small.yaml")
    assert "Round 15" in run("match", "raj", own, "amy")


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
        "config = {'league': 'own', 'games': [{'game': 'raj', 'deals': 2}], 'isolation': 'trusted'}\n"
        "print(len(league.run(config, bots=[Mine, 'amy', 'bob'], progress=False).standings()))\n"
        "print(len(league.run({**config, 'league': 'files'}, bots=['amy', 'bob'], progress=False).standings()))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.stdout.split() == ["3", "2"], done.stderr
    assert done.stderr.count(system.NOTICE) == 1


def test_python_can_ask_for_a_game_and_a_duel():
    assert package.match("raj", ["amy", "bob"], seed=1).names == ("amy", "bob")
    assert package.duel("amy", "bob", game="raj", seed=1, deals=64, workers=1).counted == 128
