"""Grades of an arena's authors, from its final or, before that, from its ladder. People of a team share theirs."""

from __future__ import annotations

from pathlib import Path

from league.arena.folder import arena_config, shown_league
from league.arena.records import Participant
from league.arena.store import ArenaStore
from league.course.collect import Collected
from league.course.feedback import details_text
from league.course.grades import Grade, Scheme, grades
from league.course.people import Member, People
from league.errors import ArenaError
from league.results.schema import FILE
from league.results.standings import Standings
from league.results.store import Store

COLUMNS = ("alias", "team")


def grade_table(arena: ArenaStore, scheme: Scheme) -> str:
    """A grade for each author, with all that is behind it, as CSV."""
    return details_text(arena_grades(arena, scheme), COLUMNS)


def arena_grades(arena: ArenaStore, scheme: Scheme) -> list[Grade]:
    """A grade for each author; raises `ArenaError` if nothing has been played yet."""
    config = arena_config(arena.folder)
    league: Path = shown_league(arena.folder, config, arena.rules.phase)
    if not (league / FILE).is_file():
        raise ArenaError("No round has been played yet, so there are no grades.")
    if scheme.formula == Scheme().formula and not config.milestones:
        raise ArenaError("The league has no milestones. Give a formula, such as 'handed_in * (100 - place)'.")
    authors = [person for person in arena.people() if not person.is_staff]
    members = tuple(_member(person) for person in authors)
    late = {person.bot: lateness for person in authors if (lateness := _lateness(arena, person))}
    with Store.open(league) as store:
        people = People(members, ("name", *COLUMNS, "bot"))
        return grades(people, Standings.of(store), config.milestones, scheme, late)


def _member(person: Participant) -> Member:
    row = {"name": person.name, "alias": person.alias, "team": person.team, "bot": person.bot}
    return Member(person.name, person.bot, row, frozenset(), frozenset())


def _lateness(arena: ArenaStore, person: Participant) -> Collected | None:
    """By how much the version that plays was late, if it was: the lecturer has accepted it then."""
    active, deadline = arena.playing_version(person.bot), arena.deadline_of(person)
    submission = active and arena.submission(active.submission)
    if not submission or deadline is None or submission.received <= deadline:
        return None
    hours = (submission.received - deadline) / 3600
    return Collected(person.name, person.bot, "new", late_hours=hours)
