"""Reads memory that is not there."""

import ctypes

EXPECT = "crash"


def attack(view):
    ctypes.string_at(0)
