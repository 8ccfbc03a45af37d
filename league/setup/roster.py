"""The bots of a league, found in folders and read without running a line of them.

    roster = scan(["../bots"], base=Path("configs"))
    for bot in roster.bots:
        print(bot.name, bot.games, bot.summary)
    for broken in roster.broken:
        print(broken)

A bot is a file `NAME.py` with a class `Bot` that has `choose`, or a file `NAME.toml` that says which program plays:

    command = ["awk", "{ … }"]
    description = "Plays the first legal move."
    games = ["raj"]

Or it is a folder `NAME` with a file `bot.py` or `bot.toml`, and all that is in it belongs to the bot.

Docstring, games and players of a Python bot are taken from its syntax tree. What cannot play is reported with its place
and reason.
"""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import getmodulename
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import msgspec

from league import games
from league.errors import RosterError, did_you_mean
from league.games import kind_of
from league.setup.bot_folder import MAIN_FILES, BotFile, content_hash, expanded, folder_hash, main_file, read_folder
from league.setup.bot_source import MAX_BYTES, Source, UnfitError, read_python, read_toml
from league.tools import system
from league.tools.files import shipped
from league.tools.text import counted, listed, nearest_file, safe, shown_path
from league.values.block import Entrant
from league.values.settings import FOLDER_MB, NAME_RULE, SAFE_NAME, TAKEN_MODULES, Contest, Event, Players

SUFFIXES = (".py", ".toml")
RANDOM = "random"
"""The name of the bot that needs no file: every author needs a first opponent."""
_RANDOM_SOURCE = b"""
class Bot:
    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        return self.rng.choice(view.legal)
"""


class Bot(msgspec.Struct, frozen=True):
    """A bot that can play."""

    name: str
    path: Path
    """Its file or its folder; absolute."""
    source: bytes
    """The whole file: `NAME.py`, `NAME.toml`, or the `bot.py` or `bot.toml` of its folder."""
    hash: str
    """The hash of the source, or of all that is in the folder."""
    doc: str = ""
    games: tuple[str, ...] | None = None
    """What it plays; None: everything."""
    language: Literal["python", "program", "object"] = "python"
    """An object is a class of the user's own process: see `league.hosts.trusted`."""
    command: tuple[str, ...] = ()
    players: tuple[Players, ...] | None = None
    """The table sizes that it plays; None: all."""
    files: tuple[BotFile, ...] = ()
    """All files of a bot that is a folder, by path."""
    fills: tuple[str, ...] | None = None
    """Keys of the contests in which it sits only to fill a table; None: it plays as itself."""
    baseline: bool = False
    """Whether it is there for comparison only: it is rated like any other."""
    build: tuple[str, ...] = ()
    """What makes the program of a bot that is a folder; empty: nothing has to be made."""
    made: tuple[BotFile, ...] = ()
    """What its build has made; empty until it is built here. It follows from the files: the hash is theirs alone."""

    @property
    def summary(self) -> str:
        """What it does, in one line."""
        return self.doc.strip().split("\n", 1)[0]

    def plays(self, game: str, players: int | None = None) -> bool:
        """Whether it takes part in a game, at tables of this size if one is given."""
        at_table = players is None or self.players is None or players in self.players
        return at_table and (self.games is None or game in self.games or kind_of(game) in self.games)

    def tables(self, counts: Iterable[int]) -> tuple[int, ...]:
        """Those of some table sizes that it plays."""
        return tuple(count for count in counts if self.players is None or count in self.players)

    def takes_part(self, contest: Contest) -> bool:
        """Whether it sits at the tables of a contest."""
        if self.fills is not None:
            return contest.key in self.fills
        return self.plays(contest.game, contest.players)

    def entrant(self) -> Entrant:
        """As it is known in results."""
        return Entrant(self.name, self.hash)


class Broken(msgspec.Struct, frozen=True):
    """A file or folder that cannot play."""

    path: Path
    line: int
    """0 if the reason is not in a single line."""
    reason: str

    @property
    def name(self) -> str:
        """What the bot would be called, in text that can be stored and shown."""
        return safe(bot_name(whole(self.path)))

    def __str__(self) -> str:
        place = f":{self.line}" if self.line else ""
        return f"{shown_path(self.path)}{place}: {safe(self.reason)}"


class Roster(msgspec.Struct, frozen=True):
    """What was found: bots by name, and broken files by path."""

    bots: tuple[Bot, ...]
    broken: tuple[Broken, ...] = ()

    def copies(self) -> tuple[tuple[Bot, ...], ...]:
        """The bots that have the same content under several names, together, by name."""
        alike: dict[str, list[Bot]] = {}
        for bot in self.bots:
            alike.setdefault(bot.hash, []).append(bot)
        return tuple(tuple(same) for same in alike.values() if len(same) > 1)

    def notices(self, contests: Sequence[Contest]) -> Iterator[str]:
        """What a user may not expect of the bots, a sentence each."""
        yield from (f"left out: {broken}" for broken in self.broken)
        playing = self.taking_part(contests)
        if bystanders := [bot.name for bot in self.bots if bot not in playing]:
            yield f"not in this league, since they play none of its games at its tables: {listed(bystanders)}."
        for same in self.copies():
            yield f"the same content under {len(same)} names: {listed([bot.name for bot in same])}."

    def without(self, unloadable: Mapping[Entrant, str]) -> Roster:
        """Without bots that cannot be loaded, for these reasons."""
        left_out = [bot for bot in self.bots if bot.entrant() in unloadable]
        broken = [Broken(bot.path, 0, f"cannot be loaded: {unloadable[bot.entrant()]}") for bot in left_out]
        others = tuple(bot for bot in self.bots if bot not in left_out)
        return msgspec.structs.replace(self, bots=others, broken=(*self.broken, *broken))

    def taking_part(self, contests: Sequence[Contest]) -> list[Bot]:
        """The bots that play at least one of these contests."""
        return [bot for bot in self.bots if any(bot.takes_part(contest) for contest in contests)]

    def playing(self, contest: Contest) -> tuple[Bot, ...]:
        """The bots that take part in a contest."""
        return tuple(bot for bot in self.bots if bot.takes_part(contest))

    def filled(self, events: Iterable[Event]) -> Roster:
        """With copies of bots for the seats that would stay empty, where the events ask for that.

        A copy has a name of its own (random, random_2), and with it random numbers and a rating of its own.
        """
        copies: dict[str, Bot] = {}
        for event in events:
            contest, fill = event.contest, event.fill
            there = len(self.playing(contest))
            empty = contest.players - there
            if not (fill and there and empty > 0):
                continue
            own = [bot.name for bot in self.bots]
            original = random_bot() if fill == RANDOM and RANDOM not in own else self.named(fill)
            refuse_strangers(contest.game, [original], contest.players)
            for copy in told_apart([original] * empty, own):
                before = copies.get(copy.name, copy).fills or ()
                copies[copy.name] = msgspec.structs.replace(copy, fills=(*before, contest.key))
        bots = sorted((*self.bots, *copies.values()), key=lambda bot: bot.name)
        return msgspec.structs.replace(self, bots=tuple(bots))

    def named(self, name: str) -> Bot:
        """The bot of that name."""
        for bot in self.bots:
            if bot.name == name:
                return bot
        near = did_you_mean(name, [bot.name for bot in self.bots])
        raise RosterError(f"There is no bot {name!r} among the {counted(len(self.bots), 'bot')} of this league.{near}")

    def refuse_broken(self) -> None:
        """Raise `RosterError` with a line for each broken file, if there are any."""
        if self.broken:
            raise RosterError("\n".join(map(str, self.broken)))


def scan(patterns: Iterable[str], base: Path, folder_mb: int = FOLDER_MB) -> Roster:
    """All bots in folders, files and globs (relative to `base`), in an order that does not depend on the machine."""
    entries = [_read(path, folder_mb, named=named) for path, named in find_paths(patterns, base).items()]
    bots = sorted((entry for entry in entries if isinstance(entry, Bot)), key=lambda bot: bot.name)
    for bot, other in pairwise(bots):
        if bot.name == other.name:
            both = f"{shown_path(bot.path)} and {shown_path(other.path)}"
            raise RosterError(f"Two bots are called {bot.name!r}: {both}. Rename one of them.")
    return Roster(tuple(bots), tuple(entry for entry in entries if isinstance(entry, Broken)))


def find(name_or_path: str, bots_dir: str | Path = "bots") -> Bot:
    """The bot at a path, or of a name, as people write it on the command line.

    A name is looked for in `bots_dir`, then in the current folder, then among the shipped bots.
    """
    if name_or_path.endswith(SUFFIXES) or "/" in name_or_path or os.sep in name_or_path:
        return load(Path(name_or_path), bots_dir)
    for folder in search_path(bots_dir):
        there = places(name_or_path, folder)
        if len(there) > 1:
            raise RosterError(f"Two bots are called {name_or_path!r}: {listed([shown_path(path) for path in there])}.")
        if there:
            return load(there[0], bots_dir)
    known = [bot_name(path) for folder in search_path(bots_dir) for path in in_folder(folder)]
    where = f"in {safe(str(bots_dir))}, in this folder or among the shipped bots"
    raise RosterError(f"There is no bot {name_or_path!r} {where}.{did_you_mean(name_or_path, known)}")


def search_path(bots_dir: str | Path = "bots") -> tuple[Path, ...]:
    """The folders in which a bot is looked for by its name, in this order."""
    return Path(bots_dir), Path(), shipped("bots")


def random_bot(name: str = RANDOM) -> Bot:
    """A bot that chooses at random, whatever is played, and needs no file."""
    digest = content_hash(_RANDOM_SOURCE)
    return Bot(name, Path(f"{name}.py"), _RANDOM_SOURCE, digest, "Any legal move, drawn at random.", baseline=True)


def told_apart(bots: Iterable[Bot], taken: Iterable[str] = ()) -> list[Bot]:
    """The bots under unique names, none of which is `taken`: ann, bob, ann_2."""
    names = set(taken)
    apart = []
    for bot in bots:
        number, name = 1, bot.name
        while name in names:
            number += 1
            name = f"{bot.name}_{number}"
        names.add(name)
        apart.append(msgspec.structs.replace(bot, name=name))
    return apart


def refuse_strangers(game: str, bots: Iterable[Bot], players: int | None = None) -> None:
    """Raise `RosterError` for the first bot that does not play a game, at tables of this size if one is given."""
    for bot in bots:
        if not bot.plays(game):
            raise RosterError(f"{safe(bot.name)} does not play {game} (its games: {', '.join(bot.games or ())}).")
        if not bot.plays(game, players):
            tables = listed([str(count) for count in bot.players or ()])
            raise RosterError(f"{safe(bot.name)} does not play at tables of {players} (its players: {tables}).")


def usual_contests(bot: Bot, names: Sequence[str] = ()) -> tuple[Contest, ...]:
    """What to try a bot at: its games, or those named, by the rulebook, at the five smallest tables and the largest."""
    tables = {name: bot.tables(games.find(name).player_counts) for name in names or bot.games or games.names()}
    return tuple(
        Contest.of(games.find(name)(players))
        for name, counts in tables.items()
        for players in dict.fromkeys([*counts[:5], *counts[-1:]])
    )


def load(path: Path, bots_dir: str | Path = "bots", folder_mb: int = FOLDER_MB, name: str = "") -> Bot:
    """The bot in a file or folder; raises `RosterError` with the reason why it is none.

    With a `name`, the bot is called that, whatever the file is called, and a file `bot.py` is a bot by itself.
    """
    if not os.path.exists(path):
        beside = [*in_folder(path.parent), *in_folder(Path(bots_dir))]
        near = nearest_file(path, beside)
        raise RosterError(f"There is no file '{safe(str(path))}'.{near}")
    if name and not SAFE_NAME.fullmatch(name):
        raise RosterError(f"Expected a bot's name of {NAME_RULE}, found {name!r}.")
    whole_path = Path(os.path.abspath(path))
    entry = _read(whole_path if name else whole(whole_path), folder_mb, named=True, name=name)
    if isinstance(entry, Broken):
        raise RosterError(str(entry))
    return entry


def bot_name(path: Path) -> str:
    """What the bot in a file or folder is called."""
    return normalize("NFC", path.stem if path.suffix in SUFFIXES else path.name)


def _read(path: Path, folder_mb: int, *, named: bool, name: str = "") -> Bot | Broken:
    """The bot at a path; one that was not `named` by the user must not be a link that leads elsewhere."""
    place = path
    given, name = bool(name), name or bot_name(path)
    try:
        if path.name in MAIN_FILES and not given:
            raise UnfitError(0, f"expected another name: a file {path.name} makes a bot of the folder that it is in.")
        if not named:
            _refuse_link(path)
        if not os.path.isdir(path):
            return _read_file(path, name)
        if not SAFE_NAME.fullmatch(name):
            raise UnfitError(0, f"expected a folder name of {NAME_RULE}: the folder's name is the bot's name.")
        main = main_file(path)
        if main is None:
            hint = "A folder that is no bot begins with '_'."
            raise UnfitError(0, f"expected {' or '.join(MAIN_FILES)} in the folder, found neither. {hint}")
        files = read_folder(path, folder_mb)
        source = next((file.content for file in files if file.path == main), b"")
        place = path / main
        return _bot(path, name, source, Path(main).suffix, folder_hash(files), files)
    except UnfitError as problem:
        return Broken(place, problem.line, problem.reason)


def _read_file(path: Path, name: str) -> Bot:
    if path.suffix not in SUFFIXES:
        raise UnfitError(0, "expected a file that ends in .py or .toml, or a folder with bot.py or bot.toml.")
    if not SAFE_NAME.fullmatch(name):
        raise UnfitError(0, f"expected a file name of {NAME_RULE}: the file's name is the bot's name.{_renamed(path)}")
    source = _bytes(path)
    bot = _bot(path, name, source, path.suffix, content_hash(source))
    for word in bot.command:
        beside = Path(os.path.normpath(path.parent / word))
        if beside != path.parent and beside.is_relative_to(path.parent) and os.path.lexists(beside):
            hint = f"Make a folder {bot.name} of its own files, and call this one bot.toml in it."
            raise UnfitError(0, f"expected a command of system programs, found {word!r}, which lies beside it. {hint}")
    return bot


def _bot(path: Path, name: str, source: bytes, suffix: str, digest: str, files: Sequence[BotFile] = ()) -> Bot:
    if len(source) > MAX_BYTES:
        raise UnfitError(0, f"expected at most {MAX_BYTES:,} bytes, found more.")
    python = suffix == ".py"
    stated = read_python(source) if python else read_toml(source)
    if python:
        _refuse_clashes(files)
    if stated.build:
        _check_build(stated, files)
    return Bot(
        name=name,
        path=path,
        source=source,
        hash=digest,
        doc=stated.doc,
        games=stated.games,
        language="python" if python else "program",
        command=stated.command,
        players=stated.players,
        files=tuple(files),
        baseline=stated.baseline,
        build=stated.build,
    )


def _check_build(stated: Source, files: Sequence[BotFile]) -> None:
    line = stated.lines["build"]
    if not files:
        raise UnfitError(line, "expected build in the bot.toml of a folder, found it in a file by itself.")
    try:
        expanded(stated.build, files)
    except UnfitError as problem:
        raise UnfitError(line, problem.reason) from None


def _refuse_clashes(files: Iterable[BotFile]) -> None:
    """A module that is called like one of Python's own would not be found: that one is loaded already."""
    for file in files:
        module = _module(file.path)
        if module in TAKEN_MODULES:
            raise UnfitError(0, f"expected no module called like Python's {module!r}, found {file.path!r}. Rename it.")


def _module(path: str) -> str | None:
    """What a file is imported as; None if it is no module, or one of a package."""
    folder, _, name = path.rpartition("/")
    module = getmodulename(name)
    return folder if module == "__init__" else None if folder else module


def _refuse_link(path: Path) -> None:
    target = Path(os.path.realpath(path))
    if os.path.islink(path) and os.path.exists(target) and not target.is_relative_to(os.path.realpath(path.parent)):
        hint = "Copy there what it leads to, or name it in the config."
        raise UnfitError(0, f"expected a bot, found a link that leads out of its folder. {hint}")


def _renamed(path: Path) -> str:
    """' Rename it to 'My_bot.py', for instance.', or nothing if too little of its name can stay."""
    name = "_".join(re.findall(r"\w+", bot_name(path)))[:64]
    return f" Rename it to '{name}{path.suffix}', for instance." if SAFE_NAME.fullmatch(name) else ""


def _bytes(path: Path) -> bytes:
    try:
        status = os.stat(path)
        if stat.S_ISREG(status.st_mode):  # opening a pipe could take for ever where NONBLOCK is unknown
            with open(os.open(path, os.O_RDONLY | system.NONBLOCK | system.CLOEXEC), "rb") as file:
                status = os.fstat(file.fileno())
                source = file.read(MAX_BYTES + 1) if stat.S_ISREG(status.st_mode) else b""
        if not stat.S_ISREG(status.st_mode):
            raise UnfitError(0, "expected a file, found something else.")
    except OSError as problem:
        raise UnfitError(0, f"cannot be read: {problem.strerror}.") from None
    if len(source) > MAX_BYTES:
        raise UnfitError(0, f"expected at most {MAX_BYTES:,} bytes, found {status.st_size:,}.")
    return source


# Where bots are.


def find_paths(patterns: Iterable[str], base: Path) -> dict[Path, bool]:
    """The files and bot folders that match patterns (relative to `base`): absolute paths, and whether each is named."""
    named: set[Path] = set()
    found: set[Path] = set()
    missing = []
    for pattern in patterns:
        path = Path(os.path.abspath(base / pattern.replace("\\", "/")))  # the config may come from Windows
        if os.path.isdir(path) and not (is_bot_folder(path) and not _has_bots(path)):
            if not os.access(path, os.R_OK | os.X_OK):
                missing.append(f"The folder {shown_path(path)} cannot be read: Permission denied.")
            found.update(in_folder(path))
        elif os.path.exists(path):
            named.add(whole(path))
        elif matches := glob.glob(str(path), recursive=True):
            found.update(_owner(match, path) for match in _candidates(map(Path, matches)))
        else:
            hint = nearest_file(path, in_folder(path.parent))
            missing.append(f"Expected a folder, file or glob with bots, found nothing at {shown_path(path)}.{hint}")
    if missing:
        raise RosterError("\n".join(missing))
    return {path: path in named for path in sorted(found | named)}


def in_folder(folder: Path) -> list[Path]:
    """The files and folders in a folder that look like bots, sorted; none if it cannot be read."""
    try:
        return sorted(_candidates(Path(os.path.abspath(folder)).iterdir()))
    except OSError:
        return []


def places(name: str, folder: Path) -> list[Path]:
    """Where a bot of this name is in a folder, as a file or as a folder; more than one of them is a mistake."""
    files = [folder / f"{name}{suffix}" for suffix in SUFFIXES]
    return [path for path in files if os.path.lexists(path)] + [folder / name] * is_bot_folder(folder / name)


def is_bot_folder(path: Path) -> bool:
    """Whether a path is a folder with a file that makes it a bot."""
    return os.path.isdir(path) and any(os.path.lexists(path / name) for name in MAIN_FILES)


def whole(path: Path) -> Path:
    """A path, or the folder that it is the main file of."""
    return path.parent if path.name in MAIN_FILES else path


def _has_bots(folder: Path) -> bool:
    """Whether a folder has bots in it, so that a file `bot.py` does not make it a bot itself."""
    others = [path for path in in_folder(folder) if path.name not in MAIN_FILES]
    return any(path.suffix == ".toml" or os.path.isdir(path) or _is_bot(path) for path in others)


def _is_bot(path: Path) -> bool:
    return isinstance(_read(path, FOLDER_MB, named=False), Bot)


def _owner(match: Path, pattern: Path) -> Path:
    """What a match of a glob belongs to: the outermost bot folder around it that the glob leads to, or itself."""
    fixed = sum(1 for _ in takewhile(lambda part: not glob.has_magic(part), pattern.parts))
    around = [Path(*match.parts[:depth]) for depth in range(fixed + 1, len(match.parts))]
    return next(filter(is_bot_folder, around), match)


def _candidates(paths: Iterable[Path]) -> Iterator[Path]:
    """The files and folders that look like bots; names that begin with '_' or '.' are for what is none."""
    for path in paths:
        if path.name[0] not in "_." and (path.suffix in SUFFIXES or _has_code(path)):
            yield path


def _has_code(path: Path) -> bool:
    """Whether it is a folder with code in it: if none of its files makes it a bot, that is reported."""
    try:
        return os.path.isdir(path) and any(name.endswith(SUFFIXES) for name in os.listdir(path))
    except OSError:
        return False
