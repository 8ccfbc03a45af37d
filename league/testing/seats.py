"""Where all seats have equal rights, places must not depend on seats. Finds ties that are broken by seat."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import msgspec

from league.games.contract import Outcome, State
from league.testing.checks import Place

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


def check_seats(place: Place, state: State, told: Sequence[list[int]], outcome: Outcome, sure: bool) -> None:
    """When everybody moves one seat on and plays as before, places must follow the players wherever points do.

    A game whose seats turn out to differ is let off, unless its author is sure that they do not.
    """
    for moves in told:
        moved = _turned(moves)
        if len(state.turn) != len(moves) or any(
            move not in state.view(seat).legal for seat, move in zip(state.turn, moved, strict=True)
        ):
            place.check(not sure, "the seats are not alike: what one may play is not legal at the next.", _ALIKE)
            return
        state.step(moved)
    if state.turn:
        place.check(not sure, "the seats are not alike: with players moved on, the playing takes longer.", _ALIKE)
        return
    other = state.outcome()
    if _turned(outcome.scores) != [*other.scores]:
        place.check(not sure, "the seats are not alike: points do not follow the players.", _ALIKE)
        return
    place.check(
        _turned(outcome.ranks) == [*other.ranks],
        f"scores {outcome.scores} give ranks {outcome.ranks}, but when all players move one seat on and play just the "
        f"same, scores {other.scores} give ranks {other.ranks}: places depend on the seat.",
        "let ties share a place, or break them by what was played. " + _ALIKE,
    )


def _turned(values: Sequence[int]) -> list[int]:
    return [*values[-1:], *values[:-1]]
