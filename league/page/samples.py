"""Some games of a league to watch: chosen, played again, and written as pages beside the standings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np

from league.errors import LeagueError
from league.page.data import Sample
from league.page.gather import title_of
from league.page.matrices import distinct_lineups
from league.page.viewer import page_name, render
from league.play.rematch import Shown, play_again
from league.tools.files import write_text
from league.values.block import Address
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.results.standings import ContestStandings, Standings
    from league.results.store import Store

FOLDER = "games"
PATIENCE = 10.0
"""Seconds after which no more games are played again: slow bots must not keep a reader from the standings."""


def write_samples(store: Store, standings: Standings, isolation: Isolation = "sandbox") -> tuple[Sample, ...]:
    """Write a page for some games of each contest; none where the bots cannot be played on this machine."""
    index = {bot.name: at for at, bot in enumerate(store.bots())}
    samples = []
    started = monotonic()
    for one in standings.contests.values():
        for address in chosen(one):
            if monotonic() - started > PATIENCE:
                break
            try:
                shown = play_again(store, address, isolation)
            except LeagueError:  # the league was played elsewhere: its page is still worth having
                return ()
            samples.append(_write(store, one, address, shown, index))
    return tuple(samples)


def chosen(one: ContestStandings) -> list[Address]:
    """The first deal of the strongest table, and of the one that surprises most."""
    if not len(one.counts.games):
        return []
    lineups = distinct_lineups(one)
    strongest = lineups[np.argmax(one.rating[lineups].sum(axis=1))]
    surprise = np.abs(np.where(one.pairs.met, one.pairs.score - one.expected, 0.0))
    surprising = lineups[np.argmax(_largest_within(surprise, lineups))]
    tables = dict.fromkeys([tuple(strongest.tolist()), tuple(surprising.tolist())])
    return [Address(one.contest.key, tuple(one.bots[bot] for bot in table), 0, 0) for table in tables]


def _largest_within(matrix: np.ndarray, lineups: np.ndarray) -> np.ndarray:
    """For each lineup the largest value between any two of its bots."""
    values: np.ndarray = matrix[lineups[:, :, None], lineups[:, None, :]].max(axis=(1, 2))
    return values


def _write(store: Store, one: ContestStandings, address: Address, shown: Shown, index: dict[str, int]) -> Sample:
    folder = store.folder / FOLDER
    folder.mkdir(exist_ok=True)
    name = page_name(address)
    write_text(folder / name, render(shown, address=str(address), back="../standings.html"))
    names = shown.replay.names
    return Sample(
        contest=title_of(one.contest),
        address=str(address),
        href=f"{FOLDER}/{quote(name)}",
        bots=tuple(index[bot] for bot in names),
        result=", ".join(_results(names, shown.outcome.ranks, shown.outcome.scores)),
        differs=shown.differs,
    )


def _results(names: Sequence[str], ranks: Sequence[int], scores: Sequence[int]) -> Iterator[str]:
    """Who came in with how many points, best first."""
    for _, seat in sorted((rank, seat) for seat, rank in enumerate(ranks)):
        yield f"{names[seat]} {scores[seat]}"
