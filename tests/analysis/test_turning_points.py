"""Curves of chances and judged decisions, against values that are known exactly."""

from __future__ import annotations

from itertools import product
from math import sqrt
from random import Random
from statistics import NormalDist, fmean

import pytest
from msgspec.structs import replace

from league import games
from league.analysis import blunders, turning_points
from league.analysis.turning_points import Unit, curve_of, error_of, mean, worth
from league.errors import LeagueError
from league.games.contract import Deal, Game, Lapse, Outcome, State, View, rank_last
from league.games.replay import Replay, record, steps
from tests.page.playings import SETUPS, played
from tests.tables import each


def exact(state: State, unit: Unit) -> list[float]:
    """What each seat can expect if all play at random, by going through all ways to go on."""
    if not state.turn:
        return [*worth(state.outcome(), unit)]
    ends = []
    for moves in product(*(state.legal(seat) for seat in state.turn)):
        after = state.copy()
        after.step(moves)
        ends.append(exact(after, unit))
    return [fmean(values) for values in zip(*ends, strict=True)]


@pytest.mark.parametrize(("game", "players", "options"), SETUPS, ids=lambda part: str(part)[:16])
def test_a_curve_ends_with_the_outcome(game, players, options):
    replay = played(game, players, options)
    curve = curve_of(replay, playouts=8)
    assert curve.chances[-1] == worth(replay.outcome, "places")
    assert curve.errors[-1] == (0.0,) * players
    assert len(curve.chances) == len(curve.errors) == len(curve.playouts) == len(replay.moves) + 1
    assert all(sum(chances) == pytest.approx(1) for chances in curve.chances)
    assert curve_of(replay, "points", playouts=8).chances[-1] == tuple(map(float, replay.outcome.scores))


def test_the_same_game_has_the_same_curve():
    replay = played("magillat", 3)
    assert curve_of(replay, playouts=20) == curve_of(replay, playouts=20)
    assert curve_of(replay, playouts=20) != curve_of(replay, playouts=21)


@pytest.mark.parametrize(("game", "last"), [("raj", 3), ("braverats", 2), ("magillat", 3), ("cheese_rescue", 2)])
@pytest.mark.parametrize("unit", ["places", "points"])
def test_estimates_agree_with_exact_values(game, last, unit):
    replay = played(game, 3 if game == "magillat" else 2, seed=5)
    curve = curve_of(replay, unit, playouts=400)
    for step, state in [*enumerate(step.before for step in steps(replay))][-last:]:
        for value, error, known in zip(curve.chances[step], curve.errors[step], exact(state, unit), strict=True):
            assert abs(value - known) <= 4 * error, (step, value, error, known)


def test_errors_are_as_large_as_they_say():
    """Over many positions, estimates are off by one standard error on average (as a root of a mean square)."""
    game = games.make("raj", 2, {})
    off = []
    for seed in range(100):
        state = [*steps(played("raj", 2, seed=seed))][12].before  # three cards are left
        known = exact(state, "places")[0]
        if 0.1 < known < 0.9:
            values = turning_points._sampled(game, state, [], "places", Random(seed), 100, 10**6, 3)[0]
            off.append((mean(values) - known) / error_of(values, 0, 1))
    assert len(off) > 20
    assert 0.75 < sqrt(fmean(value * value for value in off)) < 1.25


def test_equal_outcomes_leave_a_small_error():
    error = error_of([0.0] * 100, 0, 1)
    assert error == pytest.approx(0.01, rel=0.02), "one playout of 100 could have been different"


def test_a_shared_win_counts_as_its_share():
    assert worth(Outcome((0, 2, 0), (5, 1, 5)), "places") == (0.5, 0, 0.5)
    assert worth(Outcome((1, 0, 2), (3, 5, 1)), "points") == (3, 5, 1)


def test_a_fault_turns_the_game():
    replay = played("raj", 2, seed=3)
    seat = replay.outcome.ranks.index(0)
    lapse = Lapse(seat, 2, "error", "it broke")
    curve = curve_of(replace(replay, faults=(lapse,), outcome=rank_last(replay.outcome, [seat])), playouts=100)
    assert curve.turning_point is not None
    assert (curve.turning_point.step, curve.chances[2][seat], curve.chances[-1][seat]) == (2, 0, 0)
    assert curve.chances[1][seat] > 0.2, "the fault is not known before it happens"


class NoDeal(Deal, frozen=True):
    """Nothing is dealt."""


class Bits(State):
    """Two seats in turn choose 0 or 1, six times in all."""

    decided_by_last: bool
    ends: bool
    chosen: tuple[int, ...] = ()

    def view(self, seat: int) -> View:
        return View(seat, (0, 1) if seat in self.turn else ())

    def step(self, moves) -> None:
        self.chosen += tuple(moves)
        self.turn = () if self.ends and len(self.chosen) == 6 else (len(self.chosen) % 2,)

    def outcome(self) -> Outcome:
        winner = sum(self.chosen) % 2 if self.decided_by_last else -1
        return Outcome(tuple(int(winner >= 0 and seat != winner) for seat in (0, 1)), (0, 0))


class BitGame(Game):
    """Odd or even: whoever chooses last decides. Or nobody does."""

    name = "bits"
    title = "Bits"
    player_counts = range(2, 3)
    deal_type = NoDeal
    view_type = View
    decided_by_last = True
    ends = True

    def deal(self, rng: Random) -> NoDeal:
        return NoDeal()

    def start(self, deal: NoDeal) -> Bits:
        return Bits((0,), self.decided_by_last, self.ends)

    def label(self, move, view):
        return f"chooses {move}"

    def tell(self, before, moves, after, names):
        return []


def bits(monkeypatch, chosen: str, **rules: bool) -> Replay:
    """A game of bits that was played so; then the rules are changed."""
    game = BitGame()
    replay = record(game, NoDeal(), [(int(bit),) for bit in chosen])
    for name, value in rules.items():
        monkeypatch.setattr(BitGame, name, value)
    monkeypatch.setattr(turning_points, "game_of", lambda replay: game)
    monkeypatch.setattr("league.games.replay.game_of", lambda replay: game)
    monkeypatch.setattr(blunders, "game_of", lambda replay: game)
    return replay


@pytest.mark.parametrize("chosen", ["000000", "010101", "111110", "101100"])
def test_the_step_that_decides_is_the_turning_point(monkeypatch, chosen):
    """Before the last choice both seats have a chance of a half: all changes until then are noise."""
    turned = curve_of(bits(monkeypatch, chosen), playouts=200).turning_point
    assert turned is not None
    assert (turned.step, turned.after) == (6, float(chosen.count("1") % 2 == turned.seat))
    assert abs(turned.before - 0.5) < 0.15


def test_noise_is_no_turning_point(monkeypatch):
    replay = bits(monkeypatch, "010101", decided_by_last=False)
    curve = curve_of(replace(replay, outcome=Outcome((0, 0), (0, 0))), playouts=50)
    assert curve.turning_point is None
    quiet = ((0.5, 0.5), (0.53, 0.47), (0.49, 0.51))
    assert turning_points._turning_point(quiet, ((0.02, 0.02),) * 3) is None
    assert turning_points._turning_point(quiet, ((0.001, 0.001),) * 3).step == 2


@each(("of_the_bound", "named"), [(0.9, False), (0.99, False), (1.01, True), (1.2, True)])
def test_a_turning_point_lies_beyond_the_bound_for_changes_either_way(of_the_bound, named):
    changes = 3
    bound = NormalDist().inv_cdf(1 - turning_points.FALSE_ALARMS / 2 / changes)
    change, error = of_the_bound * bound * 0.1, 0.1
    chances = ((0.5,), (0.5,), (0.5,), (0.5 - change,))
    found = turning_points._turning_point(chances, ((error,), (error,), (error,), (0.0,)))
    assert (found is not None) == named


def test_at_most_one_quiet_game_in_20_gets_a_turning_point():
    rng, named = Random(1), 0
    for _ in range(200):
        steps_of_game = []
        for _ in range(16):
            won = [float(rng.random() < 0.5) for _ in range(50)]
            steps_of_game.append((won, [1 - each for each in won]))
        chances = tuple(tuple(map(mean, seats)) for seats in steps_of_game)
        errors = tuple(tuple(error_of(seat, 0, 1) for seat in seats) for seats in steps_of_game)
        named += turning_points._turning_point(chances, errors) is not None
    assert 0 < named <= 200 * turning_points.FALSE_ALARMS


def test_a_game_without_an_end_has_no_curve():
    with pytest.raises(LeagueError, match=r"^Chances at bits cannot be estimated: .* goes on after 2,000 steps\.$"):
        turning_points.played_out(BitGame(), Bits((0,), decided_by_last=True, ends=False), Random(1))


def test_long_games_get_fewer_playouts(monkeypatch):
    replay = bits(monkeypatch, "000000")
    monkeypatch.setattr(turning_points, "MOST_STEPS", 600)
    curve = curve_of(replay)
    assert curve.playouts == (17, 20, 25, 34, 50, 100, 0), "100 steps for each position, of 6 to 1 steps a playout"


def item(replay: Replay, seat: int, unit: Unit = "places") -> blunders._Item:
    return blunders._Item("raj-2p:ann+bob:0.0", "raj-2p", replay, seat, unit)


@pytest.mark.parametrize("unit", ["places", "points"])
def test_losses_agree_with_exact_values(unit):
    """In the last round but one of Raj all cards are known, except for the other's choice between its two."""
    for seed in range(4):
        replay = played("raj", 2, seed=seed)
        step, state, move = [*blunders._decisions(item(replay, 0))][-1]
        assert (step, len(state.legal(0))) == (14, 2)
        (other,) = {*state.legal(0)} - {move}
        known = {}
        for choice in (move, other):
            values = []
            for reply in state.legal(1):
                after = state.copy()
                after.step((choice, reply))
                values.append(exact(after, unit)[0])
            known[choice] = fmean(values)
        judged = blunders._judged("ann", blunders._Suspect(item(replay, 0, unit), step, move, other, 0.0))
        assert (judged.played, judged.better) == (f"bids {move}", f"bids {other}")
        assert abs(judged.loss - (known[other] - known[move])) <= 4 * judged.error
        assert judged.chance_of_better - judged.chance == pytest.approx(judged.loss)


def test_the_worst_decision_that_screening_finds_is_confirmed():
    _, suspects, _ = blunders._screened(item(played("raj", 2, seed=2), 0))
    assert suspects
    worst = max(suspects, key=lambda suspect: suspect.loss)
    judged = blunders._judged("ann", worst)
    assert judged.loss > blunders.SURE * judged.error
    assert blunders._judged("ann", worst) == judged, "the same game is judged in the same way"


def test_a_bot_that_was_out_decides_nothing():
    replay = played("raj", 2)
    lapse = Lapse(1, 5, "error", "it broke")
    faulty = replace(replay, faults=(lapse,))
    assert [step for step, _, _ in blunders._decisions(item(faulty, 1))] == [1, 2, 3, 4]
    assert [step for step, _, _ in blunders._decisions(item(faulty, 0))] == [*range(1, 15)], "the last card is forced"


def test_a_game_without_imagine_is_left_out_with_a_reason(monkeypatch):
    _, _, problem = blunders._screened(item(bits(monkeypatch, "000000"), 0))
    assert problem.startswith("raj-2p is left out: bits has no imagine")


def test_own_games_have_curves():
    """Kuhn poker counts points, and has no playout of its own."""
    kuhn = games.load("examples/kuhn/kuhn.py")
    game = kuhn(2)
    deal = game.deal(Random(3))
    state, moves = game.start(deal), []
    while state.turn:
        moves.append([state.legal(seat)[0] for seat in state.turn])
        state.step(moves[-1])
    replay = record(game, deal, moves, ("ann", "bob"))
    curve = curve_of(replay)
    assert curve.unit == "points"
    known = exact(game.start(deal), "points")
    assert all(
        abs(value - expected) <= 4 * error
        for value, expected, error in zip(curve.chances[0], known, curve.errors[0], strict=True)
    )
