"""Who meets whom, and what of it is still to be played.

A plan follows from the config and the bots alone. What is missing is the plan minus the deals that the store has;
how the missing deals are cut into blocks, and who plays them when, cannot change a result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import msgspec

from league.errors import LeagueError
from league.plan.lineups import Combinations, Lineup, Lineups, Listed, sampled
from league.setup.roster import Roster
from league.tools.seeds import Secret, Seeds, drawn, stretched
from league.tools.text import counted, first_few, shown_path
from league.values.block import Entrant, LuckFollows, Series, Terms
from league.values.settings import MAX_LINEUPS, Config, Contest, Event, Limits

FILL = " With fill: random in its entry, copies of that bot take the empty seats."

Span = tuple[int, int]
"""Deals from the first up to but not including the second."""

NO_DEALS: Span = (0, 0)


class Portion(NamedTuple):
    """Deals of one lineup, to be played in all rotations."""

    fixture: int
    rank: int
    """The rank of the lineup."""
    deals: Span


class ChosenLineup(NamedTuple):
    """Deals of one lineup, which a fixture may not have by itself."""

    fixture: int
    lineup: Lineup
    deals: Span


class Fixture(msgspec.Struct, frozen=True):
    """An event and the lineups that play it."""

    event: Event
    entrants: tuple[Entrant, ...]
    """Sorted; lineups are indices of them."""
    lineups: Lineups
    spans: dict[int, Span] | None = None
    """By rank: the deals of each lineup that was chosen; None: all deals of the event for all lineups."""

    @property
    def contest(self) -> Contest:
        """What is played."""
        return self.event.contest

    @property
    def lineup_count(self) -> int:
        """How many lineups play."""
        return len(self.lineups) if self.spans is None else len(self.spans)

    @property
    def series_count(self) -> int:
        """How many series it has: each lineup in each rotation."""
        return self.lineup_count * self.contest.players

    @property
    def games(self) -> int:
        """How many games it takes."""
        return self.games_up_to(self.event.deals)

    def games_up_to(self, stop: int) -> int:
        """How many games it takes up to this deal of each lineup."""
        if self.spans is None:
            return self.series_count * min(stop, self.event.deals)
        return self.contest.players * sum(last - first for first, last in self.spans.values())

    def wanted(self, rank: int) -> Span:
        """The deals that a lineup plays."""
        return (0, self.event.deals) if self.spans is None else self.spans.get(rank, NO_DEALS)


class Plan(msgspec.Struct, frozen=True):
    """All that a league plays."""

    fixtures: tuple[Fixture, ...]
    seed: Secret
    limits: Limits
    chosen: tuple[tuple[Portion, ...], ...] | None = None
    """The rounds that were chosen so far; None: all lineups play all deals."""
    unsettled: bool = False
    """Whether further rounds will be chosen."""
    luck_follows: LuckFollows = "names"

    @property
    def games(self) -> int:
        """How many games it takes."""
        return sum(fixture.games for fixture in self.fixtures)

    def terms(self, fixture: int) -> Terms:
        """All that decides the results of a fixture besides lineup, rotation and deal."""
        return Terms(self.fixtures[fixture].contest, self.seed, self.limits, self.luck_follows)

    def series(self, fixture: int, rank: int, rotation: int) -> Series:
        """A lineup of a fixture, in one rotation."""
        contest, lineup = self.fixtures[fixture].contest, self.lineup(fixture, rank)
        return Series(contest, lineup, rotation, self.seed, self.limits, self.luck_follows)

    def lineup(self, fixture: int, rank: int) -> tuple[Entrant, ...]:
        """A lineup of a fixture."""
        planned = self.fixtures[fixture]
        return tuple([planned.entrants[bot] for bot in planned.lineups[rank]])


def plan(config: Config, roster: Roster, secret: Secret = 0) -> Plan:
    """What this config asks of these bots. All chance follows from the secret, which a league keeps."""
    for name in (*config.anchors, *([config.gauntlet] if config.gauntlet is not None else ())):
        roster.named(name)
    secret = secret or (0 if config.seed is None else stretched(config.seed))
    fixtures = tuple(_fixture(config, roster, event, secret) for event in config.events)
    luck: LuckFollows = "seed" if config.shared_deals else config.luck_follows
    planned = Plan(fixtures, secret, config.limits, luck_follows=luck)
    return planned if config.settle is None else with_rounds(planned, (), more=True)


def secret_of(seed: int | None) -> Secret:
    """A new secret: drawn, or stretched from the seed of a config, which takes longer than many games."""
    return drawn() if seed is None else stretched(seed)


def with_rounds(planned: Plan, rounds: Sequence[Sequence[ChosenLineup]], *, more: bool = False) -> Plan:
    """The plan that plays these rounds; with `more`, others are still to be chosen.

    Where a lineup plays in several, its deals follow each other.
    """
    fixtures = [*planned.fixtures]
    for number, fixture in enumerate(fixtures):
        played = {lineup for round_ in rounds for at, lineup, _ in round_ if at == number}
        by_itself = all(fixture.lineups.rank(lineup) is not None for lineup in played)
        lineups = fixture.lineups if by_itself else Listed(sorted(played))
        fixtures[number] = msgspec.structs.replace(fixture, lineups=lineups, spans={})
    chosen = [[Portion(at, fixtures[at].lineups.rank(lineup) or 0, span) for at, lineup, span in one] for one in rounds]
    for at, rank, (first, stop) in (portion for round_ in chosen for portion in round_):
        spans = fixtures[at].spans
        assert spans is not None
        known = spans.get(rank, (first, first))
        if known[1] != first:
            raise ValueError(f"deals of one lineup must follow each other: {known}, then {(first, stop)}")
        spans[rank] = (known[0], stop)
    return msgspec.structs.replace(planned, fixtures=tuple(fixtures), chosen=tuple(map(tuple, chosen)), unsettled=more)


def covering(wanted: Span, stored: Iterable[Span]) -> dict[Span, Span]:
    """The stored spans that count towards the deals wanted, each with the part that counts: no deal counts twice."""
    chosen = {}
    reached, end = wanted
    for span in sorted(stored, key=lambda span: (span[0], -span[1])):
        if part := counting_part(span, reached, end):
            chosen[span] = part
            reached = part[1]
    return chosen


def counting_part(span: Span, reached: int, end: int) -> Span | None:
    """The part of a span that counts: deals before `reached` are covered, and those from `end` on are not wanted."""
    first, stop = max(span[0], reached), min(span[1], end)
    return (first, stop) if first < stop else None


def gaps(wanted: Span, stored: Iterable[Span]) -> list[Span]:
    """The deals wanted that no stored span covers."""
    missing = []
    reached, end = wanted
    for first, stop in [*covering(wanted, stored).values(), (end, end)]:
        if reached < first:
            missing.append((reached, first))
        reached = stop
    return missing


def whole_matches(games: int, games_per_match: int) -> int:
    """The largest number of games up to `games` that makes whole matches, at least one match."""
    return max(games // games_per_match, 1) * games_per_match


def most_lineups(event: Event, bots: int) -> int | None:
    """How many lineups an event may have at this number of bots; None: as many as there are."""
    players = event.contest.players
    limits = [] if event.max_lineups is None else [event.max_lineups]
    if event.opponents is not None:
        rings = -(-event.opponents // (players * (players - 1)))  # in a ring, each bot sits at `players` tables
        limits.append(rings * bots)
    if not limits and players > 2:
        limits.append(MAX_LINEUPS)
    return min(limits, default=None)


def _fixture(config: Config, roster: Roster, event: Event, secret: Secret) -> Fixture:
    contest = event.contest
    entrants = sorted(bot.entrant() for bot in roster.playing(contest))
    hero = [index for index, entrant in enumerate(entrants) if entrant.name == config.gauntlet]
    if config.gauntlet is not None and not hero:
        raise LeagueError(f"The gauntlet's bot {config.gauntlet!r} does not play {contest.key}.")
    if len(entrants) < contest.players:
        names = ", ".join(entrant.name for entrant in entrants) or "none"
        have = f"{counted(len(entrants), 'bot')} can play it ({names})"
        needs = f"{contest.key} needs {contest.players} bots at a table"
        raise LeagueError(f"{needs}, but {have}{_looked_in(config)}.{FILL if entrants else ''}")
    others = [index for index in range(len(entrants)) if index not in hero]
    seats = contest.players - len(hero)
    most = most_lineups(event, len(others)) if config.settle is None else None
    lineups: Lineups
    if most is not None and comb(len(others), seats) > most:
        seeds = Seeds(secret, "lineups", contest.game, contest.players)
        chosen = sampled([entrants[index].name for index in others], seats, most, seeds)
        lineups = Listed(_beside(hero, others, chosen))
    elif hero:
        lineups = Listed(_beside(hero, others, combinations(range(len(others)), seats)))
    else:
        lineups = Combinations(len(entrants), seats)
    return Fixture(event, tuple(entrants), lineups)


def _beside(hero: list[int], others: Sequence[int], lineups: Iterable[Lineup]) -> list[Lineup]:
    """Lineups of the others as lineups of all entrants, with the hero of a gauntlet if there is one."""
    return [tuple(sorted([*hero, *(others[index] for index in lineup)])) for lineup in lineups]


def _looked_in(config: Config) -> str:
    places = list(dict.fromkeys(shown_path(config.base / pattern) for pattern in config.bots))
    return f"; looked in {first_few(places, 3)}" if places else ""
