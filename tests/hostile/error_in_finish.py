"""Raises in `finish`, when the game is over."""

EXPECT = "error"
HOOK = "finish"


def attack(outcome):
    raise ValueError("sore loser")
