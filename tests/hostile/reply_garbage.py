"""Writes garbage into the league's channel."""

import os

EXPECT = "protocol"


def attack(view):
    os.write(3, b"\xff" * 4096)
    while True:
        pass
