"""Writes half an answer, and ends."""

import os

EXPECT = "crash"


def attack(view):
    os.write(3, b"\x00" * 3)
    os._exit(0)
