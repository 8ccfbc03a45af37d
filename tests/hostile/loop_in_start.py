"""Never comes back from `start`."""

EXPECT = "timeout"
HOOK = "start"


def attack(table):
    while True:
        pass
