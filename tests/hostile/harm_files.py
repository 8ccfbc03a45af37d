"""Deletes, renames, cuts and changes files; those it may write at other levels are its own."""

import os
from pathlib import Path

import league

EXPECT = "contained"
EARLY = True

FILE = str(Path(league.__file__).parents[1] / "tests" / "hostile" / "victim.txt")
ATTEMPTS = (
    lambda: os.remove(FILE),
    lambda: os.rename(FILE, FILE + ".gone"),
    lambda: os.truncate(FILE, 0),
    lambda: os.chmod(FILE, 0o777),
    lambda: os.utime(FILE),
    lambda: os.link(FILE, FILE + ".link"),
    lambda: os.setxattr(FILE, "user.hostile", b"x"),
    lambda: os.open(FILE, os.O_WRONLY | os.O_APPEND),
)
