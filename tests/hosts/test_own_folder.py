"""A bot that is a folder imports its modules and reads its files, and nobody else's, on every level of isolation."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from league import games
from league.errors import LeagueError
from league.hosts import unpacked_bots
from league.hosts.factory import HostFactory
from league.hosts.unpacked_bots import PREFIX, UnpackedBots, sweep
from league.setup.roster import Bot, load
from league.values.settings import Isolation
from tests.counting import tally_of
from tests.hosts.stage import HONEST, LIMITS, block, bot, play
from tests.tables import each

Write = Callable[[str, dict[str, str]], Bot]

FILES = {
    "bot.py": """
from pathlib import Path

import numpy as np

import mylib
from tricks import deep

WORDS = (Path(__file__).parent / "words.txt").read_text()
NUMBERS = np.load(Path(__file__).parent / "net.npy")
with open("words.txt") as words:
    OPENED = words.read()
import late


class Bot:
    def choose(self, view):
        import late

        assert OPENED == WORDS == "hello"
        assert (mylib.X, deep.Y, late.Z, int(NUMBERS.sum())) == (1, 2, 3, 6)
        if view.pile == (10,):
            mylib.fail()
        return view.legal[-1]
""",
    "mylib.py": "X = 1\n\ndef fail():\n    raise ValueError(f'see {__file__}')\n",
    "late.py": "import bot\n\nZ = 3\nassert bot.WORDS\n",
    "tricks/__init__.py": "",
    "tricks/deep.py": "from tricks.deeper import Y\n",
    "tricks/deeper.py": "Y = 2\n",
    "words.txt": "hello",
}
SIMPLE = "class Bot:\n    def choose(self, view):\n        return view.legal[0]\n"


@pytest.fixture
def written(tmp_path: Path) -> Write:
    """A function that writes a bot of several files."""

    def write(name: str, files: dict[str, str]) -> Bot:
        for path, text in files.items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_text(text)
        return load(tmp_path / name)

    return write


@pytest.fixture
def amy(written: Write, tmp_path: Path) -> Bot:
    (tmp_path / "amy").mkdir()
    np.save(tmp_path / "amy" / "net.npy", np.array([1, 2, 3]))
    return written("amy", FILES)


@pytest.fixture(params=[*Isolation])
def factory(request: pytest.FixtureRequest) -> Iterator[HostFactory]:
    with HostFactory(request.param, LIMITS) as made:
        yield made


def shelves() -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob(f"{PREFIX}*"))


@pytest.mark.slow
def test_a_bot_can_import_and_read_what_is_in_its_folder(factory: HostFactory, amy: Bot) -> None:
    here, path, modules = os.getcwd(), list(sys.path), set(sys.modules)
    bots = [amy, bot("honest", HONEST)]
    result = play(factory, bots, block(bots, 12))
    assert {(fault.bot, fault.cause) for fault in result.faults} == {("amy", "ValueError: see amy/mylib.py")}
    assert 'File "amy/bot.py", line ' in result.faults[0].tail
    assert 'File "amy/mylib.py", line 4, in fail\n    raise ValueError' in result.faults[0].tail
    assert (os.getcwd(), sys.path) == (here, path)
    assert not {"bot", "mylib", "late", "tricks", "tricks.deep"} & (set(sys.modules) - modules)


def test_prints_do_not_show_where_the_folder_was_unpacked(written: Write) -> None:
    bots = [written("loud", {"bot.py": "print(__file__)\n" + SIMPLE}), bot("honest", HONEST)]
    heard: list[str] = []
    with HostFactory(
        Isolation.SANDBOX, LIMITS, on_print=lambda name, printed: heard.append(printed.beginning)
    ) as factory:
        play(factory, bots, block(bots, 1))
    assert heard == ["loud/bot.py\n"]


def test_two_bots_with_modules_of_the_same_name_get_their_own(factory: HostFactory, written: Write) -> None:
    main = "import mylib\n" + SIMPLE.replace("legal[0]", "legal[mylib.pick()]")
    pick = "import helper\nimport extra\n\ndef pick():\n    import extra\n    return extra.pick(helper.AT)\n"
    bots = [
        written(name, {"bot.py": main, "mylib.py": pick, "helper.py": f"AT = {at}", "extra.py": "pick = int"})
        for name, at in (("low", 0), ("high", -1))
    ]
    twins = [bot("low", SIMPLE.encode()), bot("high", SIMPLE.replace("[0]", "[-1]").encode())]
    result = play(factory, bots, block(bots, 4))
    assert result.faults == ()
    with HostFactory(Isolation.TRUSTED, LIMITS) as trusted:
        assert tally_of(result).rankings == tally_of(play(trusted, twins, block(twins, 4))).rankings


def test_files_called_like_pythons_modules_do_not_hide_them(factory: HostFactory, written: Write) -> None:
    """Draws are reproducible only from the module `random` that was there before the bot."""
    main = "import random\n" + SIMPLE.replace("view.legal[0]", "random.choice(view.legal)")
    bots = [written("dicer", {"bot.py": main, "random.txt": "", "numpy/net.txt": ""}), bot("honest", HONEST)]
    first, second = (play(factory, bots, block(bots, 4)) for _ in range(2))
    assert first.faults == ()
    assert first.outcomes == second.outcomes


def test_modules_keep_nothing_from_block_to_block(factory: HostFactory, written: Write) -> None:
    count = "mylib.SEEN.append(1)\n        assert len(mylib.SEEN) <= 15\n        return"
    main = "import mylib\n" + SIMPLE.replace("return", count)
    bots = [written("counter", {"bot.py": main, "mylib.py": "SEEN = []"}), bot("honest", HONEST)]
    for _ in range(2):
        assert play(factory, bots, block(bots, 1)).faults == ()


THIEF = """
import os

def attempts():
    yield from ((open, path) for path in FILES)
    yield from ((os.listdir, path) for path in FOLDERS)
    yield lambda path: open(path, "w"), "new.txt"
    yield lambda path: open(path, "a"), "own.txt"
    yield os.unlink, "own.txt"
    yield os.mkdir, "folder"
    yield lambda path: os.chmod(path, 0o777), "own.txt"
    yield lambda path: os.rename(path, "other.txt"), "own.txt"

for attempt, path in attempts():
    try:
        attempt(path)
    except OSError:
        continue
    raise ValueError(path)
assert open("own.txt").read() == "mine"

class Bot:
    def choose(self, view):
        return view.legal[0]
"""


def test_full_temporary_folder_is_named(written: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(unpacked_bots, "write_folder", full)
    with HostFactory(Isolation.SANDBOX, LIMITS) as factory, pytest.raises(LeagueError) as refused:
        factory.open(written("loud", {"bot.py": SIMPLE}), games.make("raj", 2))
    assert str(refused.value) == (
        f"The folder of bot 'loud' cannot be unpacked in {tempfile.gettempdir()}: No space left on device. "
        "Free some space there, or set TMPDIR to another folder."
    )


def test_a_bot_reads_its_own_folder_and_no_other(written: Write, tmp_path: Path) -> None:
    """It can read neither the folder that it was copied from, nor another bot's folder beside its own."""
    victim = written("victim", {"bot.py": SIMPLE, "secret.txt": "secret"})
    with HostFactory(Isolation.SANDBOX, LIMITS) as factory:
        unpacked = Path(factory.folder_of(victim))
        files = [str(folder / "secret.txt") for folder in (tmp_path / "victim", unpacked)] + ["/etc/passwd"]
        folders = [str(folder) for folder in (tmp_path, unpacked, unpacked.parent)]
        source = f"FILES = {files}\nFOLDERS = {folders}\n{THIEF}"
        bots = [victim, written("thief", {"bot.py": source, "own.txt": "mine"})]
        assert play(factory, bots, block(bots, 2)).faults == ()


LOOKS = {
    "open('words.txt')": "'words.txt' cannot be reached while the bot plays",
    "__import__('mylib')": "cannot be reached while the bot plays",
    "__import__('os').stat('/etc')": "'/etc' cannot be reached while the bot plays",
    "__import__('os').access('/usr', 0) or 1 / 0": "ZeroDivisionError: division by zero",
    "__import__('os').listdir('.')": "'.' cannot be reached while the bot plays",
    "__import__('os').readlink('/proc/self/exe')": "'/proc/self/exe' cannot be reached while the bot plays",
    "__import__('os').chdir('/')": "'/' cannot be reached while the bot plays",
    "__import__('os').statvfs('/')": "'/' cannot be reached while the bot plays",
}
"""What asks for a path, and the fault that it is while a bot plays in the sandbox."""


@each(("look", "cause"), LOOKS.items())
def test_no_path_can_be_reached_while_a_bot_plays(look: str, cause: str, written: Write) -> None:
    """What the kernel remembers about paths would be a note for the bot's other processes."""
    for number, source in enumerate((SIMPLE.replace("return", f"{look}\n        return"), f"{look}\n{SIMPLE}")):
        bots = [
            written(f"curious_{number}", {"bot.py": source, "mylib.py": "", "words.txt": ""}),
            bot("honest", HONEST),
        ]
        with HostFactory(Isolation.SANDBOX, LIMITS) as factory:
            causes = {fault.cause for fault in play(factory, bots, block(bots, 2)).faults}
        if number == 0:
            assert len(causes) == 1
            assert cause in causes.pop()
        else:
            assert not [told for told in causes if "while the bot plays" in told]


def test_access_times_carry_no_notes(written: Write) -> None:
    """The bot's next process cannot see which files of its folder were read."""
    look = "import os\nBEFORE = [os.stat(path).st_atime for path in ('note.txt', '.')]\n"
    leave = "open('note.txt').read(), os.listdir('.')\n"
    checks = "        assert BEFORE == [2**31 - 1] * 2\n        return"
    main = look + leave + SIMPLE.replace("        return", checks)
    bots = [written("amy", {"bot.py": main, "note.txt": "x"}), bot("honest", HONEST)]
    with HostFactory(Isolation.SANDBOX, LIMITS) as factory:
        for _ in range(2):
            assert play(factory, bots, block(bots, 1)).faults == ()


def test_a_folder_is_unpacked_once_and_removed_at_the_end(amy: Bot) -> None:
    before = set(shelves())
    shelf = UnpackedBots()
    assert shelf.folder_of(bot("honest", HONEST)) == ""
    assert set(shelves()) <= before, "a shelf without folders leaves no trace"
    folder = Path(shelf.folder_of(amy))
    assert shelf.folder_of(amy) == str(folder)
    assert (folder / "tricks" / "deep.py").read_bytes() == FILES["tricks/deep.py"].encode()
    assert folder.parent.stat().st_mode & 0o7 == 0, "other users cannot look into it"
    group = 0o050 if os.geteuid() == 0 else 0
    for path in (folder, *folder.rglob("*")):
        assert path.stat().st_mode & 0o777 == ((0o500 | group) if path.is_dir() else (0o500 | group) & ~0o111), path
    sweep()
    assert folder.exists(), "it is in use"
    shelf.close()
    assert not folder.parent.exists()


def test_what_a_killed_process_left_behind_is_swept(amy: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # elsewhere another league could sweep it first
    pid = os.fork()
    if pid == 0:
        try:
            UnpackedBots().folder_of(amy)
        finally:
            os._exit(0)  # as if it had been killed
    os.waitpid(pid, 0)
    left = shelves()
    assert left
    sweep()
    assert not any(path.exists() for path in left)
