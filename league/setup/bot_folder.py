"""A bot's folder as values: reads, hashes and writes every file that belongs to the bot.

The folder is read through descriptors and no link is followed, so nothing outside of it can get in, not even if the
folder changes meanwhile. Hidden files, `__pycache__` and what editors leave behind do not belong to the bot.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from errno import ELOOP
from fnmatch import fnmatchcase
from hashlib import blake2b
from pathlib import Path

import msgspec

from league.errors import RosterError
from league.setup.bot_source import UnfitError, is_utf8
from league.tools.system import NONBLOCK, Folder, inside, open_inside, opened_folder, walk
from league.values.settings import FOLDER_MB

MAIN_FILES = ("bot.py", "bot.toml")
"""One of them makes a folder a bot."""
MOST_FILES = 10_000
MOST_NAME_BYTES, MOST_PATH_BYTES = 255, 2000


class BotFile(msgspec.Struct, frozen=True):
    """A file of a bot's folder."""

    path: str
    hash: str
    executable: bool = False
    content: bytes = b""
    """Empty where bots are only listed."""


def main_file(folder: Path) -> str | None:
    """The name of the file that makes a folder a bot; None if there is none."""
    present = [name for name in MAIN_FILES if os.path.lexists(folder / name)]
    if len(present) > 1:
        raise UnfitError(0, f"expected either {' or '.join(MAIN_FILES)}, found both. Rename one of them.")
    return present[0] if present else None


def read_folder(folder: Path, most_mb: int = FOLDER_MB) -> tuple[BotFile, ...]:
    """All files of a bot's folder, by path; raises `UnfitError` for what cannot belong to a bot."""
    files: list[BotFile] = []
    room = most_mb << 20
    try:
        for path, name, directory in _entries(folder):
            if len(files) >= MOST_FILES:
                raise UnfitError(0, f"expected a folder of at most {MOST_FILES:,} files, found more.")
            content, executable = _read(path, name, directory, room)
            room -= len(content)
            if room < 0:
                hint = "A config can allow more: limits: {folder_mb: …}."
                raise UnfitError(0, f"expected a folder of at most {most_mb:,} MB, found more. {hint}")
            files.append(BotFile(path, content_hash(content), executable, content))
    except OSError as problem:
        raise UnfitError(0, f"its folder cannot be read: {problem.strerror}.") from None
    except RecursionError:
        raise UnfitError(0, "expected a bot, found folders nested hundreds of levels deep.") from None
    return tuple(sorted(files, key=lambda file: file.path))


def folder_hash(files: Iterable[BotFile]) -> str:
    """The hash of a folder's content: paths, contents and which files are executable, and nothing else."""
    digest = blake2b(digest_size=16)
    for file in files:
        digest.update(f"{file.path}\0{'x' if file.executable else '-'}{file.hash}\n".encode())
    return digest.hexdigest()


def expanded(command: Sequence[str], files: Iterable[BotFile]) -> tuple[str, ...]:
    """A command whose patterns, such as `*.java` and `src/**/*.java`, are replaced by the files that match them.

    Options, which begin with `-`, stay as they are. Raises `UnfitError` for a pattern that no file matches.
    """
    words: list[str] = []
    paths = sorted(file.path for file in files)
    for word in command:
        if word.startswith("-") or not set("*?") & set(word):
            words.append(word)
            continue
        matching = [path for path in paths if _matches(path.split("/"), word.split("/"))]
        if not matching:
            raise UnfitError(0, f"expected files that match {word!r} in its folder, found none.")
        words += matching
    return tuple(words)


def _matches(path: Sequence[str], pattern: Sequence[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_matches(path[skipped:], pattern[1:]) for skipped in range(len(path) + 1))
    return bool(path) and fnmatchcase(path[0], pattern[0]) and _matches(path[1:], pattern[1:])


def content_hash(content: bytes) -> str:
    """The hash of a file's content, in hexadecimal."""
    return blake2b(content, digest_size=16).hexdigest()


def write_folder(files: Iterable[BotFile], folder: Path) -> None:
    """Write the files below a folder that has none of them; raises `RosterError` if they are not what they claim.

    The files may come from a stranger. Every step of a path is opened by its name in the folder before it, and no link
    is followed, so nothing is written elsewhere whatever the paths are.
    """
    for file in files:
        *parents, name = plain_parts(file.path)
        if content_hash(file.content) != file.hash:
            raise RosterError(f"The content of {file.path!r} does not match its hash.")
        mode = 0o755 if file.executable else 0o644
        try:
            for number, parent in enumerate(parents):
                with opened_folder(folder, *parents[:number]) as above, suppress(FileExistsError):
                    os.mkdir(**inside(above, parent))
            with (
                opened_folder(folder, *parents) as directory,
                open(open_inside(directory, name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as written,
            ):
                written.write(file.content)
        except (FileExistsError, NotADirectoryError):
            raise RosterError(f"Expected files with different paths, found {file.path!r} twice.") from None


def plain_parts(path: str) -> list[str]:
    """The steps of a path that leads from a folder to a file below it; raises `RosterError` for any other path."""
    parts = path.split("/")
    sizes = [len(part.encode(errors="replace")) for part in parts]
    too_long = max(sizes) > MOST_NAME_BYTES or sum(sizes) + len(sizes) > MOST_PATH_BYTES
    if too_long or {"", ".", ".."}.intersection(parts) or "\0" in path or not is_utf8(path):
        raise RosterError(f"Expected a path inside a bot's folder, found {path[:200]!r}. Nothing was written there.")
    return parts


def _entries(folder: Path) -> Iterator[tuple[str, str, Folder]]:
    """Every file and link of a folder that belongs to the bot: its path, its name, and its folder, open."""
    top = os.path.realpath(folder)  # where the folder itself may be is up to the caller
    for root, folders, files, directory in walk(top, _raise):
        folders[:] = sorted(name for name in folders if _belongs(name))
        linked = [name for name in folders if stat.S_ISLNK(os.lstat(**inside(directory, name)).st_mode)]
        for name in sorted([*files, *linked]):
            if _belongs(name):
                path = os.path.relpath(os.path.join(root, name), top).replace(os.sep, "/")
                yield _checked(path), name, directory


def _belongs(name: str) -> bool:
    """Whether a file or folder of this name is part of a bot."""
    left_by_an_editor = name.endswith("~") or (name.startswith("#") and name.endswith("#"))
    return not (name.startswith(".") or name == "__pycache__" or left_by_an_editor)


def _checked(path: str) -> str:
    if not is_utf8(path):
        raise UnfitError(0, f"expected file names in UTF-8, found {path!r} in its folder. Rename the file.")
    if len(path.encode()) >= MOST_PATH_BYTES:
        what = f"expected paths of less than {MOST_PATH_BYTES:,} bytes in its folder, found a longer one"
        raise UnfitError(0, f"{what}: {path[:80]!r}….")
    return path


def _read(path: str, name: str, directory: Folder, room: int) -> tuple[bytes, bool]:
    """Content of a file, of which at most one byte more than there is room for, and whether it is executable."""
    try:
        descriptor = open_inside(directory, name, os.O_RDONLY | NONBLOCK)
    except OSError as problem:
        why = "is a link. Copy the file there" if problem.errno == ELOOP else f"cannot be read: {problem.strerror}"
        raise UnfitError(0, f"its file {path!r} {why}.") from None
    with open(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise UnfitError(0, f"expected files in its folder, found something else: {path!r}.")
        return file.read(room + 1), bool(mode & stat.S_IXUSR)


def _raise(problem: OSError) -> None:
    raise problem
