"""The standings of a league while it is played."""

from __future__ import annotations

from league.results.standings import Standings
from league.results.store import Store
from league.results.tallies import Results


class LiveStandings:
    """The standings of a league that is being played: each block is read once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._results: Results | None = None
        self._last = 0

    def now(self) -> Standings:
        """The standings of this moment."""
        with self._store.one_moment():
            self._store.refresh()
            last = self._store.last_block()
            if self._results is None:
                self._results = Results.of(self._store)
            else:
                for result in self._store.results_after(self._last):
                    self._results.add(result)
                self._results.note(self._store)
            self._last = last
        return Standings(self._results)
