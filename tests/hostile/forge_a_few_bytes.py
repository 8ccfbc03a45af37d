"""Writes less than the head of an answer into the league's channel, and plays on."""

import os

EXPECT = "protocol"


def attack(view):
    os.write(3, b"\x01\x00\x00\x00\x01")
