"""Never stops before the game begins, in C code."""

import itertools

EXPECT = "timeout"
HOOK = "start"


def attack(table):
    max(itertools.repeat(1))
