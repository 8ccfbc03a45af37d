"""Decisions of an arena, with values on both sides of each comparison."""

import csv
import io
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from league.extensions.arena import ladder as ladder_module
from league.extensions.arena.checker import Checker
from league.extensions.arena.grading import _late_hours, grade_table
from league.extensions.arena.ladder import Ladder
from league.extensions.arena.status import AuthorState
from league.extensions.arena.store import ArenaStore
from league.extensions.course.grades import Scheme
from league.setup.roster import random_bot
from league.values.settings import Isolation
from tests.arena.conftest import CONFIG, FAILING, HIGHEST, made, steps
from tests.arena.test_ladder import enter
from tests.leagues import bot
from tests.results.test_lines import line
from tests.tables import each


def never() -> bool:
    return False


@pytest.mark.parametrize(
    ("deadline", "own", "now", "phase"),
    [
        (1000.0, None, 1000.0, "open"),  # at the very second hand-ins count
        (1000.0, None, 1000.5, "final"),
        (1000.0, 900.0, 950.0, "open"),  # an own deadline that is earlier closes it for nobody else
        (1000.0, 900.0, 1000.5, "final"),
        (1000.0, 1100.0, 1050.0, "open"),
        (1000.0, 1100.0, 1100.5, "final"),
    ],
)
def test_an_arena_closes_when_the_last_deadline_is_over(arena, authors, deadline, own, now, phase):
    arena.change_rules("lecturer", deadline=deadline)
    if own is not None:
        arena.change_person(authors[0], "lecturer", deadline=own)
    ladder = Ladder(arena.folder, 1, Isolation.TRUSTED, clock=lambda: now)
    ladder.step(never)
    ladder.close()
    assert arena.rules.phase == phase


@each(("missing", "phase"), [(1, "closed"), (0, "final")])
def test_the_final_waits_for_disk(arena, authors, monkeypatch, missing, phase):
    arena.change_rules("lecturer", phase="closed")
    monkeypatch.setattr(ladder_module, "free_disk", lambda folder: ladder_module.LEAST_DISK - missing)
    ladder = Ladder(arena.folder, 1, Isolation.TRUSTED)
    ladder.step(never)
    ladder.close()
    assert arena.rules.phase == phase


def test_who_is_disqualified_or_benched_is_not_said_to_play(arena, authors):
    amy, _ = authors
    version = enter(arena, amy, HIGHEST)
    assert AuthorState.of(arena, amy).plays == 1
    arena.change_person(amy, "test", disqualified="copied")
    assert AuthorState.of(arena, amy).plays is None
    arena.change_person(amy, "test", disqualified="")
    arena.bench(version.id, "it failed")
    state = AuthorState.of(arena, amy)
    assert (state.plays, state.benched) == (None, "it failed")


@each(("games", "failed", "benched"), [(20, 11, True), (20, 10, False), (21, 11, True), (19, 19, False)])
def test_a_version_is_benched_when_it_failed_in_more_than_half_of_twenty_games(
    arena, authors, monkeypatch, games, failed, benched
):
    """Faults count once for each game, beside the games that were forfeited."""
    faults = [SimpleNamespace(bot="amy", address=f"{number // 2}") for number in range(2 * failed - 2)]
    monkeypatch.setattr(
        ladder_module, "Store", SimpleNamespace(open=lambda _: nullcontext(SimpleNamespace(faults=lambda: faults)))
    )
    version = enter(arena, authors[0], b"%d of %d" % (failed, games))
    ladder = Ladder(arena.folder, 1, Isolation.TRUSTED)
    standings = SimpleNamespace(overall=[line(bot="amy", games=games, forfeits=1)])
    ladder._bench({"amy": version.hash}, standings)
    ladder.close()
    assert ("amy" not in arena.active()) == benched


@each(
    ("rival", "told"),
    [(FAILING, "ahead in 16, level in 0, behind in 0"), (None, "ahead in 0, level in 0, behind in 16")],
)
def test_a_bot_that_always_wins_is_told_that_it_is_ahead(tmp_path, rival, told):
    folder = tmp_path / ("won" if rival else "lost")
    folder.mkdir()
    checker = Checker(made(folder).folder, Isolation.TRUSTED)
    failing = bot("failing", FAILING.decode())
    own, other = (random_bot("own"), failing) if rival else (failing, random_bot("other"))
    played = checker._played(own, [other], checker._config.contests()[0])
    checker.close()
    assert played == f"against {other.name}: {told} of 16 games (Raj, 2 players)"


def test_grades_after_the_final_follow_from_the_final(tmp_path):
    """There the order is another than on the ladder: the milestone fails in the final alone."""
    text = CONFIG.replace("deals: 8", "deals: 60") + "milestones: [{bot: rival, points: 10}]\n"
    (tmp_path / "rival.py").write_bytes(HIGHEST)
    arena = made(tmp_path, text.replace("bots: [", f"bots: [{tmp_path}/rival.py, "))
    [(amy, _)] = arena.invite([("Amy", "amy", "", "author")], "test")
    enter(arena, amy, FAILING)
    assert steps(arena, most=1)
    assert points_of(arena, "amy") == "0"
    enter(
        arena, amy, HIGHEST.replace(b"max(view.legal)", b"min(view.legal, key=lambda c: abs(c - abs(view.prize) - 4))")
    )
    arena.change_rules("test", phase="closed")
    steps(arena)
    assert points_of(arena, "amy") == "10"


def test_a_version_was_late_by_the_deadline_of_who_handed_it_in(arena, authors):
    moment, hours = enter(arena, authors[0], HIGHEST).received, []
    for deadline, own in ((None, None), (-2, None), (2, None), (-2, -1), (-2, 1), (2, -1)):
        arena.change_rules("test", deadline=None if deadline is None else moment + 3600 * deadline)
        arena.change_person(authors[0], "test", deadline=None if own is None else moment + 3600 * own)
        hours.append(_late_hours(arena)["amy"])
    assert hours == pytest.approx([0, 2, 0, 1, 0, 1])


def points_of(arena: ArenaStore, alias: str) -> str:
    text, _ = grade_table(arena, Scheme())
    [row] = [row for row in csv.DictReader(io.StringIO(text)) if row["alias"] == alias]
    return row["grade"]
