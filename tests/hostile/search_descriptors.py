"""Looks for descriptors that were left open."""

import os

EXPECT = "contained"
EARLY = True

NOWHERE_AND_CHANNEL = {0, 1, 2, 3}


def attack(view):
    found = set()
    for descriptor in range(1024):
        try:
            os.fstat(descriptor)
        except OSError:
            continue
        found.add(descriptor)
    assert found <= NOWHERE_AND_CHANNEL, found
