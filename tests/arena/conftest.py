"""A small arena: one game, two bots of the staff, two authors."""

from pathlib import Path
from typing import Any

import pytest

from league.extensions.arena.folder import make_arena
from league.extensions.arena.ladder import Ladder
from league.extensions.arena.records import Participant
from league.extensions.arena.store import ArenaStore
from league.values.settings import Isolation

ROOT = Path(__file__).parents[2]
CONFIG = f"""
league: demo
bots: [{ROOT}/bots/random.py, {ROOT}/bots/raj_nearest.py]
games:
  - {{game: raj, players: 2, deals: 8}}
"""
HIGHEST = b"class Bot:\n    games = ('raj',)\n\n    def choose(self, view):\n        return max(view.legal)\n"
LOWEST = HIGHEST.replace(b"max", b"min")
FAILING = HIGHEST.replace(b"max(view.legal)", b"1 / 0")
PEOPLE: list[Any] = [
    ("Amy Miller", "amy", "", "author"),
    ("Bob Stone", "bob", "", "author"),
    ("Tom Frost", "tom", "", "assistant"),
    ("Lea Hill", "lea", "", "lecturer"),
]


def made(place: Path, config: str = CONFIG) -> ArenaStore:
    """An arena around a league."""
    (place / "demo.yaml").write_text(config)
    return make_arena(place / "arena", place / "demo.yaml")[0]


def invited(arena: ArenaStore, people: list[Any] = PEOPLE) -> dict[str, str]:
    """Codes by alias."""
    return {person.alias: code for person, code in arena.invite(people, "lecturer")}


def bearer(code: str) -> dict[str, str]:
    """The headers of somebody's program."""
    return {"authorization": f"Bearer {code}"}


def steps(arena: ArenaStore, most: int = 50) -> int:
    """Play rounds until there is nothing to do, or so many; returns how many."""
    ladder, done = Ladder(arena.folder, 1, Isolation.TRUSTED), 0
    while done < most and ladder.step(lambda: False):
        done += 1
    ladder.close()
    return done


@pytest.fixture
def arena(tmp_path) -> ArenaStore:
    return made(tmp_path)


@pytest.fixture
def authors(arena) -> list[Participant]:
    return [person for person, _ in arena.invite(PEOPLE[:2], "lecturer")]


@pytest.fixture
def codes(arena) -> dict[str, str]:
    return invited(arena)
