"""Never comes back from C code, where no Python exception can be raised."""

from itertools import repeat

EXPECT = "timeout"


def attack(view):
    max(repeat(1))
