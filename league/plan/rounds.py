"""A league as a stream of rounds: all lineups of all contests advance together.

A round adds some deals, in every seat rotation, for every lineup of every contest. The first ones are small, so that
there are standings of everything early; later ones grow, so that starting bots costs little. Whenever a league stops,
every lineup has played what every other has, but for the round under way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from math import ceil
from typing import Protocol

import msgspec

from league.plan.coverage import ContestProgress, Coverage, LeagueProgress
from league.plan.lineups import Lineups
from league.plan.pace import BLOCK_GAMES, Pace
from league.plan.schedule import Fixture, Plan, Portion
from league.values.block import Block, Series

FIRST_ENDS = (2, 8, 32, 64, 128)
"""After how many matches of each lineup the first rounds end: even numbers, since seats are mirrored in turns."""
GROWTH = 1.5
"""Each later round brings the matches to this multiple of what they were."""
LAST_END = 2 / 3
"""A round that would end beyond this part of all matches is joined with the last one."""


class Round(Protocol):
    """A part of a league that is played before the next one begins."""

    @property
    def number(self) -> int:
        """From 1."""

    def portions(self, plan: Plan) -> Iterable[Portion]:
        """What it plays, in an order in which all contests and all bots advance together."""

    def missing(self, coverage: Coverage) -> list[int]:
        """How many of its games have not been played, by fixture."""


class EqualRound(msgspec.Struct, frozen=True):
    """A round in which every lineup of a contest plays the same deals."""

    number: int
    stops: tuple[int, ...]
    """By fixture: the deals before this one have been played when the round is over."""

    def portions(self, plan: Plan) -> Iterator[Portion]:
        """All lineups, those of different contests in turns."""
        streams = [_in_turns(at, fixture.lineups) for at, fixture in enumerate(plan.fixtures)]
        for _, fixture, rank in merge(*streams):
            yield Portion(fixture, rank, (0, self.stops[fixture]))

    def missing(self, coverage: Coverage) -> list[int]:
        """How many of its games have not been played, by fixture."""
        fixtures = zip(coverage.plan.fixtures, self.stops, strict=True)
        return [fixture.games_up_to(stop) - coverage.games(at, stop) for at, (fixture, stop) in enumerate(fixtures)]


class ChosenRound(msgspec.Struct, frozen=True):
    """A round whose lineups and deals were chosen one by one."""

    number: int
    chosen: tuple[Portion, ...]

    def portions(self, plan: Plan) -> Iterator[Portion]:
        """As they were chosen."""
        return iter(self.chosen)

    def missing(self, coverage: Coverage) -> list[int]:
        """How many of its games have not been played, by fixture."""
        games = [0] * len(coverage.plan.fixtures)
        for fixture, rank, deals in self.chosen:
            for rotation in range(coverage.plan.fixtures[fixture].contest.players):
                games[fixture] += sum(stop - first for first, stop in coverage.missing(fixture, rank, rotation, deals))
        return games


def rounds_of(plan: Plan) -> Sequence[Round]:
    """The rounds of a plan; of one whose rounds are chosen on the way, those that are known."""
    if plan.chosen is not None:
        return [ChosenRound(number, portions) for number, portions in enumerate(plan.chosen, 1)]
    ends = [round_ends(fixture) for fixture in plan.fixtures]
    count = max(len(one) for one in ends)
    return [EqualRound(at + 1, tuple(one[min(at, len(one) - 1)] for one in ends)) for at in range(count)]


def round_ends(fixture: Fixture) -> list[int]:
    """The deals at which the rounds of one contest end, the last one being all of them."""
    per_match = fixture.contest.games_per_match
    matches = fixture.event.deals // per_match
    return [end * per_match for end in _ends(matches) if end <= LAST_END * matches] + [fixture.event.deals]


def progress(coverage: Coverage) -> LeagueProgress:
    """How far a league is."""
    plan = coverage.plan
    rounds = rounds_of(plan)
    complete = 0
    for one in rounds:
        if any(one.missing(coverage)):
            break
        complete = one.number
    contests = [
        ContestProgress(fixture.contest.key, coverage.games(at), fixture.games)
        for at, fixture in enumerate(plan.fixtures)
    ]
    return LeagueProgress(complete, len(rounds), tuple(contests), plan.open)


def expected_blocks(coverage: Coverage) -> int:
    """About how many blocks are still to be played of a plan in which all lineups play all deals."""
    found = 0.0
    ends, before = [0] * len(coverage.plan.fixtures), [0] * len(coverage.plan.fixtures)
    for one in rounds_of(coverage.plan):
        if not isinstance(one, EqualRound):
            return 0
        missing = one.missing(coverage)
        for at, stop in enumerate(one.stops):
            if deals := stop - ends[at]:
                found += (missing[at] - before[at]) / deals * ceil(deals / BLOCK_GAMES)
        ends, before = list(one.stops), missing
    return round(found)


class Feed:
    """The blocks of a league as workers ask for them, round after round: nothing is listed ahead."""

    def __init__(self, coverage: Coverage, pace: Pace) -> None:
        self._coverage = coverage
        self._pace = pace
        self._under_way: dict[Block, tuple[int, int]] = {}
        """Fixture and rank of the blocks that were handed out."""
        self._given_up: set[Series] = set()
        """What could not be played is not tried again."""

    def blocks(self, rounds: Iterable[Round]) -> Iterator[Block | None]:
        """What is missing of each round; None as long as the round's last blocks are under way.

        The next round is asked for when the one before is complete.
        """
        for one in rounds:
            for portion in one.portions(self._coverage.plan):
                yield from self._missing(portion)
            while self.is_waiting:
                yield None

    @property
    def is_waiting(self) -> bool:
        """Whether blocks that were handed out are under way."""
        return bool(self._under_way)

    def take_back(self, block: Block) -> None:
        """A block is not played after all."""
        del self._under_way[block]

    def over(self, block: Block, *, played: bool) -> None:
        """A block that was handed out is over; if it could not be played, its series is given up."""
        fixture, rank = self._under_way.pop(block)
        if played:
            self._coverage.add(fixture, rank, block.series.rotation, (block.first, block.stop))
        else:
            self._given_up.add(block.series)

    def _missing(self, portion: Portion) -> Iterator[Block]:
        plan = self._coverage.plan
        fixture, rank, deals = portion
        for rotation in range(plan.fixtures[fixture].contest.players):
            missing = self._coverage.missing(fixture, rank, rotation, deals)
            series = plan.series(fixture, rank, rotation)
            for first, stop in missing if series not in self._given_up else ():
                for block in self._pace.cut(series, first, stop):
                    self._under_way[block] = fixture, rank
                    yield block


def _in_turns(fixture: int, lineups: Lineups) -> Iterator[tuple[float, int, int]]:
    """The lineups of a fixture, each with how far the fixture is when it has its turn."""
    return ((at / len(lineups), fixture, rank) for at, rank in enumerate(lineups.in_turns()))


def _ends(matches: int) -> Iterator[int]:
    """The numbers of matches at which rounds end, below the number given."""
    yield from (end for end in FIRST_ENDS if end < matches)
    end = FIRST_ENDS[-1]
    while (end := int(end * GROWTH / 2) * 2) < matches:
        yield end
