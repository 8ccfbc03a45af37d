"""All games that one version of a bot has played, with the versions that it met, including games that no longer count.

    with VersionGames.open(folder) as games:
        games.choose(Entrant("amy", source))
        top(games, Query(bot="amy"), "worst", 3)

A league counts the games among the bots as they are now. Those of versions that were replaced stay in its file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from league.plan.schedule import Span
from league.results import untrusted
from league.results.queries import FoundGame, game_in
from league.results.schema import packed_lineup
from league.results.store import Store
from league.values.block import Block, Entrant, Series


class VersionGames(Store):
    """A league's results, of which only the games of one version of a bot are shown: see `choose`."""

    _entrant = Entrant("", "")

    def choose(self, entrant: Entrant) -> None:
        """Show the games of this one."""
        self._entrant = entrant

    def names(self) -> list[str]:
        return sorted({entrant.name for entrant in self._entrant_ids})

    def number(self, series: Series) -> int:
        """The number by which `game` finds a series."""
        return next(row for row, other in self._series() if other == series)

    def game(self, number: int, deal: int) -> FoundGame | None:
        """A game of a series by its number; None if the chosen version has played no such game."""
        series = next((series for row, series in self._series() if row == number), None)
        return game_in(self, lambda other: other == series, deal)

    def _series(self) -> Iterator[tuple[int, Series]]:
        """The series that the chosen version has played, with their numbers, in the order of playing."""
        if self._entrant not in self._entrant_ids:
            return
        terms = {id_: terms for terms, id_ in self._terms_ids.items()}
        entrants = {id_: entrant for entrant, id_ in self._entrant_ids.items()}
        own = packed_lineup([self._entrant_ids[self._entrant]])
        query = "SELECT id, terms, lineup, rotation FROM series WHERE instr(lineup, ?) ORDER BY id"
        with self._reading() as db:
            rows = db.execute(query, (own,)).fetchall()
        for row, terms_id, packed, rotation in rows:
            with self._reading():
                untrusted.expect(terms_id in terms, "expected series of its contests, found others")
                of = terms[terms_id]
                untrusted.rotation(rotation, of.contest)
                ids = untrusted.lineup(packed, of.contest.players)
                untrusted.expect(entrants.keys() >= {*ids}, "expected series of its bots, found others")
            lineup = tuple(entrants[id_] for id_ in ids)
            if self._entrant in lineup:  # the bytes of an id may also be the end of one and the start of the next
                yield row, Series(of.contest, lineup, rotation, of.seed, of.limits, of.own_deals)

    def _counting(
        self, columns: str, only: Series | None = None, wanted: Callable[[Series], bool] = lambda _: True
    ) -> Iterator[tuple[Block, Span, tuple[Any, ...]]]:
        last = self.last_block()
        for row, series in self._series():
            if only in (None, series) and wanted(series):
                yield from self._blocks_of(series, row, (0, untrusted.MOST_DEALS), columns, last)
