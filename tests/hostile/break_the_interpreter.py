"""Takes apart the interpreter it runs in."""

import ctypes

EXPECT = "crash"


def attack(view):
    ctypes.memset(id(type(view)), 0xFF, 512)
