"""When a milestone is reached, not reached, or undecided, with differences on both sides of each bound."""

from types import SimpleNamespace

import numpy as np
import pytest

from league.results import milestones
from league.results.compare import Difference
from league.results.standings import Standings
from league.values.settings import Milestone
from tests.rating.results import blocks_of, contest, results_of
from tests.tables import each

AHEAD, LEVEL = Difference(2, 0.5, 3.5, True, error=0.6), Difference(0, -1, 1, False, error=0.4)
BEHIND = Difference(-2, -3.5, -0.5, True, error=0.6)
UNKNOWN = Difference(2, 0.5, 3.5, False, known=False, error=0.6)


def step(monkeypatch, milestone, parts, plays):
    """What is said of amy, who plays some contests and was found to be so far ahead in two of them."""
    contests = [
        SimpleNamespace(contest=f"raj-{players}p", rating=part, games=100) for players, part in enumerate(parts, 2)
    ]
    overall = SimpleNamespace(contest="overall", rating=AHEAD, games=200)
    monkeypatch.setattr(milestones, "compare", lambda *_: SimpleNamespace(overall=overall, contests=contests))
    everything = frozenset({"raj-2p", "raj-3p", "rats-2p"})
    standings = SimpleNamespace(plays={"amy": frozenset(plays), "near": everything})
    return milestones._step(standings, milestone, "amy")


@each(
    ("game", "margin", "parts", "state", "said"),
    [
        ("raj", 0, (AHEAD, AHEAD), "reached", "ahead of near, settled"),
        ("raj", 0, (AHEAD, LEVEL), "undecided", "about as good as near; "),
        ("raj", 0, (AHEAD, BEHIND), "not reached", "near is clearly better"),
        ("raj", 0, (AHEAD, UNKNOWN), "undecided", "about as good as near; "),
        ("raj", 0, (UNKNOWN, BEHIND), "not reached", "near is clearly better"),
        ("raj", 0.99, (LEVEL, LEVEL), "undecided", "about as good as near; "),
        ("raj", 1.01, (LEVEL, AHEAD), "reached", "not behind near by more than 1.01, settled"),
        ("raj", 1.01, (LEVEL, BEHIND), "undecided", "behind near, perhaps by less than 1.01; "),
        ("raj", 0.51, (AHEAD, BEHIND), "undecided", "behind near, perhaps by less than 0.51; "),
        ("raj", 0.49, (AHEAD, BEHIND), "not reached", "near is clearly better"),
        ("raj-2p", 0, (AHEAD, BEHIND), "reached", "ahead of near, settled"),
        ("raj-3p", 0, (AHEAD, BEHIND), "not reached", "near is clearly better"),
        ("rats", 0, (AHEAD, AHEAD), "undecided", "no games of rats with near yet"),
        ("", 0, (BEHIND, BEHIND), "reached", "ahead of near, settled"),
    ],
)
def test_a_milestone_is_reached_in_each_contest_of_its_game(monkeypatch, game, margin, parts, state, said):
    milestone = Milestone("near", points=1, margin=margin, game=game)
    found = step(monkeypatch, milestone, parts, ["raj-2p", "raj-3p", "rats-2p"])
    assert found.state == state
    assert found.about.startswith(said)
    assert found.reached == (state == "reached")


@each(
    ("game", "plays", "state"),
    [
        ("raj", ["rats-2p"], "not reached"),
        ("raj", ["raj-3p"], "reached"),
        ("raj-2p", ["raj-3p"], "not reached"),
        ("", ["rats-2p"], "reached"),
        ("", [], "not reached"),
    ],
)
def test_a_bot_that_does_not_play_the_game_of_a_milestone_has_not_reached_it(monkeypatch, game, plays, state):
    assert step(monkeypatch, Milestone("near", game=game), (AHEAD, AHEAD), plays).state == state


def test_what_is_undecided_says_what_would_decide(monkeypatch):
    near, far = (
        step(monkeypatch, Milestone("near", game="raj-2p", margin=margin), (LEVEL, LEVEL), ["raj-2p"])
        for margin in (0.9, 0.1)
    )
    assert near.lead == far.lead == pytest.approx(1 + 0.8416 * 0.4, abs=1e-3)
    assert 0 < near.games < far.games
    assert f"at least {far.games:,} more games would decide it (and find a lead of 1.34 in 80% of cases)" in far.about


def test_what_is_found_with_80_percent_is_found_so_often():
    """Leads of exactly that size, seen with an error that is known, exceed the bound in four of five cases."""
    seen = LEVEL.found + LEVEL.error * np.random.default_rng(1).standard_normal(100_000)
    assert (seen > LEVEL.high).mean() == pytest.approx(0.8, abs=0.005)


def test_progress_adds_up_what_is_reached_and_counts_what_is_undecided():
    skills = {"ann": 5.0, "bob": 0.0, "cy": 0.0, "dee": -5.0}
    two = contest("raj", 2)
    standings = Standings(results_of(list(blocks_of(two, skills)), [two], dict.fromkeys(skills, ("raj-2p",))))
    goals = [Milestone("bob", points=3), Milestone("cy", points=5)]
    ann, *_ = milestones.all_progress(standings, goals)
    assert (ann.bot, ann.points, ann.reached, milestones.undecided([ann])) == ("ann", 8, 2, ("", 0))
    bob = milestones.progress_of(standings, goals, "bob")
    assert (bob.points, bob.reached) == (0, 0)
    (step,) = bob.steps
    more = f"1 milestone of 1 bot; at least {step.games:,} more games of a pair would decide all of them"
    assert milestones.undecided([ann, bob]) == (more, step.games)
