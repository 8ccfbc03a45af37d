"""Writes megabytes into the league's channel."""

import os

EXPECT = "protocol"


def attack(view):
    while True:
        os.write(3, b"\x00" * 65536)
