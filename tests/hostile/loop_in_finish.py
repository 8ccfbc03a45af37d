"""Never comes back from `finish`, when the game is over."""

EXPECT = "timeout"
HOOK = "finish"


def attack(outcome):
    while True:
        pass
