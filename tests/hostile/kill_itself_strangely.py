"""Kills its own process with a signal that has no name; in the sandbox it ends it."""

import os

EXPECT = "crash"


def attack(view):
    try:
        os.kill(os.getpid(), 40)
    finally:
        os._exit(1)
