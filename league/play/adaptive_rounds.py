"""Chooses the rounds of an adaptive league from the results of those before.

A contest whose goal is reached plays no further rounds, and neither does one in which the lineups that matter have
played all their deals. The league ends when no contest goes on.

The deals of a lineup follow each other from an offset of its own. Otherwise lineups that play few deals would all play
the same few, and intervals, which come from resampling groups of deals, would have few groups to go by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from heapq import merge

import numpy as np

from league.plan import adaptive
from league.plan.adaptive import MATCHES, first_round, reached, round_size
from league.plan.lineups import Lineup
from league.plan.schedule import ChosenLineup, Fixture, Plan
from league.results.contest_standings import ContestStandings
from league.results.store import Store
from league.results.tallies import Results
from league.tools.seeds import Secret, Seeds
from league.values.block import DEAL_GROUPS

SPENT = 0.2
"""A contest ends if less than this part of what was drawn has deals left."""


def next_round(store: Store) -> Sequence[ChosenLineup]:
    """The next round of a league with a goal; nothing if all contests have ended."""
    planned = store.plan()
    if not planned.chosen:
        return opening(planned)
    results = Results.read(store)
    number = len(planned.chosen) + 1
    rounds = []
    for at, fixture in enumerate(planned.fixtures):
        contest = ContestStandings(results.contests[fixture.contest.key], results.rating, results.goal)
        seeds = _seeds(planned.seed, fixture)
        rng = np.random.default_rng(seeds.of("round", number))
        rounds.append(_with_deals(at, fixture, next_lineups(contest, rng), seeds))
    return _in_turns(rounds)


def opening(planned: Plan) -> Sequence[ChosenLineup]:
    """The first round, which follows from the plan alone."""
    rounds = []
    for at, fixture in enumerate(planned.fixtures):
        seeds = _seeds(planned.seed, fixture)
        names = [entrant.name for entrant in fixture.entrants]
        lineups = first_round(names, fixture.contest.players, seeds)
        rounds.append(_with_deals(at, fixture, Counter(lineups), seeds))
    return _in_turns(rounds)


def next_lineups(contest: ContestStandings, rng: np.random.Generator) -> Counter[Lineup]:
    """The lineups of a contest's next round, and how often each was drawn; nothing if the goal is reached."""
    sight, goal = contest.sight, contest.goal
    if goal is None or reached(goal, sight):
        return Counter()
    players = contest.contest.players
    matches = int(sight.games.sum()) // (players * contest.contest.games_per_match)
    return adaptive.next_round(sight, goal, players, round_size(len(sight.games), players, matches), rng)


def _with_deals(at: int, fixture: Fixture, drawn: Counter[Lineup], seeds: Seeds) -> list[ChosenLineup]:
    """The lineups that were drawn with the deals that they play next, as far as they have any left."""
    played = fixture.spans or {}
    at_once = MATCHES * fixture.contest.games_per_match
    chosen = []
    for lineup, times in drawn.items():
        rank = fixture.lineups.rank(lineup)
        names = (fixture.entrants[bot].name for bot in lineup)
        offset = at_once * (seeds.of("offset", *names) % (DEAL_GROUPS // MATCHES))
        first, stop = (offset, offset) if rank is None else played.get(rank, (offset, offset))
        deals = min(times * at_once, first + fixture.event.deals - stop)
        if deals > 0:
            chosen.append(ChosenLineup(at, lineup, (stop, stop + deals)))
    left = sum(stop - first for _, _, (first, stop) in chosen)
    return chosen if left >= SPENT * drawn.total() * at_once else []


def _in_turns(rounds: Sequence[Sequence[ChosenLineup]]) -> list[ChosenLineup]:
    """The lineups of all contests, in an order in which the contests advance together."""
    streams = [
        [(turn / len(lineups), contest, lineup) for turn, lineup in enumerate(lineups)]
        for contest, lineups in enumerate(rounds)
    ]
    return [lineup for _, _, lineup in merge(*streams)]


def _seeds(secret: Secret, fixture: Fixture) -> Seeds:
    return Seeds(secret, "adaptive", fixture.contest.game, fixture.contest.players)
