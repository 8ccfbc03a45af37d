"""Who meets whom, and what of it is still to be played.

A plan follows from the config and the roster alone. What is missing is the plan minus the deals that the store has;
how the missing deals are cut into blocks, and who plays them when, cannot change a result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb
from random import Random

import msgspec

from league.errors import LeagueError
from league.plan.balance import balanced_lineups
from league.setup.roster import Roster
from league.tools.seeds import Secret, seed_for, stretched
from league.tools.text import counted, first_few, shown_path
from league.values.block import Block, Entrant, Limits, Series
from league.values.settings import Config, Event

BLOCK_GAMES = 512
"""Large enough that starting hosts costs little, small enough to stay in the processor's cache and to lose little."""

FILL = " With fill: random in its entry, copies of that bot take the empty seats."
SHOWN_PLACES = 3
"""How many of a config's folders and files are named where bots are missing."""

Span = tuple[int, int]
"""Deals from the first up to but not including the second."""


class Fixture(msgspec.Struct, frozen=True):
    """An event and the lineups that play it."""

    event: Event
    lineups: tuple[tuple[Entrant, ...], ...]

    @property
    def games(self) -> int:
        """How many games it takes."""
        return len(self.lineups) * self.event.deals * self.event.contest.players


class Plan(msgspec.Struct, frozen=True):
    """All that a league plays."""

    fixtures: tuple[Fixture, ...]
    seed: Secret
    limits: Limits

    @property
    def games(self) -> int:
        """How many games it takes."""
        return sum(fixture.games for fixture in self.fixtures)

    def series(self) -> Iterator[tuple[Series, int]]:
        """Every series and how many deals it plays, in canonical order."""
        for fixture in self.fixtures:
            contest = fixture.event.contest
            for lineup in fixture.lineups:
                for rotation in range(contest.players):
                    yield Series(contest, lineup, rotation, self.seed, self.limits), fixture.event.deals


def plan(config: Config, roster: Roster, drawn: Secret = 0) -> Plan:
    """What this config asks of these bots; `drawn` is the secret of a league whose config has no seed."""
    if config.gauntlet is not None:
        roster.named(config.gauntlet)
    secret = drawn if config.seed is None else stretched(config.seed)
    fixtures = tuple(_fixture(config, roster, event, secret) for event in config.events)
    return Plan(fixtures, secret, config.limits)


def missing(series: Iterable[tuple[Series, int]], stored: Mapping[str, Sequence[Span]]) -> tuple[list[Block], int]:
    """The blocks that are still to be played, and how many stored ones count.

    All series advance together, so that early standings are fair.
    """
    blocks = []
    before = 0
    for one, deals in series:
        spans = stored.get(one.id, ())
        before += len(covering(deals, spans))
        size = whole_matches(BLOCK_GAMES, one.contest.games_per_match)
        for first, stop in gaps(deals, spans):
            blocks += [Block(one, start, min(start + size, stop)) for start in range(first, stop, size)]
    blocks.sort(key=lambda block: block.first)  # stable: the canonical order otherwise
    return blocks, before


def covering(deals: int, stored: Iterable[Span]) -> dict[Span, Span]:
    """The stored spans that count towards N deals, each with the part of it that counts: no deal counts twice."""
    chosen = {}
    at = 0
    for span in sorted(stored, key=lambda span: (span[0], -span[1])):
        if part := counting_part(span, at, deals):
            chosen[span] = part
            at = part[1]
    return chosen


def counting_part(span: Span, at: int, deals: int) -> Span | None:
    """The part of a span that counts towards N deals, those before `at` being covered; None if there is none."""
    first, stop = max(span[0], at), min(span[1], deals)
    return (first, stop) if first < stop else None


def gaps(deals: int, stored: Iterable[Span]) -> list[Span]:
    """The spans of N deals that no stored span covers."""
    found = []
    at = 0
    for first, stop in [*covering(deals, stored).values(), (deals, deals)]:
        if at < first:
            found.append((at, first))
        at = stop
    return found


def whole_matches(games: int, games_per_match: int) -> int:
    """The number of games, rounded down to whole matches, and at least one match."""
    return max(games // games_per_match, 1) * games_per_match


def _fixture(config: Config, roster: Roster, event: Event, secret: Secret) -> Fixture:
    contest = event.contest
    entrants = [bot.entrant() for bot in roster.playing(contest)]
    others = [entrant for entrant in entrants if entrant.name != config.gauntlet]
    hero = [entrant for entrant in entrants if entrant.name == config.gauntlet]
    if config.gauntlet is not None and not hero:
        raise LeagueError(f"The gauntlet's bot {config.gauntlet!r} does not play {contest.key}.")
    if len(entrants) < contest.players:
        names = ", ".join(entrant.name for entrant in entrants) or "none"
        have = f"{counted(len(entrants), 'bot')} can play it ({names})"
        needs = f"{contest.key} needs {contest.players} bots at a table"
        raise LeagueError(f"{needs}, but {have}{_looked_in(config)}.{FILL if entrants else ''}")
    rng = Random(seed_for(secret, "lineups", contest.game, contest.players))
    chosen = _lineups(len(others), contest.players - len(hero), event, rng)
    lineups = sorted(tuple(sorted([*hero, *(others[index] for index in lineup)])) for lineup in chosen)
    return Fixture(event, tuple(lineups))


def _looked_in(config: Config) -> str:
    places = list(dict.fromkeys(shown_path(config.base / pattern) for pattern in config.bots))
    return f"; looked in {first_few(places, SHOWN_PLACES)}" if places else ""


def _lineups(bots: int, seats: int, event: Event, rng: Random) -> Iterable[tuple[int, ...]]:
    if event.contest.players == 2 or comb(bots, seats) <= event.max_lineups:
        return combinations(range(bots), seats)
    return balanced_lineups(bots, seats, event.max_lineups, rng)
