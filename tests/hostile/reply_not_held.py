"""Bids a card that it does not hold."""

EXPECT = "illegal"


def attack(view):
    return 99
