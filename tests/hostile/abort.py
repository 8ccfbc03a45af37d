"""Aborts its process."""

import os

EXPECT = "crash"


def attack(view):
    os.abort()
