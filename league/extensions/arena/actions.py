"""What the staff decide on their pages: one table of who may do what, with which fields, and what it does.

    action = ACTIONS["renew"]
    if action.may(actor, about) and action.fits(arena.rules, about):
        done = action.do(StaffDecision(arena, actor, about, form))

Each has a page that says what will happen, with a button to confirm it, so all of it works without script. `league
arena` has the same as commands.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from league.extensions.arena.access import utc
from league.extensions.arena.archive import backup, export, forget
from league.extensions.arena.database import RefusedError
from league.extensions.arena.invitations import Invitation, guests_of, invitation, invite
from league.extensions.arena.records import STAFF, ArenaRules, Late, Participant, Replays, Role
from league.extensions.arena.store import ArenaStore

MOST_NOTICE = 1000
MILESTONES = "milestones"
"""The formula for grades unless there is another."""
_LECTURER: tuple[Role, ...] = ("lecturer",)


class Field(NamedTuple):
    """Something to fill in."""

    name: str
    label: str
    kind: Literal["text", "number", "datetime-local", "checkbox", "select", "area"] = "text"
    value: str = ""
    options: tuple[str, ...] = ()
    required: bool = True


class StaffDecision(NamedTuple):
    """Somebody of the staff has decided something."""

    arena: ArenaStore
    actor: Participant
    about: Participant | None
    """Whom it is about."""
    form: Mapping[str, str]
    base: str = ""
    """Where the arena is on the web, for links."""
    place: Path = Path()
    """An empty folder for a file to download."""

    @property
    def person(self) -> Participant:
        """Whom it is about, for decisions about somebody."""
        assert self.about is not None
        return self.about


class Done(NamedTuple):
    """What a decision came to."""

    text: str
    invitations: Sequence[Invitation] = ()
    """New links, which are shown only now."""
    file: Path | None = None
    """To download."""


Do = Callable[[StaffDecision], Done]
Fields = Callable[[ArenaStore, Participant | None], tuple[Field, ...]]
Offered = Callable[[ArenaRules, Any], bool]
"""Asked with the person whom it is about, or None."""


class StaffAction(NamedTuple):
    """A decision that the staff can make."""

    name: str
    title: str
    roles: tuple[Role, ...]
    """Who may make it."""
    text: str
    """What happens then, for the page that asks for a confirmation."""
    do: Do
    about: Literal["", "author", "anybody"]
    """Whom it is about. Only the lecturer decides about members of the staff."""
    fields: Fields
    offered: Offered
    """Whether it makes sense now."""
    final: bool
    """It cannot be undone, so a box must be ticked."""

    def may(self, actor: Participant, about: Participant | None) -> bool:
        """Whether somebody may decide this."""
        return actor.role in self.roles and (about is None or not about.is_staff or actor.role == "lecturer")

    def fits(self, rules: ArenaRules, about: Participant | None) -> bool:
        """Whether it makes sense now, for this person."""
        concerned = about is not None and (self.about == "anybody" or not about.is_staff)
        return (concerned if self.about else about is None) and self.offered(rules, about)


ACTIONS: dict[str, StaffAction] = {}
"""All of them, by name. Assistants help people and the ladder along; what decides about grades is the lecturer's."""


def _action(
    title: str,
    roles: tuple[Role, ...],
    about: Literal["", "author", "anybody"] = "",
    fields: Fields = lambda *_: (),
    offered: Offered = lambda *_: True,
    final: bool = False,
) -> Callable[[Do], Do]:
    """Put a function into `ACTIONS`, by its name; its docstring tells the staff what will happen."""

    def add(do: Do) -> Do:
        name, text = do.__name__.removeprefix("_"), " ".join((do.__doc__ or "").split())
        ACTIONS[name] = StaffAction(name, title, roles, text, do, about, fields, offered, final)
        return do

    return add


def offers(rules: ArenaRules, actor: Participant, about: Participant | None = None) -> list[StaffAction]:
    """What somebody of the staff can decide now, about a person or about the arena."""
    return [action for action in ACTIONS.values() if action.may(actor, about) and action.fits(rules, about)]


# About the arena


@_action("Pause the ladder", STAFF, offered=lambda rules, _: not rules.paused and rules.phase != "over")
def _pause(decision: StaffDecision) -> Done:
    """The ladder stops within seconds, and keeps what it has played. Hand-ins and checks go on."""
    decision.arena.change_rules(decision.actor.alias, paused=True)
    return Done("The ladder stops within seconds, and keeps what it has played. Hand-ins are taken and checked.")


@_action("Resume the ladder", STAFF, offered=lambda rules, _: rules.paused)
def _resume(decision: StaffDecision) -> Done:
    """The ladder goes on where it stopped."""
    decision.arena.change_rules(decision.actor.alias, paused=False)
    return Done("The ladder plays on.")


def _invite_fields(arena: ArenaStore, about: Participant | None) -> tuple[Field, ...]:
    return (Field("table", "People, a line each, below the headings", "area", "name,alias,team,role\n"),)


@_action("Invite people", STAFF, fields=_invite_fields)
def _invite(decision: StaffDecision) -> Done:
    """Everybody new gets a personal link. Who was invited before keeps theirs.

    `alias` is what everybody sees, and the name of the bot; left empty, one is drawn. People of one `team` share a bot.
    `role` is author, or assistant or lecturer.
    """
    guests = guests_of(decision.form.get("table", ""), "line")
    if decision.actor.role != "lecturer" and any(guest.role != "author" for guest in guests):
        raise RefusedError("Only the lecturer can invite members of the staff. Nobody was invited.")
    links, present = invite(decision.arena, guests, decision.actor.alias, decision.base)
    text = f"{'1 person was' if len(links) == 1 else f'{len(links):,} people were'} invited."
    if present:
        text += f" Already there: {', '.join(person.alias for person in present)}."
    return Done(text, links)


def _grades_fields(arena: ArenaStore, about: Participant | None) -> tuple[Field, ...]:
    return (
        Field("formula", "Formula, as for `league class grades`", "text", MILESTONES),
        Field("late_per_day", "Percent that each day after the deadline costs", "number", "0"),
    )


@_action("Download grades", STAFF, fields=_grades_fields)
def _grades(decision: StaffDecision) -> Done:
    """A table with a grade for each author: of the final when it is over, before that of the ladder as it is."""
    from league.extensions.arena.grading import (
        grade_table,  # it loads what standings need, which the web server does not
    )
    from league.extensions.course.grades import Formula, Scheme

    text = decision.form.get("late_per_day", "").strip() or "0"
    if not (text.isascii() and text.isdigit() and int(text) <= 100):
        raise RefusedError(f"Expected percent from 0 to 100 for each day, found {text[:40]!r}.")
    formula = decision.form.get("formula", "").strip() or MILESTONES
    Formula(formula)
    scheme = Scheme(formula=formula, late_per_day=float(text))
    target = decision.place / f"{decision.arena.fact('name')}-grades.csv"
    target.write_text(grade_table(decision.arena, scheme), encoding="utf-8")
    decision.arena.log(decision.actor.alias, "grades", formula)
    return Done("Grades.", file=target)


def _when_fields(arena: ArenaStore, about: Participant | None) -> tuple[Field, ...]:
    deadline = about.deadline if about else arena.rules.deadline
    value = utc(deadline)[:16] if deadline is not None else ""
    return (
        Field("when", "Date and time; empty: none", "datetime-local", value, required=False),
        Field("offset", "Hours ahead of UTC in which it is meant, as in 1 or -5", "text", "0"),
    )


def _deadline_fields(arena: ArenaStore, about: Participant | None) -> tuple[Field, ...]:
    late = Field("late", "Later hand-ins", "select", arena.rules.late, get_args(Late))
    return (*_when_fields(arena, about), late)


def _moment(form: Mapping[str, str]) -> float | None:
    if not form.get("when", "").strip():
        return None
    try:
        moment = datetime.fromisoformat(form["when"].strip())
        offset = timedelta(hours=float(form.get("offset", "").strip() or 0))
        return (moment.replace(tzinfo=UTC) - offset).timestamp()
    except (ValueError, OverflowError):
        raise RefusedError("Expected a date and a time, as in 2027-01-31T18:00, and an offset in hours.") from None


@_action("Set the deadline", _LECTURER, fields=_deadline_fields, offered=lambda rules, _: rules.phase == "open")
def _deadline(decision: StaffDecision) -> Done:
    """When the last deadline is over, the arena closes and the final is played. Until then it can be moved."""
    late = decision.form.get("late") or decision.arena.rules.late
    if late not in get_args(Late):
        raise RefusedError(f"Expected refuse or keep for later hand-ins, found {late!r}.")
    moment = _moment(decision.form)
    decision.arena.set_deadline(decision.actor.alias, moment)
    decision.arena.change_rules(decision.actor.alias, late=late)
    after = "refused" if late == "refuse" else "kept aside"
    return Done(f"The deadline is {utc(moment) if moment else 'open'}. Later hand-ins are {after}.")


def _rules_fields(arena: ArenaStore, about: Participant | None) -> tuple[Field, ...]:
    rules = arena.rules
    return (
        Field("spectators", "People without a link see standings", "checkbox", "yes" if rules.spectators else ""),
        Field("replays", "Whose games authors can watch", "select", rules.replays, get_args(Replays)),
        Field("per_hour", "Hand-ins of one bot within an hour", "number", str(rules.per_hour)),
        Field("notice", "A notice on everybody's page; empty: none", "area", rules.notice, required=False),
    )


@_action("Change rules or notice", _LECTURER, fields=_rules_fields)
def _rules(decision: StaffDecision) -> Done:
    """Who may see and do what; it holds at once."""
    form = decision.form
    changes: dict[str, Any] = {"spectators": form.get("spectators") == "yes"}
    text = form.get("per_hour", "").strip()
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 10_000):
        raise RefusedError(f"Expected a whole number from 1 to 10,000 for per_hour, found {text[:40]!r}.")
    changes["per_hour"] = int(text)
    changes["replays"] = form.get("replays", "")
    if changes["replays"] not in get_args(Replays):
        raise RefusedError(f"Expected replays as one of {', '.join(get_args(Replays))}.")
    changes["notice"] = form.get("notice", "").strip()
    if len(changes["notice"]) > MOST_NOTICE:
        raise RefusedError(f"Expected a notice of at most {MOST_NOTICE:,} characters, found more.")
    before = decision.arena.rules
    changed = {name: value for name, value in changes.items() if getattr(before, name) != value}
    if changed:
        decision.arena.change_rules(decision.actor.alias, **changed)
    return Done(f"Changed: {', '.join(changed)}." if changed else "Nothing was changed.")


@_action("Begin the final", _LECTURER, offered=lambda rules, _: rules.phase == "open", final=True)
def _final(decision: StaffDecision) -> Done:
    """Hand-ins end now, instead of at the deadline.

    Waiting ones are checked, the standings freeze, and the final is played.
    """
    decision.arena.begin_final(decision.actor.alias)
    return Done("The arena is closed. The final begins when the last checks are done.")


@_action("Download a backup", _LECTURER)
def _backup(decision: StaffDecision) -> Done:
    """One .zip with everything that the arena needs, for `league arena restore`.

    It holds all hand-ins and the secret of the final: keep it to yourself.
    """
    target = decision.place / f"{decision.arena.fact('name')}-backup.zip"
    backup(decision.arena.folder, target)
    decision.arena.log(decision.actor.alias, "backup")
    return Done("A backup.", file=target)


@_action("Download records", _LECTURER)
def _export(decision: StaffDecision) -> Done:
    """One .zip with every version as a file, and people, receipts, verdicts, rounds and the log as CSV."""
    records = decision.place / f"{decision.arena.fact('name')}-records"
    export(decision.arena.folder, records)
    decision.arena.log(decision.actor.alias, "export")
    return Done("Records.", file=Path(shutil.make_archive(str(records), "zip", records)))


# About somebody


@_action("Renew link", STAFF, "anybody", offered=lambda _, about: not about.is_forgotten)
def _renew(decision: StaffDecision) -> Done:
    """{who} gets a new link. The old one ends, and so do all its sessions."""
    code = decision.arena.renew(decision.person, decision.actor.alias)
    link = invitation(decision.arena, decision.person, code, decision.base)
    return Done(f"The old link of {decision.person.alias} and all its sessions have ended.", [link])


@_action("Revoke link", STAFF, "anybody", offered=lambda _, about: not about.revoked)
def _revoke(decision: StaffDecision) -> Done:
    """Nobody comes in by the link of {who} any more. Their bot plays on."""
    if decision.person.id == decision.actor.id:
        raise RefusedError("This is your own link: you would lock yourself out. Renew it instead.")
    decision.arena.revoke(decision.person, decision.actor.alias)
    return Done(f"The link of {decision.person.alias} is revoked. Their bot plays on.")


@_action("Set own deadline", _LECTURER, "author", _when_fields, lambda rules, _: rules.phase == "open")
def _extend(decision: StaffDecision) -> Done:
    """{who} may hand in until then, earlier or later than the others."""
    moment = _moment(decision.form)
    decision.arena.set_deadline(decision.actor.alias, moment, decision.person)
    return Done(f"The deadline of {decision.person.alias} is {utc(moment) if moment else 'the same as for everybody'}.")


def _can_accept(rules: ArenaRules, about: Participant | None) -> bool:
    return rules.phase in ("open", "closed") and rules.late == "keep"


@_action("Accept late hand-in", _LECTURER, "author", offered=_can_accept)
def _accept(decision: StaffDecision) -> Done:
    """The newest late hand-in of {who} takes its place in the queue."""
    bot = decision.person.bot
    late = [submission for submission in decision.arena.submissions(bot) if submission.state == "late"]
    if not late:
        raise RefusedError(f"{bot} has no late hand-in.")
    decision.arena.accept_late(late[0], decision.actor.alias)
    return Done(f"Version {late[0].number} of {bot} is in the queue.")


def _reason_field(arena: ArenaStore, about: Participant | None) -> tuple[Field, ...]:
    return (Field("reason", "The reason, which the author reads"),)


@_action("Disqualify", _LECTURER, "author", _reason_field, lambda _, about: not about.disqualified)
def _disqualify(decision: StaffDecision) -> Done:
    """The bot of {who} plays neither on the ladder from the next round on, nor in the final."""
    reason = decision.form.get("reason", "").strip()
    if not reason:
        raise RefusedError("Expected a reason: the author will read it.")
    decision.arena.change_person(decision.person, decision.actor.alias, disqualified=reason[:MOST_NOTICE])
    return Done(f"{decision.person.bot} plays no more from the next round on.")


@_action("Readmit", _LECTURER, "author", offered=lambda _, about: bool(about.disqualified))
def _readmit(decision: StaffDecision) -> Done:
    """The bot of {who} takes part again."""
    decision.arena.change_person(decision.person, decision.actor.alias, disqualified="")
    return Done(f"{decision.person.bot} takes part again.")


def _can_forget(rules: ArenaRules, about: Participant) -> bool:
    return rules.phase == "over" and not about.is_forgotten


@_action("Forget", _LECTURER, "author", offered=_can_forget, final=True)
def _forget(decision: StaffDecision) -> Done:
    """Of the name of {who} the alias is left, of their sources the hashes. Standings, receipts and moves stay."""
    gone = forget(decision.arena, decision.person, decision.actor.alias)
    sources = f"So are the sources of {gone.bot}." if gone.sources else f"The sources of {gone.bot} stay for the team."
    return Done(f"The name, the link and the names of files of {gone.alias} are erased. {sources}")
