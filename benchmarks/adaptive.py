"""How many games an adaptive schedule needs, as a part of what a round robin needs: simulated, with known strengths.

Strengths are normal, games follow the model of the ratings, and 2 % of them are drawn. A round robin's ratings are
drawn from their distribution for many games, which costs nothing; adaptive leagues are played round by round with the
rule, the ratings and the intervals of League.

`FULL=1 python -m benchmarks adaptive` takes a quarter of an hour of processor time: more leagues, and 1,000 bots.
`python -m benchmarks.adaptive groups` compares lineups chosen in groups, as in large fields, with lineups of all bots.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from league.plan import adaptive as rule
from league.plan.adaptive import MATCHES, Sight, first_round, information_of, next_round, reached, round_size
from league.rating import TAIL
from league.rating import errors as rating_errors
from league.rating.errors import of_places
from league.rating.fit import fit
from league.rating.places import likely_strengths
from league.rating.table import Floats, Ints, RankingTable
from league.tools.seeds import Seeds
from league.values.block import DEAL_GROUPS
from league.values.settings import Rating, Settle

RATING = Rating(sigma=None)
MARGIN = 0.148
"""The lead below which a game is drawn: about 2 % between equals."""
SPREAD = 25 / 6
"""The standard deviation of strengths."""
PLACES = Settle(places=10)
ORDER = Settle(order="all")
ASKED = 0.95
"""The part of all leagues that must be right, and the tau of the whole order."""
MOST_GAMES = {(100, PLACES): 40_000, (100, ORDER): 45_000, (1000, PLACES): 60_000, (1000, ORDER): 350_000}
"""Where a simulated league ends if nothing is settled."""
AIMS = {(100, PLACES): 0.15, (100, ORDER): 0.85, (1000, PLACES): 0.02, (1000, ORDER): 0.35}
FULL_LEAGUES = {(100, PLACES): 100, (100, ORDER): 100, (1000, PLACES): 20, (1000, ORDER): 5}
QUICK_LEAGUES = 20
ROUND_ROBINS = 20
"""Drawn for each set of strengths."""


class Look(NamedTuple):
    """A league after one of its rounds."""

    games: int
    score: float
    """1 if the first ten are right within 0.3 points, else 0; or Kendall's tau of the whole order."""
    covered: float
    """The part of all bots whose interval holds the truth."""
    covered_best: float
    """Of the ten best by rating."""
    covered_leads: float
    """The part of all differences among these ten whose interval holds the truth."""
    settled: bool


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    full = bool(os.environ.get("FULL"))
    for bots, goal in MOST_GAMES:
        if bots == 1000 and not full:
            continue
        yield measure(bots, goal, FULL_LEAGUES[bots, goal] if full else QUICK_LEAGUES)


def measure(bots: int, goal: Settle, leagues: int) -> dict[str, object]:
    """One row: games needed until the goal is reached."""
    score = right_places if goal.places else tau
    all_skills = [np.random.default_rng(seed).normal(0, SPREAD, bots) for seed in range(leagues)]
    theirs = round_robin_games(all_skills, score)
    played = [adaptive_league(skills, goal, score, seed) for seed, skills in enumerate(all_skills)]
    rounds = min(map(len, played))
    means = [float(np.mean([looks[at].score for looks in played])) for at in range(rounds)]
    games = [float(np.mean([looks[at].games for looks in played])) for at in range(rounds)]
    ours = first_reaching(games, means)
    ends = [next((look for look in looks if look.settled), None) for looks in played]
    at_end = [look for look in ends if look is not None]
    settled = f"{len(at_end)}, {np.median([one.games for one in at_end]):,.0f} games" if at_end else "-"
    later = [look for looks in played for look in looks[len(looks) // 2 :]]
    coverage = np.mean([(look.covered, look.covered_best, look.covered_leads) for look in later], axis=0)
    what = "the ten best" if goal.places else "the order"
    return {
        "goal": f"{what} of {bots:,}",
        "leagues": leagues,
        "round robin games": f"{theirs:,.0f}",
        "adaptive games": f"{ours:,.0f}",
        "ratio": f"{ours / theirs:.3f} (aim {AIMS[bots, goal]})",
        "said to be settled": settled,
        "score then": float(np.mean([one.score for one in at_end])) if at_end else "-",
        "coverage, ten best, among them": "{:.3f}, {:.3f}, {:.3f}".format(*coverage),
    }


def right_places(rating: Floats, skills: Floats) -> float:
    """1 if the ten best by rating are the ten best within 0.3 points, else 0."""
    chosen = np.argsort(-rating, kind="stable")[: PLACES.places]
    return float(skills[chosen].min() >= np.sort(skills)[::-1][len(chosen) - 1] - PLACES.within)


def tau(rating: Floats, skills: Floats) -> float:
    """Kendall's tau between two orders."""
    ordered = skills[np.argsort(-rating, kind="stable")]
    return float(np.sign(ordered[:, None] - ordered[None, :])[np.triu_indices(len(ordered), 1)].mean())


def covered_leads(rating: Floats, covariance: Floats, skills: Floats, bots: Ints) -> float:
    """The part of all differences between some bots whose 95 % interval holds the true one."""
    lead, error = rating_errors.leads(rating[bots], covariance[np.ix_(bots, bots)])
    truth = skills[bots][:, None] - skills[bots][None, :]
    return float((np.abs(lead - truth) <= TAIL * error)[np.triu_indices(len(bots), 1)].mean())


Score = Callable[[Floats, Floats], float]


def round_robin_games(all_skills: Sequence[Floats], score: Score) -> float:
    """How many games a round robin needs until the mean score is `ASKED`."""
    bots = len(all_skills[0])
    pairs = bots * (bots - 1) / 2
    games = [2.0**power for power in np.arange(1, 9, 0.5)]  # at least one deal of each pair, in both seats
    found = np.zeros(len(games))
    for seed, skills in enumerate(all_skills):
        rng = np.random.default_rng(seed)
        each = information_of(skills, RATING.beta) * 2 / np.pi / (2 * RATING.beta**2)
        np.fill_diagonal(each, 0.0)
        values, vectors = np.linalg.eigh(np.diag(each.sum(axis=1)) - each)
        for _ in range(ROUND_ROBINS):
            noise = rng.standard_normal(bots)
            for at, count in enumerate(games):
                error = vectors @ (noise / np.sqrt(count * np.maximum(values, 0) + SPREAD**-2))
                found[at] += score(skills + error, skills)
    return first_reaching([pairs * count for count in games], (found / len(all_skills) / ROUND_ROBINS).tolist())


def first_reaching(games: Sequence[float], scores: Sequence[float]) -> float:
    """Where the scores first reach `ASKED`, interpolated over the logarithm of games; NaN if they do not."""
    for at, value in enumerate(scores):
        if value >= ASKED:
            if at == 0:
                return games[0]
            part = (ASKED - scores[at - 1]) / (value - scores[at - 1])
            return float(games[at - 1] * (games[at] / games[at - 1]) ** part)
    return float("nan")


def adaptive_league(skills: Floats, goal: Settle, score: Score, seed: int, players: int = 2) -> list[Look]:
    """Play a league by the adaptive rule, with a look after each round."""
    rng = np.random.default_rng([seed, 1])
    played = Games(skills, players, rng)
    names = [f"bot{number}" for number in range(len(skills))]
    drawn = dict.fromkeys(first_round(names, players, Seeds(seed)), 1)
    looks: list[Look] = []
    while not looks or looks[-1].games < MOST_GAMES[len(skills), goal]:
        played.play(drawn)
        table = played.table()
        fitted = fit(table, RATING)
        evidence = of_places(table, fitted)
        errors, luck, _ = rating_errors.measure(evidence, rating_errors.ENDED_BY_LEADS)
        low, high = errors.intervals(fitted.mean)
        _, worlds = likely_strengths(evidence, errors, luck, f"simulation/{seed}")
        sight = Sight(fitted.mean, worlds, high - low, played.by_bot, RATING.beta)
        truth = skills - skills.mean() + RATING.mu
        settled = reached(goal, sight)
        held = (low <= truth) & (truth <= high)
        best = np.argsort(-fitted.mean)[: PLACES.places]
        covered = (
            float(held.mean()),
            float(held[best].mean()),
            covered_leads(fitted.mean, errors.covariance, skills, best),
        )
        looks.append(Look(played.games, score(fitted.mean, skills), *covered, settled))
        size = round_size(len(skills), players, played.games)
        drawn = dict(next_round(sight, goal, players, size, rng))
    return looks


class Games:
    """Games between bots of known strength, counted."""

    def __init__(self, skills: Floats, players: int, rng: np.random.Generator) -> None:
        self.games = 0
        self.by_bot: Ints = np.zeros(len(skills), dtype=np.int64)
        self._skills, self._players, self._rng = skills, players, rng
        self._parts: list[tuple[Ints, ...]] = []
        self._deals: dict[tuple[int, ...], int] = {}
        """By lineup: the next one."""

    def play(self, drawn: dict[tuple[int, ...], int]) -> None:
        """Each lineup as often as it was drawn, in every rotation, from a deal of its own on."""
        times = np.array(list(drawn.values())) * MATCHES
        lineups = np.repeat(np.array(list(drawn)), times * self._players, axis=0)
        groups = []
        for lineup, deals in zip(drawn, times.tolist(), strict=True):
            first = self._deals.get(lineup, int(self._rng.integers(DEAL_GROUPS)))
            self._deals[lineup] = first + deals
            groups.append(np.repeat(np.arange(first, first + deals) % DEAL_GROUPS, self._players))
        ranks = self._ranks(lineups)
        self._parts.append((lineups, ranks, np.concatenate(groups), np.ones(len(lineups), dtype=np.int64)))
        self.games += len(lineups)
        self.by_bot += np.bincount(lineups.ravel(), minlength=len(self._skills))

    def table(self) -> RankingTable:
        """All games so far."""
        return RankingTable.from_rankings(len(self._skills), *map(np.concatenate, zip(*self._parts, strict=True)))

    def _ranks(self, lineups: Ints) -> Ints:
        """Neighbours in performance share a place if they are close."""
        performance = self._skills[lineups] + RATING.beta * self._rng.standard_normal(lineups.shape)
        order = np.argsort(-performance, axis=1)
        ordered = np.take_along_axis(performance, order, axis=1)
        apart: NDArray[np.bool_] = ordered[:, :-1] - ordered[:, 1:] >= MARGIN
        level = np.hstack([np.zeros((len(lineups), 1), dtype=np.int64), np.cumsum(apart, axis=1)])
        ranks = np.empty_like(level)
        np.put_along_axis(ranks, order, (level[:, :, None] > level[:, None, :]).sum(axis=2), axis=1)
        return ranks


def groups() -> Iterator[dict[str, object]]:
    """Leagues whose lineups are chosen in groups, and leagues of the same bots in which they are not."""
    bots, most = 256, 30_000
    MOST_GAMES[bots, ORDER] = most
    whole = {"GROUP": bots, "LARGE": bots}
    for name, constants in {"groups of 64": {}, "all bots": whole}.items():
        for constant, value in constants.items():
            setattr(rule, constant, value)
        looks = [
            look
            for seed in range(int(os.environ.get("LEAGUES", "4")))
            for look in adaptive_league(np.random.default_rng(seed).normal(0, SPREAD, bots), ORDER, tau, seed)
        ]
        row: dict[str, object] = {"lineups": name}
        for first, stop in ((0, 8_000), (8_000, 16_000), (16_000, most)):
            some = [look for look in looks if first <= look.games < stop]
            row[f"tau, coverage below {stop:,} games"] = (
                f"{np.mean([look.score for look in some]):.3f}, {np.mean([look.covered for look in some]):.3f}"
                if some
                else "-"
            )
        yield row


if __name__ == "__main__" and sys.argv[1:] == ["groups"]:
    for row in groups():
        print(row, flush=True)
