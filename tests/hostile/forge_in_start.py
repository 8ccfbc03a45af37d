"""Writes stray bytes into the league's channel before the game begins."""

import os

EXPECT = "protocol"
HOOK = "start"


def attack(table):
    os.write(3, b"\x00" * 64)
