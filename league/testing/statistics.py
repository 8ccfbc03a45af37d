"""Checks by counting: `playout` ends as often as steps do, and no tie is broken by seat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from math import sqrt
from random import Random

import msgspec

from league.games.contract import Outcome, State
from league.testing import checks
from league.testing.checks import Place

PAIRS = 3
"""Playings by step and by `playout` that are compared for each deal."""
TOO_FAR = 5
"""In standard deviations: of symmetric differences, fewer than 1 in 100,000 are this large."""


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
            step, playout = State.playout(start.copy(), rng), start.copy().playout(rng)
            for seat in range(len(step.ranks)):
                self.pairs["score", seat].append((step.scores[seat], playout.scores[seat]))
                self.pairs["squared score", seat].append((step.scores[seat] ** 2, playout.scores[seat] ** 2))
                self.pairs["rank", seat].append((step.ranks[seat], playout.ranks[seat]))

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


_ALIKE = "If seats differ by the rules, use check_game(…, seats_alike=False)."


ENOUGH_TIES = 16
"""If this many ties all go to the earlier seat, it is not by chance: the probability is 2**-15."""


class Ties:
    """Remembers who is placed before the other when two have equal points."""

    def __init__(self) -> None:
        self.earlier = self.later = 0

    def look(self, outcome: Outcome) -> None:
        """Count the pairs with equal points and different ranks."""
        for seat, other in combinations(zip(outcome.scores, outcome.ranks, strict=True), 2):
            self.earlier += seat[0] == other[0] and seat[1] < other[1]
            self.later += seat[0] == other[0] and seat[1] > other[1]

    def check(self, place: Place) -> None:
        """Check that ties are not always broken for the earlier seat, or always for the later one."""
        place.check(
            min(self.earlier, self.later) > 0 or max(self.earlier, self.later) < ENOUGH_TIES,
            f"of players with equal points the {'earlier' if self.earlier else 'later'} seat was placed first, "
            f"{max(self.earlier, self.later)} times out of as many: places depend on the seat.",
            "let ties share a place, or break them by what was played. " + _ALIKE,
        )


def seats_look_alike(state: State) -> bool:
    """Whether all seats decide at once at the beginning, and see the same except for their seat."""
    views = [msgspec.structs.replace(state.view(seat), seat=0) for seat in state.turn]
    return all(view == views[0] for view in views)


def check_seats(place: Place, state: State, told: Sequence[list[int]], outcome: Outcome) -> None:
    """When everybody moves one seat on and plays as before, places must follow the players wherever points do.

    A game whose seats turn out to differ is let off.
    """
    for moves in told:
        moved = _turned(moves)
        if len(state.turn) != len(moves) or any(
            move not in state.view(seat).legal for seat, move in zip(state.turn, moved, strict=True)
        ):
            return
        state.step(moved)
    if state.turn or _turned(outcome.scores) != [*state.outcome().scores]:
        return
    other = state.outcome()
    place.check(
        _turned(outcome.ranks) == [*other.ranks],
        f"scores {outcome.scores} give ranks {outcome.ranks}, but when all players move one seat on and play just the "
        f"same, scores {other.scores} give ranks {other.ranks}: places depend on the seat.",
        "let ties share a place, or break them by what was played. " + _ALIKE,
    )


def _turned(values: Sequence[int]) -> list[int]:
    return [*values[-1:], *values[:-1]]
