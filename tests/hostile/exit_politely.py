"""Raises SystemExit."""

import sys

EXPECT = "error"


def attack(view):
    sys.exit(0)
