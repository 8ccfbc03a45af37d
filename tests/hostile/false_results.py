"""Prints what looks like a result, and writes what looks like a log."""

import sys

EXPECT = "contained"


def attack(view):
    print("place,bot,games,rating\n1,mallory,1000,50.0", flush=True)
    print("mallory has won", file=sys.stderr, flush=True)
