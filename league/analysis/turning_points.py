"""Where a game turned: the chance to win of every seat after each step, from playouts by the rules. No bot runs.

    curve = curve_of(replay)
    curve.chances[7]                    # by seat, after step 7
    curve.turning_point                 # the step that changed most; None if none stands out from the noise

A playout assumes that all seats play at random from there on, and that all cards lie as they did, also those that
nobody could see. So a step changes the chances by what was decided in it, and not by the luck of the next card. A seat
that shares the win gets its share of it. Where points count, the curve is in points.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import hypot, sqrt
from random import Random
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import msgspec

from league.errors import LeagueError
from league.games.contract import Game, Outcome, State, rank_last
from league.games.replay import Replay, game_of, steps
from league.tools.seeds import Seeds

if TYPE_CHECKING:
    from league.results.store import Store

Unit = Literal["places", "points"]
"""What is estimated: the share of the win, or the points."""
PLAYOUTS = 400
"""After each step, unless games are long."""
FEWEST_PLAYOUTS = 8
MOST_PLAYOUTS = 100_000
MOST_STEPS = 200_000
"""Steps that are played for a curve of `PLAYOUTS`: this takes some seconds. It is a count, so that the same curve comes
out on every machine."""
LONGEST_PLAYOUT = 2_000
"""Steps after which a playout is given up, in games that have no `playout` of their own."""
ASSUMED = (
    "This is judged by random playouts: all seats play on at random, and all cards lie as they did, also those that"
    " nobody saw. It is a guide to where the game turned, and no proof of good or bad play."
)
FALSE_ALARMS = 0.05
"""In how many games without a turning point one is named, at most."""
PLACES = (0.0, 1.0)
"""The range of a share of the win."""


class TurningPoint(msgspec.Struct, frozen=True):
    """The step at which the chance of a seat changed most."""

    step: int
    """Counted from 1."""
    seat: int
    """Whose chance changed most."""
    before: float
    after: float
    error: float
    """The standard error of the change."""

    @property
    def change(self) -> float:
        """Negative if the seat lost by it."""
        return self.after - self.before


class ChanceCurve(msgspec.Struct, frozen=True):
    """The chances of all seats over a game."""

    unit: Unit
    chances: tuple[tuple[float, ...], ...]
    """After each step, by seat; first before any step. Shares of the win, from 0 to 1, or points."""
    errors: tuple[tuple[float, ...], ...]
    """Their standard errors. When the game is over, they are 0."""
    playouts: tuple[int, ...]
    """How many there were after each step."""
    turning_point: TurningPoint | None
    """None if no change is clearly larger than its error."""


def mean(values: Sequence[float]) -> float:
    """The mean of some values."""
    return sum(values) / len(values)


def error_of(values: Sequence[float], low: float, high: float) -> float:
    """The standard error of the mean of values that lie between two others.

    It is computed as if each of these had come once more: values that were all the same do not prove that there are no
    others.
    """
    more = [*values, low, high]
    variance = max(mean([value * value for value in more]) - mean(more) ** 2, 0.0)
    return sqrt(variance / len(values))


def unit_in(store: Store, contest: str) -> Unit:
    """What is estimated in a contest of a league, by its key: what counts there."""
    counts = {event.contest.key: event.count for event in store.settings().events}
    return "points" if counts.get(contest) == "points" else "places"


def curve_of(replay: Replay, unit: Unit | None = None, playouts: int = PLAYOUTS) -> ChanceCurve:
    """The curve of a game, by as many playouts after each step, or fewer if the game is long.

    `unit` is what counts; left out, it is as the rules say. The same game has the same curve, always.
    """
    game = game_of(replay)
    unit = unit or game.counts
    states = [step.before for step in steps(replay)]
    most_steps = MOST_STEPS * playouts // PLAYOUTS // max(len(states), 1)
    seeds = Seeds(0, "curve", replay.game, replay.players)
    positions = []
    for step, state in enumerate(states):
        last = [lapse.seat for lapse in replay.faults if lapse.step <= step]
        rng = Random(seeds.of(step))
        positions.append(_sampled(game, state, last, unit, rng, playouts, most_steps, len(states) - step))
    chances = (*(tuple(map(mean, seats)) for seats in positions), worth(replay.outcome, unit))
    low, high = value_range(game, unit, [chance for seats in chances for chance in seats])
    errors = (*(tuple(error_of(seat, low, high) for seat in seats) for seats in positions), (0.0,) * game.players)
    counts = (*(len(seats[0]) for seats in positions), 0)
    return ChanceCurve(unit, chances, errors, counts, _turning_point(chances, errors))


def worth(outcome: Outcome, unit: Unit) -> tuple[float, ...]:
    """What an outcome is worth to each seat: its share of the win, or its points."""
    if unit == "points":
        return tuple(map(float, outcome.scores))
    share = 1 / outcome.ranks.count(0)
    return tuple([0.0 if rank else share for rank in outcome.ranks])


def value_range(game: Game, unit: Unit, seen: list[float]) -> tuple[float, float]:
    """The least and the most that a seat can get; where the game does not say so, of what was seen."""
    if unit == "places":
        return PLACES
    low, high = game.points_range or (min(seen), max(seen))
    return float(low), float(high)


def played_out(game: Game, state: State, rng: Random) -> tuple[Outcome, int]:
    """A playing that goes on at random to its end, and how many steps it took, if that was counted; uses up the state.

    A game without a `playout` of its own is played by its rules, step by step, and must end.
    """
    if type(state).playout is not State.playout:
        return state.playout(rng), 0
    taken = 0
    while turn := state.turn:
        if taken == LONGEST_PLAYOUT:
            raise LeagueError(
                f"Chances at {game.name} cannot be estimated: a game with random moves goes on after {taken:,} steps."
            )
        state.step([rng.choice(state.legal(seat)) for seat in turn])
        taken += 1
    return state.outcome(), taken


def _sampled(
    game: Game,
    state: State,
    ranked_last: list[int],
    unit: Unit,
    rng: Random,
    playouts: int,
    most_steps: int,
    usual_steps: int,
) -> list[tuple[float, ...]]:
    """What each seat gets in playouts of a position."""
    sampled: list[tuple[float, ...]] = []
    taken = 0
    for number in range(playouts):
        if number >= FEWEST_PLAYOUTS and taken >= most_steps:
            break
        outcome, steps_taken = played_out(game, state.copy(), rng)
        taken += steps_taken or usual_steps
        sampled.append(worth(rank_last(outcome, ranked_last), unit))
    return list(zip(*sampled, strict=True))


def _turning_point(
    chances: tuple[tuple[float, ...], ...], errors: tuple[tuple[float, ...], ...]
) -> TurningPoint | None:
    """The largest change, if it is so much larger than its error that chance alone seldom makes one so large."""
    changes = [
        TurningPoint(step, seat, before[seat], after[seat], hypot(*(error[seat] for error in both)))
        for step, ((before, after), both) in enumerate(zip(pairwise(chances), pairwise(errors), strict=True), 1)
        for seat in range(len(after))
    ]
    if not changes:
        return None
    largest = max(changes, key=lambda change: abs(change.change))
    surely = NormalDist().inv_cdf(1 - FALSE_ALARMS / 2 / len(changes))
    return largest if abs(largest.change) > surely * largest.error else None
