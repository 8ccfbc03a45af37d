"""How long ratings take: order-free from tallies, against the `trueskill` package game by game.

The package is timed on a sample of the same games, and its time scaled up to all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import numpy as np
import trueskill

from league.rating.fit import draw_probability, fit
from league.rating.table import Ints, RankingTable
from league.values.settings import Rating

BOTS = 50
SAMPLE = 300
ROUNDS = 2
GROUPS = 64


def run() -> Iterator[dict[str, object]]:
    """One row for each size."""
    for players, lineups, games in ((2, 1225, 10**6), (2, 1225, 10**7), (5, 100, 10**5), (5, 100, 10**6)):
        yield measure(players, lineups, games)


def measure(players: int, lineups: int, games: int) -> dict[str, object]:
    """Rate games of random strengths with ties; the best of a few rounds counts."""
    tables, ranks, counts, groups = _play(players, lineups, games)
    table = RankingTable.from_rankings(BOTS, tables, ranks, groups, counts)
    ours, tenfold = float("inf"), float("inf")
    for _ in range(ROUNDS):
        ours = min(ours, _seconds(tables, ranks, groups, counts))
        tenfold = min(tenfold, _seconds(tables, ranks, groups, counts * 10))
    theirs = _package_seconds_a_game(table, tables, ranks) * games
    return {
        "games": f"{games:,} of {players}",
        "distinct results": f"{len(table.order):,}",
        "order-free s": ours,
        "same results tenfold": tenfold / ours,
        "package s": theirs,
        "package / order-free": theirs / ours,
    }


def _seconds(tables: Ints, ranks: Ints, groups: Ints, counts: Ints) -> float:
    began = perf_counter()
    fit(RankingTable.from_rankings(BOTS, tables, ranks, groups, counts), Rating())
    return perf_counter() - began


def _play(players: int, lineups: int, games: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Tallies: lineups, ranks, how often, and in which group of deals."""
    rng = np.random.default_rng(players)
    skills = rng.normal(0, 4, BOTS)
    if players == 2:
        tables = np.stack(np.triu_indices(BOTS, 1), axis=1)
    else:
        tables = np.sort(np.stack([rng.choice(BOTS, players, replace=False) for _ in range(lineups)]), axis=1)
    each = games // len(tables)
    found = []
    for lineup in tables:
        performance = np.round((skills[lineup] + rng.normal(0, 25 / 6, (each, players))) / 2)
        ranks = (performance[:, :, None] < performance[:, None, :]).sum(axis=2)
        keyed = np.c_[ranks, rng.integers(0, GROUPS, each)]
        rows, counts = np.unique(keyed, axis=0, return_counts=True)
        found.append(np.c_[np.tile(lineup, (len(rows), 1)), rows, counts])
    tally = np.concatenate(found).astype(np.int64)
    return tally[:, :players], tally[:, players : 2 * players], tally[:, -1], tally[:, -2]


def _package_seconds_a_game(table: RankingTable, tables: Ints, ranks: Ints) -> float:
    environment = trueskill.TrueSkill(tau=0, draw_probability=draw_probability(table, Rating()))
    skills = [environment.create_rating() for _ in range(BOTS)]
    chosen = np.random.default_rng(0).integers(0, len(tables), SAMPLE)
    began = perf_counter()
    for game in chosen:
        lineup = tables[game].tolist()
        rated = environment.rate([(skills[bot],) for bot in lineup], ranks[game].tolist())
        for bot, (skill,) in zip(lineup, rated, strict=True):
            skills[bot] = skill
    return (perf_counter() - began) / SAMPLE
