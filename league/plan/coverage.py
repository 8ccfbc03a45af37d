"""Which deals of a plan have been played or are being played, and how far the league has come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from league.plan.schedule import Plan, Portion, Span, counting_part, gaps
from league.tools.text import counted
from league.values.block import Series

Spans = tuple[Span, ...]
"""Ascending and apart from each other."""


class Coverage:
    """The deals that were played, by fixture, lineup and rotation. As large as what was played, not as the plan.

    Deals that are taken are not missing either: workers have them, or they were given up in this run. So whoever looks
    for what is missing may begin again at any time.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._played: list[dict[int, Spans]] = [{} for _ in plan.fixtures]
        self._shared: dict[Spans, Spans] = {}
        """Most series have played the same deals: each different value is kept once."""
        self._taken: list[dict[int, Spans]] = [{} for _ in plan.fixtures]
        self._games = [0] * len(plan.fixtures)

    def add(self, fixture: int, rank: int, rotation: int, span: Span) -> None:
        """Record deals that were played; deals that are not wanted do not count."""
        planned = self.plan.fixtures[fixture]
        if part := counting_part(span, *planned.wanted(rank)):
            key = self._key(fixture, rank, rotation)
            before = self._played[fixture].get(key, ())
            spans = merged([*before, part])
            self._played[fixture][key] = self._shared.setdefault(spans, spans)
            self._games[fixture] += _length(spans) - _length(before)

    def take(self, fixture: int, rank: int, rotation: int, span: Span) -> None:
        """Record that some deals are handed out, or will not be in this run."""
        key, taken = self._key(fixture, rank, rotation), self._taken[fixture]
        taken[key] = merged([*taken.get(key, ()), span])

    def free(self, fixture: int, rank: int, rotation: int, span: Span) -> None:
        """Record that some deals which were taken are so no longer."""
        key, taken = self._key(fixture, rank, rotation), self._taken[fixture]
        left = tuple(part for one in taken.pop(key) for part in gaps(one, [span]))
        if left:
            taken[key] = left

    def become(self, other: Coverage) -> None:
        """Be as another one is: its plan has more rounds, and what was played before may count in them."""
        self.__dict__.update(other.__dict__)

    def follow(self, plan: Plan) -> bool:
        """Take over a plan that has more rounds; False if it numbers its lineups in another way.

        What is stored must be known here: nothing of it may count only in the new plan.
        """
        fixtures = zip(self.plan.fixtures, plan.fixtures, strict=True)
        if any(one.lineups is not other.lineups for one, other in fixtures):
            return False
        self.plan = plan
        return True

    def missing(self, fixture: int, rank: int, rotation: int, deals: Span) -> list[Span]:
        """Which of these deals have neither been played nor taken."""
        key = self._key(fixture, rank, rotation)
        return gaps(deals, (*self._played[fixture].get(key, ()), *self._taken[fixture].get(key, ())))

    def missing_games(self, portion: Portion) -> int:
        """How many games of a portion, in all its rotations, have not been played."""
        fixture, rank, deals = portion
        keys = [self._key(fixture, rank, rotation) for rotation in range(self.plan.fixtures[fixture].contest.players)]
        spans = [span for key in keys for span in gaps(deals, self._played[fixture].get(key, ()))]
        return _length(spans)

    def played(self) -> Iterator[tuple[Series, Span]]:
        """Every series of which something was played, with the deals that are wanted of it."""
        for number, fixture in enumerate(self.plan.fixtures):
            for key in self._played[number]:
                rank, rotation = divmod(key, fixture.contest.players)
                yield self.plan.series(number, rank, rotation), fixture.wanted(rank)

    def _key(self, fixture: int, rank: int, rotation: int) -> int:
        return rank * self.plan.fixtures[fixture].contest.players + rotation

    def games(self, fixture: int, stop: int | None = None) -> int:
        """How many games of a fixture have been played, or only those of deals before `stop`."""
        if stop is None:
            return self._games[fixture]
        every = self._played[fixture].values()
        return sum(max(min(last, stop) - first, 0) for spans in every for first, last in spans)

    @property
    def games_played(self) -> int:
        """Games that were played and count."""
        return sum(self._games)

    @property
    def games_left(self) -> int | None:
        """Games to the end of the league; None if results decide how many."""
        return None if self.plan.unsettled else sum(self.to_play())

    def to_play(self) -> list[int]:
        """Games that are missing of the rounds that are known, by fixture."""
        return [fixture.games - self.games(number) for number, fixture in enumerate(self.plan.fixtures)]


class ContestProgress(msgspec.Struct, frozen=True):
    """How far one contest is."""

    contest: str
    """Its key."""
    played: int
    """Games."""
    total: int


class LeagueProgress(msgspec.Struct, frozen=True):
    """How far a league is."""

    round: int
    """The last one that is complete; 0 if none is."""
    rounds: int
    """That are known."""
    contests: tuple[ContestProgress, ...]
    unsettled: bool = False
    """Whether further rounds will be chosen."""

    @property
    def played(self) -> int:
        """Games that were played."""
        return sum(contest.played for contest in self.contests)

    @property
    def total(self) -> int:
        """Games that the plan has."""
        return sum(contest.total for contest in self.contests)

    @property
    def not_begun(self) -> int:
        """How many contests have no game yet."""
        return sum(not contest.played for contest in self.contests)

    @property
    def complete(self) -> bool:
        """Whether all rounds that are known are complete."""
        return self.played == self.total

    @property
    def finished(self) -> bool:
        """Whether nothing is missing, and nothing more will be chosen."""
        return self.complete and not self.unsettled

    def __str__(self) -> str:
        """'after round 5 of 9, 23,970 of 58,560 games, 3 contests not begun'.

        If rounds are chosen by results: 'after round 5, 23,970 games, not settled yet'.
        """
        if self.unsettled:
            under_way = f" (of {self.total:,} that are chosen)" if self.played < self.total else ""
            return f"after round {self.round}, {counted(self.played, 'game')}{under_way}, not settled yet"
        parts = [f"after round {self.round} of {self.rounds}", f"{self.played:,} of {counted(self.total, 'game')}"]
        if self.not_begun:
            parts.append(f"{counted(self.not_begun, 'contest')} not begun")
        return ", ".join(parts)


def merged(spans: Iterable[Span]) -> Spans:
    """The same deals in as few spans as possible."""
    merged: list[Span] = []
    for first, stop in sorted(spans):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((first, stop))
    return tuple(merged)


def _length(spans: Iterable[Span]) -> int:
    return sum([stop - first for first, stop in spans])
