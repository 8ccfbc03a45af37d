"""Calls itself until the stack is full, with Python's own limit lifted."""

import sys

EXPECT = "crash"
EXPECT_SINCE_3_12 = "error"  # Python counts the calls of C code itself by now


def attack(view):
    sys.setrecursionlimit(1 << 30)
    return next(map(attack, [view]))  # through C code, which needs the stack
