"""`run --until-decided` plays as much as grades need, and not more than it may."""

from __future__ import annotations

from tempfile import mkdtemp

import pytest

import league
from league.errors import LeagueError
from league.results.store import Store
from tests.course.made_up_class import bot_text
from tests.tables import each

pytestmark = pytest.mark.usefixtures("without_page")
CONFIG = {
    "league": "class",
    "bots": "bots",
    "games": [{"game": "raj", "deals": 2}],
    "isolation": "trusted",
    "seed": 4,
}
NEAR = bot_text("min(view.legal, key=lambda card: abs(card - abs(view.prize) - 4))")


@pytest.fixture(autouse=True)
def bots(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    for name, text in {"low": bot_text("view.legal[0]"), "near": NEAR, "near_too": f"{NEAR}#"}.items():
        (tmp_path / "bots" / f"{name}.py").write_text(text)


def play(milestone, **how):
    results = mkdtemp(dir=".")
    config = {**CONFIG, "milestones": [milestone]}
    played = league.run(config, until_decided=True, workers=1, results=results, **how)
    with Store.open(played.folder) as store:
        [event] = store.settings().events
    return event.deals, played.played.summary.progress.finished


@each(
    ("milestone", "deals"),
    [
        ({"bot": "low", "margin": 100}, {2, 4}),
        ({"bot": "low"}, {4, 8, 16}),
        ({"bot": "near"}, {32}),  # a copy stays level
        ({"bot": "near", "points": 0}, {2}),
    ],
)
def test_deals_are_doubled_while_that_may_decide_a_milestone(milestone, deals):
    played, finished = play(milestone)
    assert played in deals
    assert finished


@each(
    ("limit", "deals"),
    [({"games": 11}, 2), ({"games": 12}, 4), ({"games": 24}, 8), ({"games": 25}, 8), ({"for_": 1e-6}, 2)],
)
def test_it_ends_in_time(limit, deals):
    assert play({"bot": "near"}, **limit) == (deals, False)


def test_an_adaptive_league_ends_by_its_goal():
    adaptive = {"schedule": "adaptive", "settle": {"places": 1}}
    with pytest.raises(LeagueError, match="`settle` ends it"):
        league.run({**CONFIG, **adaptive}, until_decided=True)
