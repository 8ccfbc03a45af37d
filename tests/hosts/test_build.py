"""The `build` of a bot: run once, confined; what it makes belongs to the bot."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from league.errors import RosterError
from league.extensions.dask.worker_side import packed
from league.hosts import build
from league.hosts.build import BuildError, built, cached, first_error
from league.hosts.factory import HostFactory
from league.play.worker import Team
from league.setup.bot_folder import BotFile, expanded
from league.setup.bot_source import UnfitError
from league.setup.roster import Bot, load
from league.values.settings import Isolation, Limits
from tests.hosts.stage import HONEST, block, bot, play
from tests.tables import each

LONG = 10_000 + os.getpid()
"""Seconds that nothing else on this machine sleeps for."""
LIMITS = Limits(move_ms=2000, start_ms=20_000)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAGUE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def factory() -> Iterator[HostFactory]:
    with HostFactory(Isolation.SANDBOX, LIMITS) as opened:
        yield opened


def built_by(folder: Path, script: str, command: str = '["sh", "made/bot.sh"]') -> Bot:
    """A bot whose build is a shell script."""
    place = folder / "mallory"
    place.mkdir(exist_ok=True)
    (place / "bot.toml").write_text(f'command = {command}\nbuild = ["sh", "build.sh"]\ngames = ["raj"]\n')
    (place / "build.sh").write_text(script)
    (place / "highest.sh").write_text(
        (Path(__file__).parents[2] / "examples" / "languages" / "highest_sh" / "highest.sh").read_text()
    )
    return load(place)


MAKES = "mkdir made && cp highest.sh made/bot.sh"


def test_what_a_build_makes_belongs_to_the_bot(factory: HostFactory, tmp_path: Path) -> None:
    maker = built_by(tmp_path, MAKES)
    bots = [bot("honest", HONEST), maker]
    assert play(factory, bots, block(bots, 2, LIMITS)).faults == ()
    assert not (maker.path / "made").exists()
    made = cached(maker)
    assert made is not None
    assert [file.path for file in made] == ["made/bot.sh"]
    assert load(maker.path).hash == maker.hash
    message = packed(Team((maker,), Isolation.SANDBOX, LIMITS))
    assert pickle.loads(message).bots[0].made == made, "workers of a cluster need no compiler"


def test_a_bot_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maker = built_by(tmp_path, MAKES)
    made = built(maker, True).made
    monkeypatch.setattr(build, "_made", None)
    assert built(load(maker.path), True).made == made
    (maker.path / "highest.sh").write_text("exit")
    with pytest.raises(TypeError):  # another source is built again
        built(load(maker.path), True)


ATTACKS = """cat /etc/passwd
ls /tmp
ls /home
ls /proc/1
echo > /tmp/escaped
echo > ../../escaped
kill -9 $PPID
perl -e 'use Socket; socket(my $s, AF_INET, SOCK_STREAM, 0) or exit 1'
ln -s /etc/passwd passwd
ln /bin/sh hard
mknod pipe p
touch /dev/shm/escaped
renice -n 19 $$""".splitlines()


def test_a_build_reaches_nothing_else(tmp_path: Path) -> None:
    lines = [f"({attack}) && echo 'escaped by attack {number}'" for number, attack in enumerate(ATTACKS)]
    with pytest.raises(BuildError) as raised:
        built(built_by(tmp_path, "\n".join([*lines, "echo 'all tried'; exit 1"])), True)
    assert "escaped by" not in raised.value.tail
    assert "all tried" in raised.value.tail


@each(
    ("script", "patience", "told"),
    [
        (f"sleep {LONG} & sleep {LONG}", 0.5, "took more than 0.5 s"),
        ("i=0; while :; do i=$((i+1)); echo > file$i; done", 200, "wrote more than 2 MB"),
        (f"for i in $(seq 30); do sleep {LONG} & done; wait", 200, "started more than 20 processes"),
        ("head -c 3000000 /dev/zero > large", 200, "its build failed"),  # no file gets longer than a folder may be
        ("echo E; echo U >&3; exit 72", 200, "its build failed"),  # nothing that it says stops the league
    ],
)
def test_a_build_that_takes_too_much_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, patience: float, told: str
) -> None:
    monkeypatch.setattr(build, "PATIENCE_S", patience)
    monkeypatch.setattr(build, "MOST_PROCESSES", 20)
    with pytest.raises(BuildError, match=told):
        built(built_by(tmp_path, script), True, folder_mb=1)
    until = monotonic() + 30
    while f"sleep\x00{LONG}" in "".join(_commands()):  # those that were killed may take a moment to end
        assert monotonic() < until


def test_a_build_cannot_start_hundreds_of_processes_between_two_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "LOOK_S", 100)
    with pytest.raises(BuildError) as raised:
        built(built_by(tmp_path, f"for i in $(seq 9000); do sleep {LONG} & done"), True)
    assert "fork" in raised.value.tail


def _commands() -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield process.read_text()
        except OSError:
            continue


def test_what_cannot_be_built_is_a_fault_with_the_authors_line(factory: HostFactory, tmp_path: Path) -> None:
    script = "echo 'Amy.java:2: warning: old'; echo \"Amy.java:7: error: ';' expected\" >&2; exit 1"
    broken = built_by(tmp_path, script)
    bots = [bot("honest", HONEST), broken]
    faults = play(factory, bots, block(bots, 2, LIMITS)).faults
    assert {(fault.bot, fault.kind) for fault in faults} == {("mallory", "import")}
    assert faults[0].cause == "its build failed: Amy.java:7: error: ';' expected"
    assert "Amy.java:2: warning" in faults[0].tail
    assert str(tmp_path) not in faults[0].tail
    missing = load(_with_build(tmp_path, '["no-such-compiler"]'))
    with pytest.raises(BuildError, match="'no-such-compiler' is no program of this system"):
        built(missing, True)


def _with_build(folder: Path, command: str) -> Path:
    place = folder / "other"
    place.mkdir(exist_ok=True)
    (place / "bot.toml").write_text(f'command = ["sh"]\nbuild = {command}\n')
    return place


@each(
    ("said", "error"),
    [
        ("Amy.java:7: error: ';' expected\n  int x\n", "Amy.java:7: error: ';' expected"),
        ("bot.c: In function 'f':\nbot.c:3:5: error: 'x' undeclared\n", "bot.c:3:5: error: 'x' undeclared"),
        ("bot.c:1:1: warning: unused\nbot.c:9:2: error: no\n", "bot.c:9:2: error: no"),
        ("error[E0425]: cannot find `x`\n --> bot.rs:4:9\n  |\n", "error[E0425]: cannot find `x`"),
        ("# bot\n./bot.go:8:2: undefined: x\n", "./bot.go:8:2: undefined: x"),
        ("bot.cs(5,9): error CS1002: ; expected\n", "bot.cs(5,9): error CS1002: ; expected"),
        ("make: *** no rule\n", "make: *** no rule"),
        ("", "it says nothing about the reason"),
    ],
)
def test_the_first_error_of_a_compiler_is_found(said: str, error: str) -> None:
    assert first_error(said) == error


FILES = [BotFile(path, "") for path in ("A.java", "b/B.java", "b/c/C.java", "bot.toml")]


@each(
    ("command", "words"),
    [
        (["javac", "*.java"], "javac A.java"),
        (["javac", "b/*.java", "-x", "-*"], "javac b/B.java -x -*"),
        (["javac", "**/*.java"], "javac A.java b/B.java b/c/C.java"),
        (["javac", "?.java"], "javac A.java"),
        (["javac", "b/**/C.java"], "javac b/c/C.java"),
    ],
)
def test_patterns_are_replaced_by_files_of_the_folder(command: list[str], words: str) -> None:
    assert " ".join(expanded(command, FILES)) == words


def test_a_pattern_that_leads_out_of_the_folder_matches_nothing() -> None:
    with pytest.raises(UnfitError, match=r"expected files that match '../\*' in its folder, found none"):
        expanded(["cat", "../*"], FILES)


@each(
    ("written", "told"),
    [
        ('build = ["javac", "*.java"]', "bot.toml:2: expected files that match '*.java' in its folder, found none."),
        ('build = "make"', "bot.toml:2: expected build as a list of words"),
        ("build = []", "bot.toml:2: expected build as a list of words"),
        ("build = [1]", "bot.toml:2: expected"),
        ('bild = ["make"]', "Did you mean 'build'?"),
    ],
)
def test_a_wrong_build_is_one_line(tmp_path: Path, written: str, told: str) -> None:
    place = tmp_path / "wrong"
    place.mkdir(exist_ok=True)
    (place / "bot.toml").write_text(f'command = ["sh"]\n{written}\n')
    with pytest.raises(RosterError) as raised:
        load(place)
    assert told in str(raised.value)


def test_a_file_that_is_a_bot_by_itself_has_no_build(tmp_path: Path) -> None:
    (tmp_path / "lone.toml").write_text('command = ["sh"]\nbuild = ["make"]\n')
    with pytest.raises(RosterError, match=r"lone.toml:2: expected build in the bot.toml of a folder"):
        load(tmp_path / "lone.toml")


def test_a_broken_cache_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maker = built_by(tmp_path, MAKES)
    (tmp_path / "cache").write_text("a file where a folder should be")
    assert built(maker, True).made
    os.unlink(tmp_path / "cache")
    (tmp_path / "cache" / "builds").mkdir(parents=True)
    build._cache_path(maker).write_bytes(b"nonsense")
    assert built(maker, True).made
