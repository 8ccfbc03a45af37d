"""Takes most of its memory, and ends its process, so that the next one takes it too."""

import os

EXPECT = "crash"

HOARD = []


def attack(view):
    HOARD.append(bytearray(12 << 20))
    os._exit(1)
