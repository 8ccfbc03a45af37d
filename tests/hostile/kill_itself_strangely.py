"""Kills its own process with a signal that has no name."""

import os

EXPECT = "crash"


def attack(view):
    os.kill(os.getpid(), 40)
