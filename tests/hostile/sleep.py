"""Sleeps instead of deciding."""

import time

EXPECT = "timeout"


def attack(view):
    time.sleep(3600)
