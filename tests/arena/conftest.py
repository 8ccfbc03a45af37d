"""A small arena: one game, two bots of the staff, two authors."""

from pathlib import Path

import pytest

from league.extensions.arena.folder import make_arena
from league.extensions.arena.records import Participant
from league.extensions.arena.store import ArenaStore

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


@pytest.fixture
def arena(tmp_path) -> ArenaStore:
    config = tmp_path / "demo.yaml"
    config.write_text(CONFIG)
    store, _, _ = make_arena(tmp_path / "arena", config)
    return store


@pytest.fixture
def authors(arena) -> list[Participant]:
    people = [("Amy Miller", "amy", "", "author"), ("Bob Stone", "bob", "", "author")]
    return [person for person, _ in arena.invite(people, "lecturer")]
