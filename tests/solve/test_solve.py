"""Solutions of BraveRats: small games by plain enumeration, the whole game by its best response."""

from __future__ import annotations

import json
import random
from itertools import combinations

import numpy as np
import pytest
from click.testing import CliRunner

from league import games
from league.cli import league
from league.errors import LeagueError
from league.extensions.solver.braverats import induction, positions, solvable
from league.extensions.solver.braverats.best_response import NO_MOVE, BestResponse
from league.games.braverats import BraveRats
from league.games.braverats.rules import MIME, BraveRatsOptions
from tests.solve.brute import begin, exploited, rats_value, stepped
from tests.tables import each

THREES = list(combinations(range(8), 3))
SMALL = [
    *[(random.Random(n).choice(THREES), random.Random(-n - 1).choice(THREES), {}) for n in range(12)],
    ((2, 4, 6), (2, 4, 6), {}),
    ((1, 2, 7), (0, 6, 7), {"quick": True}),
    ((2, 2, 7), (1, 1, 6), {}),
    ((2, 6), (4, 7), {"mime": True}),
    ((1, 3), (2, 7), {"mime": True}),
    ((6, 6, 3), (3, 5, 7), {"quick": True}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second", "options"), SMALL)
def test_small_games_have_the_value_of_plain_enumeration(first, second, options):
    game, deal = begin((first, second), **options)
    start = game.start(deal)
    solution = induction.solve(start.hands, game.options.target)
    assert solution.value == pytest.approx(rats_value(start), abs=1e-9)


def test_exchanged_seats_have_the_opposite_value():
    hands = ((0, 2, 4, 6, 7), (1, 2, 3, 5, 6))
    value = induction.solve(hands, 4).value
    assert abs(value) > 0.01
    assert induction.solve(hands[::-1], 4).value == pytest.approx(-value, abs=1e-9)


@pytest.mark.parametrize("options", [{}, {"mime": True}, {"quick": True}])
def test_positions_follow_the_rules(options):
    """What `play` says of a round is what the rules make of it, in games at random."""
    game = BraveRats(options=options)
    rng = random.Random(1)
    for _ in range(60):
        state = game.start(game.deal(rng))
        while state.turn:
            before = np.array([positions.position_of(state)])
            seats = state.turn
            cards = {seat: rng.choice(state.view(seat).legal) for seat in seats}
            state.step([cards[seat] for seat in seats])
            if len(seats) == 1:  # a card shown to a Spy, and the answer
                assert positions.position_of(state) == before[0]
                answer = rng.choice(state.view(state.turn[0]).legal)
                cards[state.turn[0]] = answer
                state.step((answer,))
            both = (np.array([cards[seat]]) for seat in (0, 1))
            follow, results = positions.play(before, *both, game.options.target)
            if state.turn:
                assert np.isnan(results[0])
                assert follow[0] == positions.position_of(state)
            else:
                assert results[0] == state.games_won[0] - state.games_won[1]


@pytest.mark.parametrize(
    ("hands", "options"),
    [
        (((0, 1, 2, 3, 7), (2, 4, 5, 6, 7)), {}),
        (((1, 1, 2, 6), (2, 6, 7, 7)), {}),
        (((0, 2, 6), (2, 5, 7)), {"mime": True}),
    ],
)
def test_nobody_gains_against_a_solution(hands, options):
    found = solvable.exact(BraveRatsOptions(**options), hands)
    solution = solvable.solution_of(found)
    assert max(map(abs, solvable.gains(found, solution))) < 1e-9


def test_a_wrong_solution_is_found_out():
    found = solvable.exact(BraveRatsOptions(), ((1, 2, 4, 6), (2, 3, 5, 7)))
    solution = solvable.solution_of(found)
    broken = [level._replace(values=-level.values) for level in solution.levels]
    assert max(solvable.gains(found, solution._replace(levels=tuple(broken)))) > 0.01


def test_the_best_response_is_that_of_plain_enumeration():
    game, deal = begin(((1, 2, 6), (2, 4, 7)))

    def mix(view):
        return {card: (card + 1) / sum(other + 1 for other in view.legal) for card in view.legal}

    for seat in (0, 1):
        response = BestResponse(game, deal, seat, lambda states, seat=seat: [mix(state.view(seat)) for state in states])
        assert response.value == pytest.approx(exploited(game.start(deal), seat, mix), abs=1e-12)


def test_a_spy_makes_the_round_sequential():
    """After Spy against Musician's round on hold there is no Spy; after Spy against Princess seat 0 sees what comes."""
    game, deal = begin(((2, 3, 7), (1, 4, 6)))
    state = stepped(game.start(deal), (2, 1))
    assert state.spy == 0
    solution = induction.solve(((2, 3, 7), (1, 4, 6)), 4)
    (shown,) = solution.mixes([state], 1)
    assert list(shown.values()) == [1.0]  # a pure card is shown
    for card in state.view(1).legal:
        (answer,) = solution.mixes([stepped(state, (card,))], 0)
        assert len(answer) == 1


@pytest.mark.parametrize(
    ("options", "hands", "message"),
    [
        ({"deck": True}, None, "deck hides hands"),
        ({"deal": "draft"}, None, "deal: draft hides hands"),
        ({"deal": "random"}, None, "choose one with --hands"),
        ({"traitor": True}, None, "choose one with --hands"),
        ({"emperor": True}, None, "leave emperor out"),
        ({"deal": "princess_attack"}, ((1,), (2,)), "leave one out"),
        ({}, ((1, 2), (3,)), "the same number of cards"),
        ({}, ((1, 1), (1, 2)), "but 3 in these hands"),
    ],
)
def test_what_cannot_be_solved_is_refused(options, hands, message):
    with pytest.raises(LeagueError, match=message):
        solvable.exact(BraveRatsOptions(**options), hands)


def test_princess_attack_has_two_princes_against_two_princesses():
    found = solvable.exact(BraveRatsOptions(deal="princess_attack"))
    assert found.hands == ((0, 2, 3, 4, 5, 6, 7, 7), (0, 1, 1, 2, 3, 4, 5, 6))
    mimes = solvable.exact(BraveRatsOptions(mime=True)).hands
    assert all(hand[-1] == MIME for hand in mimes)


def run(*words):
    return CliRunner().invoke(league, ["solve", "braverats", *words])


def test_the_command_prints_json():
    known = json.loads(run("--hands", "126", "247", "--json").stdout)
    assert known["hands"] == [[1, 2, 6], [2, 4, 7]]
    assert sum(known["first_move"][0].values()) == pytest.approx(1)
    assert max(known["gains"]) < 1e-9


@pytest.mark.parametrize("words", [("--hands", "12x", "247"), ("--hands", "128", "247")])
def test_a_hand_is_digits(words):
    result = run(*words)
    assert isinstance(result.exception, LeagueError)
    assert "such as 01234567" in str(result.exception)


@each(
    ("options", "is_open"),
    [
        ({}, True),
        ({"mime": True, "quick": True}, True),
        ({"deal": "princess_attack"}, True),
        ({"deal": "random"}, False),
        ({"deal": "draft"}, False),
        ({"traitor": True}, False),
        ({"deck": True}, False),
        ({"emperor": True}, False),
    ],
)
def test_a_game_is_open_if_both_know_every_position_and_it_begins_in_one_way(options, is_open):
    assert solvable.is_open(games.make("braverats", 2, options)) == is_open


def test_what_is_reached_is_what_comes_up_when_the_best_response_is_played():
    found = solvable.exact(BraveRatsOptions(), ((1, 2, 4, 6), (1, 2, 4, 6)))
    lowest = BestResponse(found.game, found.deal, 0, lambda states: [{state.view(0).legal[0]: 1.0} for state in states])
    state, path = found.game.start(found.deal), []
    while state.turn:
        path.append(lowest.node_of(state))
        card = state.view(0).legal[0] if 0 in state.turn else NO_MOVE
        state.step(lowest.moves(int(lowest.answers[path[-1]]), card))
    assert {node: often for node, often, *_ in lowest.reached()} == dict.fromkeys(path, 1.0)
