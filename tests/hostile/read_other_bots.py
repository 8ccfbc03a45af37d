"""Reads the files of other bots, which lie beside the league's own package."""

from pathlib import Path

import league

EXPECT = "contained"
EARLY = True

ROOT = Path(league.__file__).parents[1]


def attack(view):
    for path in (ROOT / "bots" / "random.py", ROOT / "tests" / "hostile" / "sleep.py", ROOT / "pyproject.toml"):
        try:
            path.read_text()
        except OSError:
            continue
        raise AssertionError(f"{path.name} could be read")
    for folder in (ROOT, ROOT / "bots", Path("/"), Path("/root"), Path("/home")):
        try:
            list(folder.iterdir())
        except OSError:
            continue
        raise AssertionError(f"{folder} could be listed")
