"""Grades of an arena's authors, from its final or, before that, from its ladder. People of a team share theirs."""

from __future__ import annotations

from league.errors import ArenaError
from league.extensions.arena.folder import arena_config, shown_league
from league.extensions.arena.records import Participant
from league.extensions.arena.store import ArenaStore
from league.extensions.course.feedback import details_text
from league.extensions.course.grades import Scheme, doubts, grades
from league.extensions.course.people import Member, People
from league.results.schema import FILE
from league.results.standings import Standings
from league.results.store import Store


def grade_table(arena: ArenaStore, scheme: Scheme) -> tuple[str, list[str]]:
    """A grade for each author, with all that is behind it, as CSV, and why they are not final yet.

    Raises `ArenaError` if nothing was played yet.
    """
    config = arena_config(arena.folder)
    league = shown_league(arena.folder, config, arena.rules.phase)
    if not (league / FILE).is_file():
        raise ArenaError("No round has been played yet, so there are no grades.")
    if scheme.formula == Scheme().formula and not config.milestones:
        raise ArenaError("The league has no milestones. Give a formula, such as 'handed_in * (100 - place)'.")
    authors = [person for person in arena.people() if not person.is_staff]
    people = People(tuple(_member(person) for person in authors), ("name", "alias", "team", "bot"))
    with Store.open(league) as store:
        standings = Standings.of(store)
        given = grades(people, standings, config.milestones, scheme, _late_hours(arena))
    return details_text(given, ("alias", "team")), doubts(standings, given)


def _member(person: Participant) -> Member:
    row = {"name": person.name, "alias": person.alias, "team": person.team, "bot": person.bot}
    return Member(person.name, person.bot, row, frozenset(), frozenset())


def _late_hours(arena: ArenaStore) -> dict[str, float]:
    """By how much the version of each bot that plays was late, if it was: the lecturer has accepted it then.

    People of a team may have deadlines of their own. What counts is that of the one who handed it in.
    """
    senders, hours = {person.id: person for person in arena.people()}, {}
    for bot, version in arena.chosen().items():
        deadline = arena.deadline_of(senders[version.person])
        hours[bot] = 0.0 if deadline is None else max(0.0, version.received - deadline) / 3600
    return hours
