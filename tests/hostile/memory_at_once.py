"""Asks for more memory than there is, at once."""

EXPECT = "memory"


def attack(view):
    bytearray(1 << 36)
