"""What students do on their laptops works where nothing can be forked or confined: in one process, with a notice."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from league.cli import league
from league.errors import IsolationError
from league.setup.bot_folder import read_folder, write_folder
from league.tools import system
from league.values.settings import USUAL, Isolation
from tests.leagues import FIRST, LAST
from tests.play.test_determinism import BOTS, league_of

PROGRAM = "command = ['node', 'main.js']\n"
HANDINS = ("class", "collect", "handins", "--roster", "people.csv", "--to", "class", "--workers", "2")
FOLDER = {
    "bot.py": "import helper\n" + FIRST.replace("[0]", "[helper.place()]"),
    "helper.py": "def place():\n    return int(__import__('pathlib').Path('data/place.txt').read_text())\n",
    "data/place.txt": "0\r\n",
}


def run(*words: str, code: int = 0, answers: str = "") -> str:
    result = CliRunner().invoke(league, words, input=answers, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(system, "_told", [])
    small = "league: small\r\nseed: 3\r\nbots: .\\bots\r\ngames:\r\n  - {game: raj, deals: 6}\r\n"
    files = {"small.yaml": small, "people.csv": "name\r\nAmy\r\nBob\r\n", "program/bot.toml": PROGRAM}
    for folder in ("bots", "handins"):
        files |= {f"{folder}/{name}.py": text.replace("\n", "\r\n") for name, text in (("amy", FIRST), ("bob", LAST))}
    for name, text in (files | {f"own/{name}": text for name, text in FOLDER.items()}).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(text.encode())


def test_a_student_writes_checks_and_tries_a_bot_in_this_process():
    assert USUAL is Isolation.TRUSTED
    assert "Wrote cid.py" in run("new", "cid", "--game", "raj")
    checked = run("check", "cid.py", "bots/bob.py", "own", "--config", "small.yaml", "--workers", "2")
    assert checked.count("no faults") == 3
    assert checked.count(system.NOTICE) == 1
    Path("bad.py").write_text(FIRST.replace("return", "raise ValueError('no')\n        return"))
    assert "ValueError: no" in run("check", "bad.py", "--config", "small.yaml", code=1)
    assert "Round 15" in run("match", "raj", "own", "amy")
    assert "amy minus bob" in run("duel", "amy", "bob", "--game", "raj", "--seed", "1", "--deals", "64")
    assert "You" in run("play", "raj", "--vs", "amy", "--seed", "1", answers="".join(f"{n % 16}\n" for n in range(400)))
    assert not [name for name in sys.modules if name.startswith("league.hosts.confine.")]


@pytest.mark.parametrize(
    "line",
    [
        *(
            f"{words} --isolation {level}"
            for words in ("match raj amy bob", "check bots/amy.py")
            for level in ("sandbox", "process")
        ),
        "run small.yaml",
        "match raj program amy",
        " ".join(HANDINS),
        " ".join([*HANDINS, "--config", "small.yaml"]),
    ],
)
def test_what_needs_linux_says_so(line):
    with pytest.raises(IsolationError, match="on Linux only"):
        run(*line.split())
    assert not [*Path("class").glob("*")]


def test_what_somebody_trusts_is_played():
    assert "2 of 2 people have their newest hand-in" in run(*HANDINS, "--isolation", "trusted")
    run("run", "small.yaml", "--isolation", "trusted", "--workers", "2")
    assert Path("results/small/standings.html").exists()
    assert "Round 15" in run("replay", "results/small", "amy", "--again", "--isolation", "trusted")


def test_results_are_those_of_a_system_that_forks(tmp_path):
    league = league_of(BOTS, tmp_path / "plain")
    league.run("--workers", "2", "--isolation", "trusted")
    other = league_of(BOTS, tmp_path / "linux")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "league", "run", "config.yaml", "--workers", "2", "--isolation", "trusted"]
    done = subprocess.run(command, cwd=other.folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "cannot confine" not in done.stderr
    assert league.files() == other.files()


@pytest.mark.parametrize("loop", ["        while True: pass\n", "while True: pass\n"], ids=["in choose", "at import"])
def test_a_loop_without_end_is_told_with_its_line(loop):
    source = FIRST.replace("        return", f"{loop}        return") if loop[0] == " " else FIRST + loop
    Path("looping.py").write_text(source)
    code = (
        "from league.hosts import trusted\nfrom league.cli import league\ntrusted.PATIENCE_S = -0.5\n"  # half a second
    )
    code += "league(['match', 'raj', 'looping.py', 'amy'])\n"
    done = subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 1
    assert f'File "looping.py", line {1 + source[: source.index("while")].count(chr(10))} in ' in done.stderr


def test_a_folder_is_read_and_written_without_descriptors():
    files = read_folder(Path("own"))
    assert [file.path for file in files] == sorted(FOLDER)
    Path("copy").mkdir()
    write_folder(files, Path("copy"))
    assert read_folder(Path("copy")) == files
