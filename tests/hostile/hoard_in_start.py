"""Takes all memory before the game begins."""

EXPECT = "memory"
HOOK = "start"


def attack(table):
    return len(bytearray(1 << 36))
