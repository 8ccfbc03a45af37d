"""Asks for ever more memory, in small pieces."""

EXPECT = "memory"


def attack(view):
    hoard = []
    while True:
        hoard.append(bytearray(100_000))
