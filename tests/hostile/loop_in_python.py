"""Never stops thinking."""

EXPECT = "timeout"


def attack(view):
    while True:
        pass
