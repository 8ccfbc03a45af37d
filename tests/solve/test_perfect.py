"""`rats_perfect`: the whole standard game solved, packed, and played from the table."""

from __future__ import annotations

import inspect
import random
from collections import Counter

import pytest

from benchmarks import efforts
from benchmarks.pack import SOLVED_BY_THE_BOT, UNIT, key_of
from league.extensions.solver.braverats import solvable
from league.extensions.solver.braverats.best_response import BestResponse
from league.games.braverats import BraveRats
from league.games.braverats.rules import BraveRatsOptions
from league.hosts.bot import BotTable
from league.setup.roster import find
from tests.solve.bots import ROOT, module
from tests.solve.brute import mirrored

GAMES = 400

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def perfect():
    return module("bots/rats_perfect/bot.py")


@pytest.fixture(scope="module")
def standard():
    found = solvable.exact(BraveRatsOptions())
    return found, solvable.solution_of(found)


def test_the_standard_game_is_even_and_has_this_many_positions(standard):
    _, solution = standard
    assert solution.size == 314_169
    assert solution.value == pytest.approx(0, abs=1e-12)


@pytest.mark.soak
def test_nobody_gains_a_millionth_against_the_table(standard, perfect):
    """The best response is computed from the rules alone; the player is the bot's own table, and its own position."""
    found, solution = standard

    def ask(states):
        mixes = solution.mixes(states, 0)
        for at, state in enumerate(states):
            if len(state.hands[0]) > SOLVED_BY_THE_BOT:
                shares = perfect.TABLE.mix(perfect.key_of(state.view(0)))
                mixes[at] = {card: share / UNIT for card, share in shares.items()}
        return mixes

    assert -1e-9 < BestResponse(found.game, found.deal, 0, ask).value < 1e-6


def states_with(cards, count):
    """States of random games with so many cards left, some with a card shown to a Spy."""
    game, rng = BraveRats(), random.Random(cards)
    found = []
    while len(found) < count:
        state = game.start(game.deal(rng))
        while state.turn:
            if min(map(len, state.hands)) == cards:
                found.append(state.copy())
            state.step([rng.choice(state.view(seat).legal) for seat in state.turn])
    return found[:count]


@pytest.mark.parametrize("cards", [2, 3, 4, 5])
def test_the_searcher_solves_the_last_five_cards(standard, cards):
    _, solution = standard
    searcher = module("bots/searcher.py")
    for state in states_with(cards, 12):
        for seat in state.turn:
            end = searcher.Lookahead(state, seat, random.Random(0))
            assert end.solved(state, end.rounds)[0] == pytest.approx(solution.worth(state, seat), abs=1e-9)


def test_the_searcher_loses_a_little_at_first_and_nothing_from_where_it_solves_the_rest(standard, monkeypatch):
    """So the benchmark of its efforts can stop there."""
    searcher = efforts.searching("POSITIONS", 3_200)
    cut = [efforts.lost(searcher, *standard, number) for number in range(4)]
    monkeypatch.setattr(efforts, "solves", lambda searcher, cards: False)
    assert [efforts.lost(searcher, *standard, number) for number in range(4)] == pytest.approx(cut, abs=1e-9)
    assert all(0.001 < lost < 1 for lost in cut)


def test_the_searcher_looks_at_no_more_positions_than_it_says():
    searcher = module("bots/searcher.py")
    for cards in (5, 6, 7, 8):
        for state in states_with(cards, 6):
            ahead = searcher.Lookahead(state, state.turn[0], random.Random(0))
            ahead.shares()
            assert len(ahead.values) < searcher.POSITIONS


def test_the_searcher_plays_on_no_further_than_to_the_end_of_an_emperors_game():
    """Three games to their ends took longer than a move may take."""
    game = BraveRats(options=BraveRatsOptions(emperor=True))
    state = game.start(game.deal(random.Random(1)))
    ahead = module("bots/searcher.py").Lookahead(state, 0, random.Random(0))
    assert {ahead.guess(state) for _ in range(40)} == {-0.5, 0, 0.5}


@pytest.mark.parametrize("bot", ["raj_endgame.py", "searcher.py"])
def test_bots_solve_matrix_games_by_the_same_code(perfect, bot):
    """A bot is one file, so each has a copy."""
    copied = module(f"bots/{bot}")
    for function in (perfect.matrix_game, perfect.swept):
        assert inspect.getsource(getattr(copied, function.__name__)) == inspect.getsource(function)


@pytest.mark.parametrize("cards", [2, 3, 4])
def test_the_bot_solves_the_end_as_the_solver_does(standard, perfect, cards):
    _, solution = standard
    for state in states_with(cards, 40):
        if state.shown >= 0:
            continue
        for seat in (0, 1):
            if seat in state.turn:
                value, (_, shares) = perfect.solve(state, seat, 9, 1)
                assert value * (1 if seat == 0 else -1) == pytest.approx(solution.worth(state, 0), abs=1e-9)
                assert sum(shares) == pytest.approx(1)


def test_the_bot_sees_a_position_as_its_own_from_both_seats(perfect):
    for cards in (5, 6, 7):
        for state in states_with(cards, 30):
            assert perfect.key_of(state.view(0)) == key_of(state)
            assert perfect.key_of(state.view(1)) == key_of(mirrored(state))


@pytest.mark.parametrize("name", ["random", "stubborn", "rats_average", "rats_mixed", "rats_prince"])
def test_no_shipped_bot_beats_it_by_more_than_chance(perfect, name):
    """Few games here; docs/solve.md has the command for many. Deviations of four standard errors do not happen."""
    game = BraveRats()
    other = _class_of(find(name, ROOT / "bots"))
    games = GAMES if name != "rats_mixed" else GAMES // 8
    results = [_play(game, perfect.Bot, other, number) for number in range(games)]
    assert sum(results) / games > -4 / games**0.5, Counter(results)


@pytest.mark.parametrize(
    "options",
    [{"mime": True}, {"deck": True}, {"deal": "draft"}, {"emperor": True}, {"quick": True}, {"traitor": True}],
)
def test_it_plays_every_variant(perfect, options):
    game = BraveRats(options=options)
    other = _class_of(find("random", ROOT / "bots"))
    for number in range(4):
        _play(game, perfect.Bot, other, number)


def _class_of(bot):
    names: dict[str, object] = {}
    exec(bot.source, names)
    return names["Bot"]


def _play(game, perfect, other, number):
    """What the perfect player gets in one game; every move is legal."""
    state = game.start(game.deal(random.Random(number)))
    seat = number % 2
    bots = []
    for kind, at in ((perfect, seat), (other, 1 - seat)):
        table = BotTable(game, at, number * 2 + at)
        bots.append(kind(table) if kind.__init__ is not object.__init__ else kind())
    players = bots if seat == 0 else bots[::-1]
    while state.turn:
        views = [state.view(at) for at in state.turn]
        moves = [players[view.seat].choose(view) for view in views]
        assert all(move in view.legal for move, view in zip(moves, views, strict=True))
        state.step(moves)
    ranks = state.outcome().ranks
    return ranks[1 - seat] - ranks[seat]
