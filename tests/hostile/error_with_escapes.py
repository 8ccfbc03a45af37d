"""Raises an error whose message would clear the reader's screen, and go on for pages."""

EXPECT = "error"


def attack(view):
    raise ValueError("\x1b[2J\x1b[H\r\n\u202e" + "boo " * 100_000)
