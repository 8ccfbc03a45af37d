"""Doubles a text until it does not fit."""

EXPECT = "memory"


def attack(view):
    text = "x"
    while True:
        text += text
