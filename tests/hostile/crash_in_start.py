"""Ends its process in `start`."""

import os

EXPECT = "crash"
HOOK = "start"


def attack(table):
    os._exit(1)
