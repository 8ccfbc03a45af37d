"""Sleeps when the game is over."""

import time

EXPECT = "timeout"
HOOK = "finish"


def attack(outcome):
    time.sleep(3600)
