"""A cache of solutions on disk, by what was solved.

They are kept in the cache folder. A file's name holds a hash of hands, target and everything that the rules say about a
round, so a change of the rules finds no old table.
"""

from __future__ import annotations

import io
import zipfile
from hashlib import blake2b
from pathlib import Path

import numpy as np

from league.games.braverats import BraveRats
from league.games.braverats.rules import Cards
from league.solve.braverats.induction import Level, Solution
from league.solve.braverats.positions import Ints, verdicts
from league.tools.files import cache_folder, write_bytes

FORMAT = 1
"""The version of the file format."""


def file_of(hands: tuple[Cards, Cards], target: int) -> Path:
    """The file for the solution of a game."""
    content = blake2b(digest_size=12)
    content.update(repr((FORMAT, BraveRats.version, hands, target)).encode())
    for column in verdicts():
        content.update(column.tobytes())
    return cache_folder() / "solve" / f"braverats-{content.hexdigest()}.npz"


def save(solution: Solution) -> Path:
    """Save a solution; returns its file."""
    path = file_of(solution.hands, solution.target)
    arrays: dict[str, Ints] = {}
    for number, level in enumerate(solution.levels):
        arrays[f"positions{number}"] = level.positions
        arrays[f"values{number}"] = level.values.view(np.int64)
    written = io.BytesIO()
    np.savez(written, **arrays)  # type: ignore[arg-type] # its other argument is a bool
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, written.getvalue())
    return path


def load(hands: tuple[Cards, Cards], target: int) -> Solution | None:
    """The solution of a game, if it was saved and can be read."""
    try:
        with np.load(io.BytesIO(file_of(hands, target).read_bytes()), allow_pickle=False) as arrays:
            count = len(arrays.files) // 2
            levels = [
                Level(arrays[f"positions{number}"], arrays[f"values{number}"].view(np.float64))
                for number in range(count)
            ]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    return Solution(hands, target, tuple(levels)) if levels else None
