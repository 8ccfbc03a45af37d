"""Counts what the games of a block come to, so that no game has to be kept."""

from __future__ import annotations

from league.values.block import Ranking, Tally


class Counts:
    """The tally of a block in the making."""

    def __init__(self, players: int) -> None:
        self._players = players
        self._rankings: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self._points: dict[int, list[int]] = {}
        self._histogram: dict[tuple[int, int], int] = {}

    def add(self, group: int, seating: int, ranks: tuple[int, ...], scores: tuple[int, ...]) -> None:
        """One more game; ranks and scores are by entrant."""
        key = (group, seating, ranks)
        self._rankings[key] = self._rankings.get(key, 0) + 1
        sums = self._points.get(group)
        if sums is None:
            sums = self._points[group] = [0] * self._players
        histogram = self._histogram
        for entrant, score in enumerate(scores):
            sums[entrant] += score
            bar = (entrant, score)
            histogram[bar] = histogram.get(bar, 0) + 1

    def tally(self) -> Tally:
        """All games so far; equal results give equal bytes."""
        return Tally(
            rankings=tuple(Ranking(*key, games) for key, games in sorted(self._rankings.items())),
            points=tuple((group, tuple(sums)) for group, sums in sorted(self._points.items())),
            histogram=tuple((*bar, games) for bar, games in sorted(self._histogram.items())),
        )
