"""Grades: points for each person from a formula over milestones and places, so that nobody is graded on noise.

A scheme is a small YAML file:

    formula: 40 + milestones + (10 if place <= 5 else 0)
    late_per_day: 10
    most: 100

`place` is the best place that the results leave open, so bots that are level have the same one.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from league.errors import ConfigError, LeagueError, did_you_mean
from league.extensions.course.people import Member, People
from league.results.lines import UNPLAYED, Line
from league.results.milestones import Progress, progress_of, undecided
from league.results.standings import Standings
from league.setup import yaml_lines
from league.tools.files import read_bytes
from league.tools.reading import MistakeError, read
from league.tools.table import is_missing
from league.tools.text import safe, shown_path
from league.values.block import MilestoneStep
from league.values.settings import Milestone

MOST_BYTES = 100_000
_MOST_NODES = 500
NAMES = {
    "handed_in": "1 if the person has a bot in the league, else 0",
    "milestones": "the points of the milestones that it has reached",
    "reached": "how many milestones it has reached",
    "place": "the best place that the results leave open; the number of bots without a place",
    "bots": "how many bots have a place",
    "rating": "its rating",
    "low": "the lower end of the rating's interval",
    "best": "how probable it is that it is the best, from 0 to 1",
    "score": "its mean place score, from 0 to 1",
    "games": "its games",
    "faults": "its faults",
    "late_days": "begun days after the deadline, from the report of `league class collect`",
    "bonus": "the column 'bonus' of the roster",
}
"""What a formula may use."""
_FUNCTIONS: dict[str, Callable[..., float]] = {"min": min, "max": max, "abs": abs, "round": round, "sqrt": math.sqrt}
_ARITHMETIC = (
    *(ast.Name, ast.Load, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.And, ast.Or, ast.IfExp),
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.USub, ast.UAdd, ast.Not),
    *(ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq),
)
"""The parts of a formula beside numbers and functions: nothing else is let through, so evaluating one is harmless."""
_NO_LINE = Line(place=UNPLAYED, bot="", rating=0.0, sigma=0.0, low=0.0, high=0.0)


class Scheme(msgspec.Struct, frozen=True):
    """How standings become grades."""

    formula: str = "milestones"
    """Points: the names in `NAMES`, + - * /, comparisons, `A if CONDITION else B`, min, max, round, abs, sqrt."""
    late_per_day: Annotated[float, Meta(ge=0, le=100)] = 0.0
    """Percent of the points that each begun day after the deadline costs."""
    round_to: Annotated[float, Meta(ge=0.001, le=1000)] = 0.5
    """Grades are multiples of this; halves are rounded up."""
    least: float = 0.0
    """No grade is less."""
    most: float = 1e6
    """No grade is more."""


class Grade(msgspec.Struct, frozen=True):
    """What one person gets, and why."""

    member: Member
    line: Line | None
    """None if the person has no bot in the league."""
    progress: Progress
    late_days: int
    points: float
    """By the formula."""
    grade: float
    refused: str = ""
    """Why their newest hand-in was refused, if it was."""

    @property
    def undecided(self) -> tuple[MilestoneStep, ...]:
        """The milestones of which the games do not tell whether they are reached: they count as not reached."""
        return tuple(step for step in self.progress.steps if self.line and step.state == "undecided")


def read_scheme(path: Path) -> Scheme:
    """A scheme from a YAML file; raises `ConfigError` with the line of a mistake."""
    return scheme_of(read_bytes(path, MOST_BYTES, ConfigError).decode(errors="replace"), shown_path(path))


def scheme_of(text: str, where: str) -> Scheme:
    """A scheme from the text of its file; `where` is what messages call it."""
    document = yaml_lines.parse(text, where)
    try:
        scheme: Scheme = read(document.value or {}, Scheme, "a scheme")
    except MistakeError as mistake:
        raise document.error(mistake) from None
    Formula(scheme.formula)
    return scheme


class Formula:
    """Arithmetic with a few names."""

    def __init__(self, text: str) -> None:
        self._text = text
        try:
            tree = ast.parse(text.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ConfigError(f"formula: expected arithmetic such as '40 + milestones', found {text[:80]!r}.") from None
        nodes = list(ast.walk(tree.body))
        if len(nodes) > _MOST_NODES:
            raise ConfigError(f"formula: expected at most {_MOST_NODES} parts, found {len(nodes)}.")
        for node in nodes:
            self._check(node)
        self._code = compile(tree, "formula", "eval")
        self.value(dict.fromkeys(NAMES, 1.0))

    def value(self, values: Mapping[str, float]) -> float:
        """What the formula gives for these values."""
        try:
            return float(eval(self._code, {"__builtins__": {}}, {**_FUNCTIONS, **values}))  # noqa: S307 - `_check`
        except (ArithmeticError, ValueError, TypeError) as problem:
            raise ConfigError(f"formula: {self._text[:80]!r} cannot be computed: {problem}.") from None

    def _check(self, node: ast.AST) -> None:
        if isinstance(node, ast.Name) and node.id not in NAMES and node.id not in _FUNCTIONS:
            hint = did_you_mean(node.id, [*NAMES, *_FUNCTIONS])
            raise ConfigError(f"formula: expected one of {', '.join(NAMES)}, found {node.id!r}.{hint}")
        numbers = isinstance(node, ast.Constant) and isinstance(node.value, int | float) and abs(node.value) < 1e12
        calls = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS
        if not (numbers or calls or isinstance(node, _ARITHMETIC)):
            raise ConfigError(f"formula: expected arithmetic, found {ast.unparse(node)[:80]!r}.")


def grades(
    people: People,
    standings: Standings,
    milestones: tuple[Milestone, ...],
    scheme: Scheme,
    late_hours: Mapping[str, float],
    refused: Mapping[str, str] | None = None,
) -> list[Grade]:
    """The grade of each person, in the order of the roster.

    By bot, `late_hours` says how late it was handed in, and `refused` why the newest hand-in was.
    """
    formula = Formula(scheme.formula)
    lines = {line.bot: line for line in standings.overall}
    placed = sum(line.has_place for line in lines.values())
    result = []
    for member in people.people:
        line = lines.get(member.bot)
        of = line or _NO_LINE
        progress = progress_of(standings, milestones, member.bot) if line else Progress(member.bot, 0.0, ())
        late_days = math.ceil(late_hours.get(member.bot, 0.0) / 24)
        values = {
            "handed_in": float(line is not None),
            "milestones": progress.points,
            "reached": float(progress.reached),
            "place": float(of.place.partition("-")[0] if of.has_place else max(placed, 1)),
            "bots": float(placed),
            "rating": of.rating,
            "low": of.low,
            "best": 0.0 if is_missing(of.best) else of.best,
            "score": 0.0 if is_missing(of.mean_score) else of.mean_score,
            "games": float(of.games),
            "faults": float(of.faults),
            "late_days": float(late_days),
            "bonus": _bonus(member),
        }
        points = formula.value(values)
        kept = points * max(0.0, 1 - late_days * scheme.late_per_day / 100)
        grade = min(max(_rounded(kept, scheme.round_to), scheme.least), scheme.most)
        result.append(Grade(member, line, progress, late_days, points, grade, (refused or {}).get(member.bot, "")))
    return result


def doubts(standings: Standings, grades: Sequence[Grade]) -> list[str]:
    """Why these grades are not final yet: games are missing, or do not decide a milestone. None: they are."""
    told = []
    if standings.progress and not standings.progress.finished:
        told.append(f"The league is unfinished: {standings.progress}. Run it again first.")
    still_open, _ = undecided(grade.progress for grade in grades if grade.line)
    if still_open:
        told.append(f"Undecided: {still_open}.")
    return told


def _rounded(points: float, step: float) -> float:
    return round(math.floor(points / step + 0.5 + 1e-9) * step, 6)


def _bonus(member: Member) -> float:
    text = next((cell.strip() for heading, cell in member.row.items() if heading.casefold() == "bonus"), "")
    try:
        return float(text.replace(",", ".") or 0)
    except ValueError:
        raise LeagueError(f"The bonus of {safe(member.name)}: expected a number, found {text!r}.") from None
