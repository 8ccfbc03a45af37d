"""A league as a stream of rounds: all lineups of all contests advance together.

A round adds some deals, in every seat rotation, for every lineup of every contest. The first ones are small, so that
there are standings of everything early; later ones grow, so that starting bots costs little. Whenever a league stops,
every lineup has played what every other has, except in the round under way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

import msgspec

from league.plan.costs import Costs
from league.plan.coverage import ContestProgress, Coverage, LeagueProgress
from league.plan.lineups import gathered
from league.plan.schedule import Fixture, Plan, Portion

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

    def batches(self, plan: Plan, fixture: int, bots: int) -> Iterator[list[Portion]]:
        """What it plays of a fixture, in batches of so many bots at most, which meet often."""

    def missing(self, coverage: Coverage) -> list[int]:
        """How many of its games have not been played, by fixture."""


class EqualRound(msgspec.Struct, frozen=True):
    """A round in which every lineup of a contest plays equally many deals."""

    number: int
    stops: tuple[int, ...]
    """By fixture: the deals before this one have been played when the round is over."""

    def batches(self, plan: Plan, fixture: int, bots: int) -> Iterator[list[Portion]]:
        for ranks in plan.fixtures[fixture].lineups.batches(bots):
            yield [Portion(fixture, rank, (0, self.stops[fixture])) for rank in ranks]

    def missing(self, coverage: Coverage) -> list[int]:
        fixtures = zip(coverage.plan.fixtures, self.stops, strict=True)
        return [
            fixture.games_up_to(stop) - coverage.games(index, stop) for index, (fixture, stop) in enumerate(fixtures)
        ]


class ChosenRound(msgspec.Struct, frozen=True):
    """A round whose lineups and deals were chosen one by one."""

    number: int
    chosen: tuple[Portion, ...]

    def batches(self, plan: Plan, fixture: int, bots: int) -> Iterator[list[Portion]]:
        lineups = plan.fixtures[fixture].lineups
        portions = {lineups[portion.rank]: portion for portion in self.chosen if portion.fixture == fixture}
        return ([portions[lineup] for lineup in batch] for batch in gathered(portions, bots))

    def missing(self, coverage: Coverage) -> list[int]:
        games = [0] * len(coverage.plan.fixtures)
        for portion in self.chosen:
            games[portion.fixture] += coverage.missing_games(portion)
        return games


def rounds_of(plan: Plan) -> Sequence[Round]:
    """The rounds of a plan; of one whose rounds are chosen on the way, those that are known."""
    if plan.chosen is not None:
        return [ChosenRound(number, portions) for number, portions in enumerate(plan.chosen, 1)]
    ends = [round_ends(fixture) for fixture in plan.fixtures]
    count = max(map(len, ends))
    return [EqualRound(index + 1, tuple(stops[min(index, len(stops) - 1)] for stops in ends)) for index in range(count)]


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
    for round_ in rounds:
        if any(round_.missing(coverage)):
            break
        complete = round_.number
    contests = [
        ContestProgress(fixture.contest.key, coverage.games(index), fixture.games)
        for index, fixture in enumerate(plan.fixtures)
    ]
    return LeagueProgress(complete, len(rounds), tuple(contests), plan.unsettled)


def held_up(coverage: Coverage, costs: Costs) -> dict[str, int]:
    """Games that are open because of slow bots, by their names, those with most first.

    Of such a bot, a larger part of the games is missing than of all games. Very large contests are not searched.
    """
    missing: Counter[str] = Counter()
    planned: Counter[str] = Counter()
    for number, fixture in enumerate(coverage.plan.fixtures):
        slow = {bot for bot, entrant in enumerate(fixture.entrants) if costs.is_slow(fixture.contest.key, entrant)}
        if not slow or fixture.lineup_count > 100_000:
            continue
        for rank in range(len(fixture.lineups)) if fixture.spans is None else fixture.spans:
            for bot in slow.intersection(fixture.lineups[rank]):
                first, stop = fixture.wanted(rank)
                missing[fixture.entrants[bot].name] += coverage.missing_games(Portion(number, rank, (first, stop)))
                planned[fixture.entrants[bot].name] += fixture.contest.players * (stop - first)
    usual = sum(coverage.to_play()) / max(coverage.plan.games, 1)
    return {name: left for name, left in missing.most_common() if left > usual * planned[name]}


def _ends(matches: int) -> Iterator[int]:
    """The numbers of matches at which rounds end, below the number given."""
    yield from (end for end in FIRST_ENDS if end < matches)
    end = FIRST_ENDS[-1]
    while (end := int(end * GROWTH / 2) * 2) < matches:
        yield end
