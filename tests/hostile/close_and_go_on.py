"""Closes the league's channel, and plays on as if nothing had happened."""

import os

EXPECT = "crash"


def attack(view):
    os.close(3)
