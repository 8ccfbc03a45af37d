"""Computes a number that takes hours, in one operation."""

EXPECT = "timeout"


def attack(view):
    return len(str(7 ** (7**11)))
