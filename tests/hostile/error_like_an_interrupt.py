"""Pretends that the user has pressed the interrupt key."""

EXPECT = "error"


def attack(view):
    raise KeyboardInterrupt
