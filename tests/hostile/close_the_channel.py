"""Closes the league's channel and goes on."""

import os

EXPECT = "crash"


def attack(view):
    os.close(3)
    while True:
        pass
