"""Asks for ever more shared memory."""

import mmap

EXPECT = "memory"


def attack(view):
    hoard = []
    while True:
        hoard.append(mmap.mmap(-1, 1 << 26))
