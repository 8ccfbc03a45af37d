"""Writes stray bytes into the league's channel when the game is over."""

import os

EXPECT = "protocol"
HOOK = "finish"


def attack(outcome):
    os.write(3, b"\xff" * 13)
