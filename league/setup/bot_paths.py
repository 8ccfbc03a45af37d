"""Where bots are: the files and folders that match the patterns of a config, by their names."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path

from league.errors import LeagueError, RosterError
from league.setup.bot_folder import MAIN_FILES
from league.setup.bot_source import MAX_BYTES, UnfitError, read_python
from league.tools.files import read_bytes
from league.tools.text import nearest_file, shown_path

SUFFIXES = (".py", ".toml")


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
            hint = nearest_file(path, _beside(path))
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


def _beside(path: Path) -> list[Path]:
    """The files and folders beside a path."""
    try:
        return sorted(path.parent.iterdir())
    except OSError:
        return []


def _has_bots(folder: Path) -> bool:
    """Whether a folder has bots in it, so that a file `bot.py` does not make it a bot itself."""
    others = [path for path in in_folder(folder) if path.name not in MAIN_FILES]
    return any(path.suffix == ".toml" or os.path.isdir(path) or _is_python_bot(path) for path in others)


def _is_python_bot(path: Path) -> bool:
    try:
        read_python(read_bytes(path, MAX_BYTES))
    except (LeagueError, UnfitError):
        return False
    return True


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
