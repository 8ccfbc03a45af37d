"""A game's own playout plays as steps do: to states that steps reach, and with the same probabilities."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import msgspec
import pytest
from scipy.stats import chi2_contingency, chisquare

from league import games
from league.games.contract import Game, State
from league.games.magillat.rules import FROM_LEFT
from tests.golden import variants

UNLIKELY = 1e-5
"""Seeds are fixed, so a test that passes once always does."""
MOST_ENDS = 120

VARIANTS = [(f"{name}-{file}", game) for name in games.names() for file, game in variants(name)]
all_variants = pytest.mark.parametrize("game", [game for _, game in VARIANTS], ids=[name for name, _ in VARIANTS])


def random_moves(state: State, rng: Random) -> list[int]:
    return [rng.choice(state.view(seat).legal) for seat in state.turn]


def played_by_step(state: State, rng: Random) -> list[State]:
    """Copies of a state and of all that follow in a random playing."""
    states = [state.copy()]
    while states[-1].turn:
        states.append(states[-1].copy())
        states[-1].step(random_moves(states[-1], rng))
    return states


# -- Steps reach the same state --------------------------------------------------------------------------------------


def moves_of_raj(end: Any) -> Iterator[tuple[int, ...]]:
    return (past.bids for past in end.history)


def moves_of_cheese_rescue(end: Any) -> Iterator[tuple[int, ...]]:
    return ((move,) for move in end.history)


def moves_of_magillat(end: Any) -> Iterator[tuple[int, ...]]:
    for past in end.history:
        yield tuple(mark for mark in past.marks if mark >= 0)
        for seat in FROM_LEFT[len(past.picks)][past.storyteller]:
            yield (past.picks[seat],)


def repeat_braverats(state: Any, end: Any) -> None:
    """Play a state to the end as it was played; a spy's victim decides first. Drafts of earlier games are unknown."""
    rounds = [past for game in end.earlier[0] for past in game.history] + list(end.history)
    at = len(state.history) + sum(len(game.history) for game in state.earlier[0])
    while state.turn:
        if not state.cards[0]:
            state.step([end.takes[len(state.takes)]])
            continue
        state.step([rounds[at].cards[seat] for seat in state.turn])
        at = len(state.history) + sum(len(game.history) for game in state.earlier[0])


def repeat(game: Game, state: State, end: State) -> None:
    if game.name == "braverats":
        repeat_braverats(state, end)
        return
    told = {"raj": moves_of_raj, "cheese_rescue": moves_of_cheese_rescue, "magillat": moves_of_magillat}[game.name](end)
    for moves in told:
        state.step(moves)


@all_variants
def test_a_playout_ends_in_a_state_that_steps_reach(game):
    for seed in range(12):
        rng = Random(seed)
        start = game.start(game.deal(rng))
        state = rng.choice(played_by_step(start, rng)) if seed else start.copy()
        outcome = state.playout(rng)
        assert not state.turn
        repeat(game, start, state)
        assert start == state
        assert outcome == state.outcome()


@all_variants
def test_a_playout_of_a_finished_state_leaves_it_alone(game):
    end = played_by_step(game.start(game.deal(Random(3))), Random(4))[-1]
    again = end.copy()
    assert again.playout(Random(5)) == end.outcome()
    assert again == end


# -- With the same probabilities -------------------------------------------------------------------------------------


def written(state: State) -> str:
    return repr(state)


def chances(state: State, left: list[int]) -> dict[str, Fraction]:
    """The probability of each final state when moves are drawn evenly; empty if there are more than are `left`."""
    if not state.turn:
        left[0] -= 1
        return {written(state): Fraction(1)}
    choices = [*product(*(state.view(seat).legal for seat in state.turn))]
    ends: defaultdict[str, Fraction] = defaultdict(Fraction)
    for moves in choices:
        after = state.copy()
        after.step(moves)
        for end, chance in chances(after, left).items():
            ends[end] += chance / len(choices)
        if left[0] < 0:
            return {}
    return dict(ends)


@all_variants
def test_near_the_end_every_final_state_is_as_likely_as_by_step(game):
    states = played_by_step(game.start(game.deal(Random(8))), Random(9))
    for state in reversed(states):
        found = chances(state.copy(), [MOST_ENDS])
        if not found:
            break
        near, expected = state, found
    tries = 8 * len(expected)
    rng = Random(10)
    seen: Counter[str] = Counter()
    for _ in range(tries):
        end = near.copy()
        end.playout(rng)
        seen[written(end)] += 1
    assert seen.keys() <= expected.keys()
    if len(expected) > 1:
        wanted = [float(chance) * tries for chance in expected.values()]
        assert chisquare([seen[end] for end in expected], wanted).pvalue > UNLIKELY


def features(start: Any, end: Any) -> Iterator[tuple[str, object]]:
    """What two samples of final states are compared by."""
    outcome = end.outcome()
    yield "ranks", outcome.ranks
    yield "history", len(end.history)
    for seat, score in enumerate(outcome.scores):
        yield f"score {seat}", score
    earlier = getattr(end, "earlier", ((),))[0]
    fresh = earlier[0].history if earlier else end.history[len(start.history) :]
    yield "first", msgspec.json.encode(fresh[0])
    yield "last", msgspec.json.encode(end.history[-1])[:12]


@pytest.mark.slow
@all_variants
def test_from_the_start_playouts_look_like_playings_by_step(game):
    tries = 120
    rng = Random(11)
    start = game.start(game.deal(rng))
    samples: dict[str, tuple[Counter[object], Counter[object]]] = {}
    for number in range(2 * tries):
        end = start.copy()
        if number % 2:
            end.playout(rng)
        else:
            State.playout(end, rng)
        for name, value in features(start, end):
            samples.setdefault(name, (Counter(), Counter()))[number % 2][value] += 1
    for name, (by_step, by_playout) in samples.items():
        common = [value for value, count in (by_step + by_playout).items() if count >= 10]
        table = [[one[value] for value in common] for one in (by_step, by_playout)]
        for row in table:
            row.append(tries - sum(row))
        table = [[row[at] for at in range(len(row)) if table[0][at] + table[1][at]] for row in table]
        if len(table[0]) > 1:
            assert chi2_contingency(table).pvalue > UNLIKELY, name
