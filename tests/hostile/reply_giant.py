"""Answers with a number of ten thousand digits."""

EXPECT = "illegal"


def attack(view):
    return 10**10_000
