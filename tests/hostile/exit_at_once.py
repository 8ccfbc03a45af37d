"""Ends its process without a word."""

import os

EXPECT = "crash"


def attack(view):
    os._exit(0)
