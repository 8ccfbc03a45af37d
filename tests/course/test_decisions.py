"""What is decided about a person's hand-in and grade, with values on both sides of each comparison."""

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

from league.extensions.course import collect
from league.extensions.course.grades import Scheme, grades
from league.extensions.course.handins import HandIn
from league.extensions.course.people import Member
from tests.results.test_lines import line
from tests.tables import each

AMY = Member("Amy", "amy", {}, frozenset(), frozenset())


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
    judged, _ = collect._judged(AMY, [older, newer, same], tmp_path, Path("bots"), {}, None, 64)
    assert judged.reason == "the second attempt"


@each(("seconds", "late"), [(999.0, False), (1_000.0, False), (1_040.0, True)])
def test_a_hand_in_at_the_very_deadline_is_in_time(seconds, late):
    deadline = datetime.fromtimestamp(1_000.0, UTC)
    one = collect._line("Amy", "amy", "refused", HandIn("Amy", time=seconds), 1, deadline)
    assert (one.late_hours > 0) == late
