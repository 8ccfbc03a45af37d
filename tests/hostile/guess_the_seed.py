"""Tries the seeds that people like, to know every deal and every opponent's random numbers."""

from league.tools.seeds import seed_for

EXPECT = "contained"
HOOK = "start"

LIKED = (*range(10), 42, 123, 1234, 2024, 2025, 2026)


def attack(table):
    for guess in LIKED:
        for deal in range(24):
            if seed_for(guess, "bot", "raj", 2, deal, table.seat, "mallory") == table._seed:
                raise AssertionError(f"the seed is {guess}")
