"""The bot of a name sits where the seating says, its moves are played there, and it gets its points and its blame."""

from collections import defaultdict
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from league import games
from league.plan.seating import circular_orders, dealt, seating_of
from league.values.block import Block
from tests.counting import tally_of
from tests.leagues import bot, heard, play, replays, series

NAMES = ("ann", "bob", "cid", "dot", "eve", "fay")
TABLES = [
    ("raj", 3),
    ("raj", 4),
    ("raj", 5),
    ("cheese_rescue", 3),
    ("cheese_rescue", 4),
    ("magillat", 4),
    ("magillat", 5),
]
SEVERAL = 4
"""Deals: of each two, the second has another circular order."""


def named(name: str, fails: str = "") -> str:
    """A bot that plays as nobody else does, and tells what it sees under its name."""
    return f"""
from tests.leagues import heard

class Bot:
    def start(self, table):
        self.seat = table.seat
        heard.append(({name!r}, "sits", table.seat))

    def choose(self, view):
        {"raise ValueError('oh')" if name == fails else "pass"}
        move = view.legal[({NAMES.index(name)} * 3 + len(view.legal) * {NAMES.index(name)} // 7) % len(view.legal)]
        heard.append(({name!r}, "sees", view.seat))
        heard.append(({name!r}, "moves", move))
        return move

    def finish(self, outcome):
        heard.append(({name!r}, "ends", (outcome.ranks[self.seat], outcome.scores[self.seat])))
"""


class Played:
    """One game, as the bots tell it and as the referee does."""

    def __init__(self, game: str, players: int, rotation: int, deal: int, fails: str = "", in_a_row: int = 1) -> None:
        self.names = NAMES[:players]
        self.told: defaultdict[tuple[str, str], list[Any]] = defaultdict(list)
        """(name, what) to what the bot had to tell."""
        bots = [bot(name, named(name, fails)) for name in self.names]
        self.series = series(bots, game, rotation=rotation, games_per_match=in_a_row)
        heard.clear()
        first = deal - deal % in_a_row
        self.result = play(Block(self.series, first, deal + 1), bots, at_fault=[fails])
        for name, what, value in heard:
            self.told[name, what].append(value)
        replay = replays(self.result)[-1]
        self.steps, self.outcome, self.lapses = replay.moves, replay.outcome, replay.faults
        self.seats = dict(zip(self.names, seating_of(self.series, deal).seats, strict=True))
        self.deal = deal

    def moves(self) -> dict[str, list[int]]:
        """Everybody's moves as they were played, by who sat there."""
        contest = self.series.contest
        state = games.make(contest.game, contest.players, contest.options).start(dealt(self.series, self.deal))
        at = {seat: name for name, seat in self.seats.items()}
        found: dict[str, list[int]] = {name: [] for name in self.names}
        for step in self.steps:
            for seat, move in zip(state.turn, step, strict=True):
                found[at[seat]].append(move)
            state.step(step)
        return found


@cache
def all_seatings(game, players):
    """Several deals in every rotation."""
    return [Played(game, players, rotation, deal) for deal in range(SEVERAL) for rotation in range(players)]


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_the_named_bot_saw_that_seat_and_made_those_moves(game, players):
    for one in all_seatings(game, players):
        moves = one.moves()
        for name, seat in one.seats.items():
            assert one.told[name, "sits"] == [seat]
            assert set(one.told[name, "sees"]) == {seat}
            assert one.told[name, "moves"] == moves[name]


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_the_named_bot_got_those_points_and_that_place(game, players):
    different = 0
    for one in all_seatings(game, players):
        ends = [one.told[name, "ends"] for name in one.names]
        ranks, points = zip(*(end for (end,) in ends), strict=True)
        (ranking,) = tally_of(one.result).rankings
        assert ranking == (one.deal, seating_of(one.series, one.deal).number, ranks, 1)
        assert tally_of(one.result).points == ((one.deal, points),)
        assert tally_of(one.result).histogram == tuple((entrant, score, 1) for entrant, score in enumerate(points))
        assert ranks == tuple(one.outcome.ranks[one.seats[name]] for name in one.names)
        assert points == tuple(one.outcome.scores[one.seats[name]] for name in one.names)
        different += len(set(points)) > 1
    assert different > len(all_seatings(game, players)) / 2, "or nobody could tell whose points they are"


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_the_named_bot_took_the_blame(game, players):
    for deal in range(2):
        for rotation in range(players):
            fails = NAMES[(deal + rotation) % players]
            one = Played(game, players, rotation, deal, fails)
            (fault,) = one.result.faults
            assert (fault.bot, fault.address) == (fails, str(one.series.address(deal)))
            (ranking,) = tally_of(one.result).rankings
            assert [rank == players - 1 for rank in ranking.ranks] == [name == fails for name in one.names]
            assert [lapse.seat for lapse in one.lapses] == [one.seats[fails]]
            assert not one.told[fails, "ends"]
            played = one.moves()
            assert all(one.told[name, "moves"] == played[name] for name in one.names if name != fails)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_in_a_match_everybody_goes_on_to_the_next_seat(players):
    """The seats, the moves and the places of its last game are those of that game."""
    for match in range(2):
        for rotation in range(players):
            one = Played("raj", players, rotation, 3 * match + 2, in_a_row=3)
            for name, seat in one.seats.items():
                sat = one.told[name, "sits"]
                assert sat[-1] == seat
                assert all((then + 1) % players == now for then, now in pairwise(sat))
            ranks = [one.told[name, "ends"][-1][0] for name in one.names]
            number = seating_of(one.series, one.deal).number
            assert (match, number, tuple(ranks)) in [ranking[:3] for ranking in tally_of(one.result).rankings]


@pytest.mark.parametrize("players", [3, 4])
def test_random_moves_for_a_bot_at_fault_are_of_that_deal_rotation_and_name(players):
    """A seed that left one of them out would play the same moves again. In Raj all have the same cards."""
    played = {
        (deal, rotation, fails): tuple(Played("raj", players, rotation, deal, fails).moves()[fails])
        for deal in range(2)
        for rotation in range(players)
        for fails in NAMES[:players]
    }
    assert len(set(played.values())) == len(played)


def test_these_deals_have_several_circular_orders():
    for players in (3, 4, 5):
        assert len(set(circular_orders(players)[:SEVERAL])) == min(SEVERAL, len(circular_orders(players))) > 1
