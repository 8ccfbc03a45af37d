"""Copies of one bot under different names are equals, in every game at every table size: no name is worth a seat."""

from pathlib import Path
from typing import Any

import pytest

from league.plan import seating
from league.play.worker import Team, Worker
from league.results.compare import Difference, compare
from league.results.games import games_of
from league.results.standings import Standings
from league.results.tallies import Results
from league.values.block import Block, Series
from league.values.settings import Isolation, Limits, Rating
from tests.leagues import DICE, bot, contest

BOTS = Path(__file__).parents[2] / "bots"
pytestmark = pytest.mark.slow

DEALS = {"raj": 48, "braverats": 48, "cheese_rescue": 96, "magillat": 48}
"""Whole cycles of circular orders at up to five players; at six, a part that is nearly balanced."""
TABLES = {
    "raj": ((2, 3, 4, 5), ("raj_habits", "stubborn", "raj_nearest")),
    "braverats": ((2,), ()),
    "cheese_rescue": ((2, 3, 4), ("random", "stubborn")),
    "magillat": ((3, 4, 5, 6), ("random", "stubborn", "tale_envy", "tale_collector")),
}
"""The sizes of each game, and who else sits at the table: each of another kind, so that it matters whose neighbour
one is."""
COPIED = {"raj": DICE, "braverats": DICE, "cheese_rescue": "cheese_greedy", "magillat": "tale_habits"}


def read(name: str) -> str:
    return (BOTS / f"{name}.py").read_text() if (BOTS / f"{name}.py").exists() else name


def lead_of_amy(game: str, players: int) -> Difference:
    """The rating of one copy minus that of the other, after a league of one table."""
    others = TABLES[game][1][: players - 2]
    bots = [bot(name, read(COPIED[game])) for name in ("amy", "bea")]
    bots += [bot(f"with_{name}", read(name)) for name in others]
    one = contest(game, players)
    lineup = tuple(sorted(each.entrant() for each in bots))
    results = Results([one], {each.name: [one.key] for each in bots}, Rating())
    worker = Worker(Team(tuple(bots), Isolation.TRUSTED, Limits()))
    for rotation in range(players):
        results.add(
            games_of(
                worker.play(Block(Series(one, lineup, rotation, 5, Limits(), luck_follows="seed"), 0, DEALS[game]))
            )
        )
    assert not any(results.contests[one.key].faults)
    return compare(Standings(results), "amy", "bea").overall.rating


@pytest.fixture
def by_name(monkeypatch):
    """Seats in the order of the names, only turned by rotations."""
    monkeypatch.setattr(seating, "circular_orders", lambda players: (tuple(range(players)),))
    seating.seatings.cache_clear()
    yield
    seating.seatings.cache_clear()


def tables() -> list[Any]:
    """Every game at every size; the one that takes longest is for `make soak`."""
    return [
        pytest.param(game, size, marks=[pytest.mark.soak] if size == 4 and game == "cheese_rescue" else [])
        for game, (sizes, _) in TABLES.items()
        for size in sizes
    ]


@pytest.mark.parametrize(("game", "players"), tables())
def test_copies_get_equal_ratings_within_their_error(game, players):
    assert not lead_of_amy(game, players).settled


@pytest.mark.usefixtures("by_name")
@pytest.mark.parametrize("players", [3, pytest.param(4, marks=pytest.mark.soak)])
def test_seats_in_the_order_of_names_would_be_found_out(players):
    """In Cheese Rescue it matters who sits to whose left."""
    assert lead_of_amy("cheese_rescue", players).settled
