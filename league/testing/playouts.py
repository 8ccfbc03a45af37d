"""Checks a game's own `playout` against `step`: it ends where steps can end, and about as often."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from math import sqrt
from random import Random

from league.games.contract import Outcome, State
from league.testing import checks
from league.testing.checks import Place

PAIRS = 3
"""Playings by step and by `playout` that are compared for each deal."""
TOO_FAR = 5
"""In standard deviations: of symmetric differences, fewer than 1 in 100,000 are this large."""

_FEATURES: dict[str, Callable[[Outcome, int], int]] = {
    "score": lambda outcome, seat: outcome.scores[seat],
    "squared score": lambda outcome, seat: outcome.scores[seat] ** 2,
    "rank": lambda outcome, seat: outcome.ranks[seat],
}


def has_own_playout(state: State) -> bool:
    """Whether the game overrides what the contract offers."""
    return type(state).playout is not State.playout


def check_playout(place: Place, state: State, seed: str) -> Outcome:
    """Play out this state, which is changed; it is over then, and the outcome is the one that was returned."""
    again = state.copy()
    outcome = state.playout(Random(seed))
    place.check(
        not state.turn, f"turn is {state.turn!r} after playout().", "let it play to the end, and leave turn empty."
    )
    checks.check_views(place, state)
    checked = checks.check_outcome(place, state)
    place.check(
        outcome == checked,
        f"playout() returned {outcome!r}, but outcome() is {checked!r}.",
        "return self.outcome() when all is played.",
    )
    place.check(
        again.playout(Random(seed)) == outcome and again == state,
        "playout() returned two different results for the same rng.",
        "use nothing but the rng that is given: no clock, no global random, no order of sets, no memory.",
    )
    return outcome


class Playouts:
    """Compares outcomes of the same deals, by `step` and by `playout`."""

    def __init__(self) -> None:
        self.pairs: defaultdict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)

    def look(self, start: State, rng: Random) -> None:
        """Play a deal a few times in both ways."""
        for _ in range(PAIRS if has_own_playout(start) else 0):
            by_step, by_playout = State.playout(start.copy(), rng), start.copy().playout(rng)
            for name, feature in _FEATURES.items():
                for seat in range(len(by_step.ranks)):
                    self.pairs[name, seat].append((feature(by_step, seat), feature(by_playout, seat)))

    def check(self, place: Place) -> None:
        """The outcomes are about the same on average."""
        for (name, seat), pairs in self.pairs.items():
            differences = [played - other for played, other in pairs]
            spread = sqrt(sum(difference**2 for difference in differences))
            means = [sum(values) / len(pairs) for values in zip(*pairs, strict=True)]
            place.check(
                abs(sum(differences)) <= TOO_FAR * spread,
                f"the {name} of seat {seat} is {means[0]:.2f} on average when random moves are played by step(), and "
                f"{means[1]:.2f} by playout(), over {len(pairs)} playings each.",
                "let every legal move of a seat be equally likely in each turn of playout(), or leave it out: "
                "the contract has one.",
            )
