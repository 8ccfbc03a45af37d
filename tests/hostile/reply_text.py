"""Answers with a text."""

EXPECT = "illegal"


def attack(view):
    return "7"
