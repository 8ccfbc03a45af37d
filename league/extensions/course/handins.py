"""What people have handed in, read from Moodle's or Canvas's archive, or from a folder, without trusting any of it.

Nothing is run, and only `load_files` writes: a hand-in is a set of paths with their contents. Links, paths that lead
out, names that clash, and more than a bot may have are problems of that hand-in alone.
"""

from __future__ import annotations

import lzma
import os
import re
import stat
import subprocess
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from io import BytesIO
from pathlib import Path

import msgspec
from msgspec.structs import replace

from league.errors import LeagueError, RosterError
from league.extensions.kits import adopted
from league.setup.bot_folder import (
    MAIN_FILES,
    MOST_FILES,
    BotFile,
    content_hash,
    plain_parts,
    read_folder,
    write_folder,
)
from league.setup.bot_source import UnfitError, read_python
from league.setup.roster import Bot, load
from league.tools.files import make_folder
from league.tools.text import counted, listed, safe, shown_path

MOST_ENTRIES = 200_000
"""The most entries of an archive."""
_MOST_DEPTH = 3
"""How deep archives may be in archives."""
_MOODLE = re.compile(r"(?P<name>[^/]+?)_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)_?/?(?P<rest>.*)", re.DOTALL)
_CANVAS = re.compile(r"(?P<name>[^/_]+)(?P<late>_LATE)?_(?P<id>\d+)_(?P<number>\d+)_(?P<rest>[^/]+)", re.DOTALL)
_CANVAS_ATTEMPT = re.compile(r"-(\d+)(\.\w+)$")
_LEFT_BEHIND = re.compile(r"(^|/)(__MACOSX|__pycache__|\.[^/.][^/]*|Thumbs\.db|desktop\.ini|[^/]*~|[^/]*\.pyc)(/|$)")
"""What systems, editors and version control leave behind, and nobody means to hand in."""
_DAMAGED = (zlib.error, lzma.LZMAError)
_OTHER_ARCHIVES = (".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz")


Entry = tuple[str, zipfile.ZipInfo]
"""A file of an archive, by its path there."""


class HandInError(Exception):
    """Why a hand-in cannot be used, in words for its author."""


class HandIn(msgspec.Struct, frozen=True):
    """What one person has handed in."""

    owner: str
    """As the archive or the folder calls that person."""
    ids: tuple[str, ...] = ()
    """Numbers that the archive gives to that person."""
    time: float = 0.0
    """When it was handed in, as seconds since 1970; 0 if nobody knows."""
    attempt: int = 0
    """The number of the attempt, where the archive has several of one person."""
    late: bool = False
    """Whether the archive says so."""
    files: tuple[BotFile, ...] = ()
    problem: str = ""
    """Why it cannot be used."""


def read_handins(source: Path, folder_mb: int) -> list[HandIn]:
    """All hand-ins of an archive or a folder, by owner, the oldest first; raises `LeagueError` if it is neither."""
    if os.path.isdir(source):
        handins = [_of_path(path, folder_mb) for path in sorted(source.iterdir()) if not _LEFT_BEHIND.search(path.name)]
    else:
        handins = list(_of_archive(source, folder_mb))
    return sorted(handins, key=lambda handin: (handin.owner.casefold(), handin.attempt, handin.time))


def files_of_bot(files: tuple[BotFile, ...]) -> tuple[BotFile, ...]:
    """The files of a bot: one file alone, or those of a folder with a main file; raises `HandInError` if it is neither.

    One that is not called `bot.py` is renamed, if no other could be meant. Files for a framework that a kit stands in
    for get the kit.
    """
    while len({file.path.partition("/")[0] for file in files}) == 1 and all("/" in file.path for file in files):
        files = tuple(replace(file, path=file.path.partition("/")[2]) for file in files)  # all is in one folder
    code = [file for file in files if file.path.endswith((".py", ".toml")) and "/" not in file.path]
    if any(file.path in MAIN_FILES for file in code):
        return files
    if not code and (made := adopted({file.path: file.content for file in files})):
        return tuple(_file(path, made[path]) for path in sorted(made))
    bots = code if len(code) == 1 else [file for file in code if _is_bot(file)]
    if len(bots) != 1:
        names = listed([safe(file.path) for file in (code or files)][:5]) or "nothing"
        other = "Hand in a file that ends in .py, or a folder or .zip with bot.py."
        raise HandInError(f"expected one bot, found {names}. {'Call the main file bot.py.' if code else other}")
    main = replace(bots[0], path=f"bot{Path(bots[0].path).suffix}")
    return tuple(sorted([main, *(file for file in files if file is not bots[0])], key=lambda file: file.path))


def unpacked(filename: str, body: bytes, folder_mb: int) -> tuple[BotFile, ...]:
    """The files of one hand-in, a file or a .zip; raises `HandInError` for what cannot belong to a bot."""
    room = _Room(folder_mb)
    if not filename.lower().endswith(".zip"):
        room.take(len(body))
    return _unpacked([_file(filename, body)], room)


def load_files(files: tuple[BotFile, ...], place: Path, name: str, folder_mb: int) -> Bot:
    """The bot of some files, written into a new folder and read as every other bot is; raises `RosterError`.

    What is wrong with it is told by the paths that its author knows.
    """
    make_folder(place)
    write_folder(files, place)
    path = place / files[0].path if len(files) == 1 else place
    try:
        return load(path, folder_mb=folder_mb, name=name)
    except RosterError as problem:
        raise RosterError(str(problem).replace(f"{shown_path(place)}/", "").replace(shown_path(place), name)) from None


def _is_bot(file: BotFile) -> bool:
    with suppress(UnfitError):
        return file.path.endswith(".py") and bool(read_python(file.content))
    return False


def _of_path(path: Path, folder_mb: int) -> HandIn:
    """A hand-in that is a file, a .zip or a folder, perhaps a clone, in a folder of such."""
    is_folder = path.is_dir()
    name = (path.name if is_folder else path.stem).encode(errors="backslashreplace").decode()  # perhaps not UTF-8
    if path.is_symlink():
        return HandIn(name, problem="expected a file or a folder, found a link.")
    handin = HandIn(name, time=_time_of_commit(path) or _newest(path))
    try:
        if is_folder:
            files = read_folder(path, folder_mb)
        else:
            with path.open("rb") as file:
                files = (_file(path.name, file.read((folder_mb << 20) + 1)),)
        return replace(handin, files=_unpacked(files, _Room(folder_mb)))
    except HandInError as problem:
        return replace(handin, problem=str(problem))
    except UnfitError as problem:
        return replace(handin, problem=problem.reason)
    except OSError as problem:
        return replace(handin, problem=f"cannot be read: {problem.strerror}.")


def _newest(path: Path) -> float:
    """When the newest of its files was changed."""
    paths = [Path(root) / name for root, _, names in os.walk(path) for name in names] or [path]
    times = [0.0]
    for file in paths[:MOST_FILES]:
        with suppress(OSError):
            times.append(os.lstat(file).st_mtime)
    return max(times)


def _time_of_commit(folder: Path) -> float:
    """When the last commit of a clone was made; 0 if it is none. No command of the clone's config is run."""
    if not os.path.isdir(folder / ".git"):
        return 0.0
    settings = ("core.fsmonitor=false", "core.hooksPath=/dev/null", f"safe.directory={folder.resolve()}")
    safely = [word for setting in settings for word in ("-c", setting)]
    command = ("git", *safely, "--no-pager", "-C", str(folder), "log", "-1", "--format=%ct", "--no-show-signature")
    with suppress(OSError, subprocess.SubprocessError, ValueError):
        told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10)  # noqa: S603
        return float(told.stdout)
    return 0.0


class _Room:
    """What a hand-in may still take."""

    def __init__(self, megabytes: int) -> None:
        self.megabytes = megabytes
        self.bytes = megabytes << 20
        self.files = MOST_FILES

    def take(self, size: int) -> None:
        self.bytes -= size
        self.files -= 1
        if self.bytes < 0:
            raise HandInError(f"expected at most {self.megabytes:,} MB, found more.")
        if self.files < 0:
            raise HandInError(f"expected at most {MOST_FILES:,} files, found more.")


def _of_archive(source: Path, folder_mb: int) -> Iterator[HandIn]:
    try:
        with zipfile.ZipFile(source) as archive:
            found = _entries(archive)
            if len(found) > MOST_ENTRIES:
                raise LeagueError(
                    f"{shown_path(source)}: expected at most {MOST_ENTRIES:,} files, found {len(found):,}."
                )
            entries: dict[HandIn, list[Entry]] = {}
            for handin, path, info in _by_owner(found):
                entries.setdefault(handin, []).append((path, info))
            for handin, named in entries.items():
                yield _with_files(handin, archive, named, folder_mb)
    except FileNotFoundError:
        raise LeagueError(f"There is no archive or folder '{safe(str(source))}'.") from None
    except (zipfile.BadZipFile, NotImplementedError, ValueError, IndexError):
        what = "expected a .zip archive, as Moodle and Canvas write it, or a folder"
        raise LeagueError(f"{shown_path(source)}: {what}, found neither.") from None
    except OSError as problem:
        raise LeagueError(f"{shown_path(source)} cannot be read: {problem.strerror}.") from None


def _entries(archive: zipfile.ZipFile) -> list[Entry]:
    named = [(info.filename.replace("\\", "/"), info) for info in archive.infolist() if not info.is_dir()]
    return [(name, info) for name, info in named if not _LEFT_BEHIND.search(name)]


def _by_owner(named: list[Entry]) -> Iterator[tuple[HandIn, str, zipfile.ZipInfo]]:
    """The files of an archive with whose they are, in whichever way it names the owners, and their paths."""
    tops = {name.partition("/")[0] for name, _ in named if "/" in name}
    if len(tops) == 1 and all(name.count("/") > 1 or _CANVAS.fullmatch(name.partition("/")[2]) for name, _ in named):
        named = [(name.partition("/")[2], info) for name, info in named]  # all is in one more folder
    for name, info in named:
        if match := _MOODLE.fullmatch(name):
            if match["kind"] == "file":
                yield HandIn(match["name"], (match["id"],)), match["rest"], info
        elif match := _CANVAS.fullmatch(name):
            attempt = _CANVAS_ATTEMPT.search(match["rest"])
            path = _CANVAS_ATTEMPT.sub(r"\2", match["rest"])
            number = int(attempt[1]) if attempt else 0
            yield HandIn(match["name"], (match["id"],), attempt=number, late=bool(match["late"])), path, info
        else:
            top, slash, rest = name.partition("/")
            yield HandIn(top if slash else Path(top).stem), rest or top, info


def _with_files(handin: HandIn, archive: zipfile.ZipFile, named: list[Entry], folder_mb: int) -> HandIn:
    handin = replace(handin, time=max(_time(info) for _, info in named))
    try:
        room = _Room(folder_mb)
        return replace(handin, files=_unpacked([_read(archive, info, path, room) for path, info in named], room))
    except HandInError as problem:
        return replace(handin, problem=str(problem))


def _time(info: zipfile.ZipInfo) -> float:
    """Archives have the local time."""
    with suppress(ValueError, OverflowError):
        return datetime(*info.date_time).timestamp()
    return 0.0


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: str, room: _Room) -> BotFile:
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        raise HandInError(f"expected files, found the link {safe(path)!r}.")
    if info.flag_bits & 1:
        raise HandInError(f"expected a file without password, found {safe(path)!r}.")
    try:
        with archive.open(info) as file:
            content = file.read(room.bytes + 1)  # what an archive says about sizes may be a lie
            room.take(len(content))
    except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError, OSError, ValueError, *_DAMAGED) as problem:
        raise HandInError(f"{safe(path)!r} cannot be unpacked: {safe(str(problem))[:200]}.") from None
    return _file(path, content, executable=bool(mode & stat.S_IXUSR))


def _file(path: str, content: bytes, *, executable: bool = False) -> BotFile:
    return BotFile(path, content_hash(content), executable, content)


def _unpacked(files: Iterable[BotFile], room: _Room, depth: int = 1) -> tuple[BotFile, ...]:
    """The files, those of archives unpacked; raises `HandInError` for what cannot belong to a bot."""
    flat: list[BotFile] = []
    for file in files:
        if _LEFT_BEHIND.search(file.path):
            continue
        if file.path.lower().endswith(_OTHER_ARCHIVES):
            raise HandInError(f"expected a .zip archive, found {safe(file.path)!r}.")
        flat += _inner(file, room, depth) if file.path.lower().endswith(".zip") else [file]
    taken: dict[str, BotFile] = {}
    for file in flat:
        try:
            plain_parts(file.path)
        except RosterError:
            raise HandInError(f"expected paths within its folder, found {safe(file.path)[:100]!r}.") from None
        other = taken.setdefault(file.path.casefold(), file)
        if other is not file:
            raise HandInError(f"expected different names, found {safe(other.path)!r} and {safe(file.path)!r}.")
    return tuple(sorted(flat, key=lambda file: file.path))


def _inner(file: BotFile, room: _Room, depth: int) -> tuple[BotFile, ...]:
    if depth >= _MOST_DEPTH:
        raise HandInError(f"expected at most {counted(_MOST_DEPTH, 'archive')} within each other, found more.")
    try:
        with zipfile.ZipFile(BytesIO(file.content)) as archive:
            return _unpacked([_read(archive, info, name, room) for name, info in _entries(archive)], room, depth + 1)
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, IndexError):  # odd names, or none
        raise HandInError(f"expected a .zip archive, found something else: {safe(file.path)!r}.") from None
