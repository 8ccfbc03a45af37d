"""What is decided about a person's hand-in and grade, with values on both sides of each comparison."""

from datetime import UTC, datetime
from math import nan
from pathlib import Path
from tempfile import mkdtemp
from types import SimpleNamespace

from league.extensions.course.collect import Collected, collect
from league.extensions.course.grades import Scheme, doubts, grades
from league.extensions.course.handins import HandIn, load_files
from league.extensions.course.people import Member, People
from league.plan.coverage import ContestProgress, LeagueProgress
from league.setup.bot_folder import BotFile, content_hash, folder_hash
from league.setup.versions import put
from tests.course.made_up_class import bot_text
from tests.results.test_lines import line
from tests.tables import each

AMY = Member("Amy", "amy", {}, frozenset(), frozenset(["amy"]))


def collected(handins, folder, before=None, deadline=None):
    """The line of Amy's newest hand-in, and which bots were tried: none of them passes."""
    tried = []

    def check(bots):
        tried.extend(bots)
        return [{"passed": False, "trials": []} for _ in bots]

    people, known = People((AMY,), ()), {"amy": before} if before else {}
    (line,) = collect(people, handins, folder, check, deadline=deadline, before=known)
    return line, tried


@each(
    ("place", "points"),
    [("1", 99.0), ("2", 98.0), ("2-3", 98.0), ("4-10", 96.0), ("partial", 98.0), ("unplayed", 98.0)],
)
def test_a_place_that_is_open_is_graded_as_the_best_that_it_may_be(place, points):
    """And a bot without a place as the last of the two that have one."""
    others = [line(bot=name, place=f"{number}") for number, name in enumerate(("bo", "cid"), 1)]
    standings = SimpleNamespace(overall=[line(bot="amy", place=place), *others])
    (grade,) = grades(SimpleNamespace(people=[AMY]), standings, (), Scheme(formula="100 - place"), {})
    assert grade.points == points


@each(
    ("hours", "points"),
    [(0.0, 100.0), (0.1, 90.0), (24.0, 90.0), (24.1, 80.0), (240.0, 0.0), (300.0, 0.0)],
)
def test_each_begun_day_after_the_deadline_costs(hours, points):
    standings = SimpleNamespace(overall=[line(bot="amy")])
    scheme = Scheme(formula="100", late_per_day=10)
    (grade,) = grades(SimpleNamespace(people=[AMY]), standings, (), scheme, {"amy": hours})
    assert grade.grade == points


def test_the_newest_attempt_counts_whatever_its_time(tmp_path):
    older = HandIn("Amy", time=2_000.0, attempt=1, problem="the first attempt")
    newer = HandIn("Amy", time=1_000.0, attempt=2, problem="the second attempt")
    same = HandIn("Amy", time=500.0, attempt=2, problem="the second attempt, earlier")
    line, _ = collected([older, newer, same], tmp_path)
    assert (line.reason, line.attempts) == ("the second attempt", 3)


OLD, NEW = bot_text("1"), bot_text("2")
FILES = {text: (BotFile("bot.py", content_hash(text.encode()), content=text.encode()),) for text in (OLD, NEW)}


def known(text, status="refused", **values):
    """What the last report has about a hand-in of Amy's."""
    return Collected("Amy", "amy", status, reason="why", hash=folder_hash(FILES[text]), **values)


@each(
    ("before", "is_tried"),
    [(None, True), (known(NEW), False), (known(OLD), True), (known(NEW, "replaced"), True)],
)
def test_only_what_was_refused_as_it_is_now_is_not_tried_again(tmp_path, before, is_tried):
    line, tried = collected([HandIn("Amy", time=1.0, files=FILES[NEW])], Path(mkdtemp(dir=tmp_path)), before)
    assert line.reason == ("it plays none of the league's contests." if is_tried else "why")
    assert bool(tried) == is_tried


@each(
    ("before", "late", "playing_late"),
    [
        (None, 2.0, 2.0),
        (known(OLD, "new", deadline="then"), 0.0, 0.0),  # it is the hand-in of then, and was in time
        (known(OLD, "new", late_hours=0.01), 0.01, 0.01),  # as the archive had said
        (known(OLD, "new"), 2.0, 2.0),  # nobody had asked for a deadline
        (known(NEW, playing_late_hours=1.0), 2.0, 1.0),  # the one that plays was handed in before that
    ],
)
def test_how_late_a_hand_in_was_is_decided_once(tmp_path, before, late, playing_late):
    """The bot that plays is the same as what is handed in now, two hours after a deadline."""
    place = Path(mkdtemp(dir=tmp_path))
    put(load_files(FILES[OLD], place / "old", "amy", 64), place, replace=False)
    handin, deadline = HandIn("Amy", time=8_200.0, files=FILES[OLD]), datetime.fromtimestamp(1_000.0, UTC)
    line, _ = collected([handin], place, before, deadline)
    assert (line.status, line.late_hours, line.playing_late_hours) == ("unchanged", late, playing_late)


@each(("best", "points"), [(0.25, 0.25), (nan, 0.0)])
def test_who_may_be_the_best_is_graded_only_where_that_is_known(best, points):
    standings = SimpleNamespace(overall=[line(bot="amy", best=best)])
    (grade,) = grades(SimpleNamespace(people=[AMY]), standings, (), Scheme(formula="best"), {})
    assert grade.points == points


@each(("games", "told"), [(None, False), (7, True), (8, False)])
def test_grades_of_an_unfinished_league_are_in_doubt(games, told):
    parts = (ContestProgress("raj-2p", games or 0, 8),)
    progress = None if games is None else LeagueProgress(0, 1, parts)
    found = doubts(SimpleNamespace(progress=progress), ())
    assert [sentence.startswith("The league is unfinished: ") for sentence in found] == [True] * told


@each(("seconds", "late"), [(999.0, False), (1_000.0, False), (1_040.0, True)])
def test_a_hand_in_at_the_very_deadline_is_in_time(tmp_path, seconds, late):
    handin = HandIn("Amy", time=seconds, problem="it is empty.")
    one, _ = collected([handin], tmp_path, deadline=datetime.fromtimestamp(1_000.0, UTC))
    assert (one.late_hours > 0) == late
