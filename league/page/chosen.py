"""Chooses games of a league that are worth a look."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from league.rating.table import Ints
from league.values.block import Address

if TYPE_CHECKING:
    from league.results.standings import ContestStandings, Standings
    from league.results.store import Store


class Choice(NamedTuple):
    """Why a game was chosen."""

    reasons: tuple[tuple[str, str], ...] = ()
    """Pairs of bot and what the game is for it."""


def chosen(store: Store, standings: Standings) -> dict[Address, Choice]:
    """Games of each contest, the most important ones first."""
    return {address: Choice() for one in standings.contests.values() for address in _of_contest(one)}


def _of_contest(one: ContestStandings) -> list[Address]:
    """The first deal of the strongest table, and of the one that surprises most."""
    if not len(one.counts.games):
        return []
    lineups = _distinct(one.counts.lineups)
    strongest = lineups[np.argmax(one.rating[lineups].sum(axis=1))]
    surprise = np.abs(np.where(one.pairs.met, one.pairs.score - one.expected, 0.0))
    surprising = lineups[np.argmax(surprise[lineups[:, :, None], lineups[:, None, :]].max(axis=(1, 2)))]
    tables = dict.fromkeys([tuple(strongest.tolist()), tuple(surprising.tolist())])
    return [Address(one.contest.key, tuple(one.bots[bot] for bot in table), 0, 0) for table in tables]


def _distinct(lineups: Ints) -> Ints:
    """Every lineup once: in the counts, the rows of one lineup follow each other."""
    fresh = np.ones(len(lineups), dtype=bool)
    fresh[1:] = (lineups[1:] != lineups[:-1]).any(axis=1)
    return lineups[fresh]
