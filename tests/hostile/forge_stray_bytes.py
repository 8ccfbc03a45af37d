"""Writes a few stray bytes into the league's channel, and plays on."""

import os

EXPECT = "protocol"


def attack(view):
    os.write(3, b"\xab" * 64)
