"""Answers True, which is equal to 1 but is no int."""

EXPECT = "illegal"


def attack(view):
    return True
