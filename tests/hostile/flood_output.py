"""Prints without end, and writes straight to its output too."""

import os
import sys

EXPECT = "contained"


def attack(view):
    for _ in range(50):
        print("x" * 10_000)
        print("y" * 10_000, file=sys.stderr)
        os.write(1, b"z" * 10_000)
        os.write(2, b"z" * 10_000)
