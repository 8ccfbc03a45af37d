"""Answers with an int of its own kind, which is equal to whatever it is compared to."""

EXPECT = "illegal"


class Liar(int):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __index__(self):
        return 15


def attack(view):
    return Liar(15)
