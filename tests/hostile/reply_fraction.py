"""Answers with a float that is equal to a legal move."""

EXPECT = "illegal"


def attack(view):
    return float(view.legal[0])
