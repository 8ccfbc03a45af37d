"""Claims on the page that it shares with the league to have printed gigabytes, none of which is text."""

import sys

EXPECT = "contained"


def attack(view):
    page = sys.stdout.buffer.shared
    page[:] = b"\xff" * len(page)
