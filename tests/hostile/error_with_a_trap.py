"""Raises an error whose message cannot be had."""

EXPECT = "error"


class Trap(Exception):
    def __str__(self):
        raise Trap

    __repr__ = __str__


def attack(view):
    raise Trap
