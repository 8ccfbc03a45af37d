"""Calls itself until Python has enough."""

EXPECT = "error"


def attack(view):
    return attack(view)
