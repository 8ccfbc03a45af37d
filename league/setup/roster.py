"""The bots of a league, found in folders and read without running a line of them.

    roster = scan(["../bots"], base=Path("configs"))
    for bot in roster.bots:
        print(bot.name, bot.games, bot.summary)
    for broken in roster.broken:
        print(broken)

A bot is a file `NAME.py` with a class `Bot` that has `choose`, or a file `NAME.toml` that tells which program plays:

    command = ["awk", "-f", "greedy.awk"]
    description = "Plays the first legal move."
    games = ["raj"]

Docstring and games of a Python bot are taken from its syntax tree. What cannot play is told with its place and reason.
"""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import msgspec

from league.errors import RosterError, did_you_mean
from league.games import kind_of
from league.setup.bot_source import UnfitError, read_python, read_toml
from league.tools.text import counted, nearest_file, safe, shown_path
from league.values.block import Entrant
from league.values.settings import NAME_RULE, SAFE_NAME

SUFFIXES = (".py", ".toml")
MAX_BYTES = 1_000_000
RANDOM = "random"
"""The bot that is found even where no folder has it: everybody needs an opponent to begin with."""
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
    """Of its file; absolute."""
    source: bytes
    """The whole file."""
    hash: str
    """Of the source, and of the files beside it that its command names."""
    doc: str = ""
    games: tuple[str, ...] | None = None
    """What it plays; None: everything."""
    language: Literal["python", "program"] = "python"
    command: tuple[str, ...] = ()
    """What starts a bot that is a program, in the folder of its file."""
    companions: tuple[Path, ...] = ()
    """The files beside it that its command names."""
    baseline: bool = False
    """Whether it is there for comparison only: it is rated like any other, and never stands on a podium."""

    @property
    def summary(self) -> str:
        """What it does, in one line."""
        return self.doc.strip().split("\n", 1)[0]

    def plays(self, game: str) -> bool:
        """Whether it takes part in a game."""
        return self.games is None or game in self.games or kind_of(game) in self.games

    def entrant(self) -> Entrant:
        """As it is known in results."""
        return Entrant(self.name, self.hash)


class Broken(msgspec.Struct, frozen=True):
    """A file that cannot play."""

    path: Path
    line: int
    """0 if the reason is no single line."""
    reason: str

    def __str__(self) -> str:
        at = f":{self.line}" if self.line else ""
        return f"{shown_path(self.path)}{at}: {safe(self.reason)}"


class Roster(msgspec.Struct, frozen=True):
    """All that was found: bots by name, and broken files by path."""

    bots: tuple[Bot, ...]
    broken: tuple[Broken, ...] = ()
    twice: tuple[Path, ...] = ()
    """The files that several patterns stand for; each counts once."""

    def playing(self, game: str) -> tuple[Bot, ...]:
        """The bots that take part in a game."""
        return tuple(bot for bot in self.bots if bot.plays(game))

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


def scan(patterns: Iterable[str], base: Path) -> Roster:
    """All bots in folders, files and globs (relative to `base`), in an order that does not depend on the machine."""
    files = _files(patterns, base)
    entries = [_read(path) for path in sorted(files)]
    commanded = {file for entry in entries if isinstance(entry, Bot) for file in entry.companions}
    playing = [entry for entry in entries if entry.path not in commanded]  # a program's own file is no bot by itself
    bots = sorted((entry for entry in playing if isinstance(entry, Bot)), key=lambda bot: bot.name)
    for bot, other in pairwise(bots):
        if bot.name == other.name:
            both = f"{shown_path(bot.path)} and {shown_path(other.path)}"
            raise RosterError(f"Two bots are called {bot.name!r}: {both}. Rename one of the files.")
    broken = tuple(entry for entry in playing if isinstance(entry, Broken))
    return Roster(tuple(bots), broken, tuple(sorted(path for path, times in files.items() if times > 1)))


def find(name_or_path: str, bots_dir: str | Path = "bots") -> Bot:
    """The bot at a path, or of a name in a folder, as people write it on the command line; `random` is always there."""
    if name_or_path.endswith(SUFFIXES) or os.sep in name_or_path:
        return load(Path(name_or_path), bots_dir)
    folder = Path(bots_dir)
    files = [folder / f"{name_or_path}{suffix}" for suffix in SUFFIXES]
    there = [file for file in files if os.path.exists(file)]
    if len(there) == 2:
        raise RosterError(f"Two bots are called {name_or_path!r}: {shown_path(there[0])} and {shown_path(there[1])}.")
    if there:
        return load(there[0], bots_dir)
    if name_or_path == RANDOM:
        return random_bot()
    if not os.path.isdir(folder):
        raise RosterError(
            f"There is no folder '{safe(str(folder))}' with bots. Name one by --bots, or a bot by its path."
        )
    near = did_you_mean(name_or_path, [*(path.stem for path in _in_folder(folder)), RANDOM])
    raise RosterError(f"There is no bot {name_or_path!r} in {shown_path(folder)}.{near}")


def random_bot(name: str = RANDOM) -> Bot:
    """A bot that chooses at random, whatever is played, and needs no file."""
    digest = blake2b(_RANDOM_SOURCE, digest_size=16).hexdigest()
    return Bot(name, Path(f"{name}.py"), _RANDOM_SOURCE, digest, "Any legal move, drawn at random.", baseline=True)


def told_apart(bots: Iterable[Bot], taken: Iterable[str] = ()) -> list[Bot]:
    """The bots under names that nobody else at the table has, nor are `taken`: ann, bob, ann_2."""
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


def refuse_strangers(game: str, bots: Iterable[Bot]) -> None:
    """Raise `RosterError` for the first bot that does not play a game."""
    for bot in bots:
        if not bot.plays(game):
            raise RosterError(f"{safe(bot.name)} does not play {game} (its games: {', '.join(bot.games or ())}).")


def load(path: Path, bots_dir: str | Path = "bots") -> Bot:
    """The bot in a file, or `RosterError` with the reason why it is none."""
    if not os.path.exists(path):
        beside = [*_in_folder(path.parent), *_in_folder(Path(bots_dir))]
        near = nearest_file(path, beside)
        raise RosterError(f"There is no file '{safe(str(path))}'.{near}")
    entry = _read(Path(os.path.abspath(path)))
    if isinstance(entry, Broken):
        raise RosterError(str(entry))
    return entry


def _files(patterns: Iterable[str], base: Path) -> Counter[Path]:
    """The files that the patterns stand for, absolute, and how many patterns stand for each."""
    found: Counter[Path] = Counter()
    missing = []
    for pattern in patterns:
        path = Path(os.path.abspath(base / pattern))
        if os.path.isdir(path):
            if not os.access(path, os.R_OK | os.X_OK):
                missing.append(f"The folder {shown_path(path)} cannot be read: Permission denied.")
            found.update(_in_folder(path))
        elif os.path.exists(path):
            found[path] += 1
        elif matches := glob.glob(str(path), recursive=True):
            found.update(set(_candidates(map(Path, matches))))
        else:
            missing.append(f"Expected a folder, file or glob with bots, found nothing at {shown_path(path)}.")
    if missing:
        raise RosterError("\n".join(missing))
    return found


def _in_folder(folder: Path) -> list[Path]:
    try:
        return sorted(_candidates(Path(os.path.abspath(folder)).iterdir()))
    except OSError:
        return []


def _candidates(paths: Iterable[Path]) -> Iterator[Path]:
    """The files that look like bots; names that begin with '_' or '.' are for helpers and half-written files."""
    return (path for path in paths if path.suffix in SUFFIXES and path.name[0] not in "_.")


def _read(path: Path) -> Bot | Broken:
    name = normalize("NFC", path.stem)
    try:
        if path.suffix not in SUFFIXES:
            raise UnfitError(0, "expected a file that ends in .py or .toml.")
        if not SAFE_NAME.fullmatch(name):
            raise UnfitError(
                0, f"expected a file name of {NAME_RULE}: the file's name is the bot's name.{_renamed(path)}"
            )
        source = _bytes(path)
        digest = blake2b(source, digest_size=16)
        if path.suffix == ".py":
            found = read_python(source)
            return Bot(name, path, source, digest.hexdigest(), found.doc, found.games, baseline=found.baseline)
        found = read_toml(source)
        companions = _companions(path, found.command)
        for file in companions:
            digest.update(
                b"\0" + file.relative_to(path.parent).as_posix().encode() + b"\0" + blake2b(_bytes(file)).digest()
            )
        return Bot(name, path, source, digest.hexdigest(), found.doc, found.games, "program", found.command, companions)
    except UnfitError as problem:
        return Broken(path, problem.line, problem.reason)


def _renamed(path: Path) -> str:
    """' Rename it to 'My_bot.py', for instance.', or nothing if too little of its name can stay."""
    name = "_".join(re.findall(r"\w+", normalize("NFC", path.stem)))[:64]
    return f" Rename it to '{name}{path.suffix}', for instance." if SAFE_NAME.fullmatch(name) else ""


def _bytes(path: Path) -> bytes:
    if not os.path.isfile(path):
        raise UnfitError(0, "expected a file, found something else.")
    try:
        with path.open("rb") as file:
            source = file.read(MAX_BYTES + 1)
    except OSError as problem:
        raise UnfitError(0, f"cannot be read: {problem.strerror}.") from None
    if len(source) > MAX_BYTES:
        raise UnfitError(0, f"expected at most {MAX_BYTES:,} bytes, found {path.stat().st_size:,}.")
    return source


def _companions(path: Path, command: tuple[str, ...]) -> tuple[Path, ...]:
    """The files that a command names and that lie beside the bot's own file or in folders there, sorted."""
    files = {Path(os.path.normpath(path.parent / word)) for word in command}
    return tuple(sorted(file for file in files if file.is_relative_to(path.parent) and os.path.isfile(file)))
