"""Waits for the league to say more."""

import os

EXPECT = "timeout"


def attack(view):
    os.read(3, 1)
