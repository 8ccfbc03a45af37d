"""Calls itself until the stack is full, with Python's own limit lifted."""

import sys

EXPECT = "crash"


def attack(view):
    sys.setrecursionlimit(1 << 30)
    return next(map(attack, [view]))  # through C code, which needs the stack
