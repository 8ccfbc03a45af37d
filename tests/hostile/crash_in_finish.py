"""Ends its process in `finish`, when the game is over."""

import os

EXPECT = "crash"
HOOK = "finish"


def attack(outcome):
    os._exit(1)
