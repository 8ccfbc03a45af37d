"""What the staff decide on their pages: one table of who may do what, with which fields, and what it does.

    action = ACTIONS["hide"]
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

from league.arena.access import utc
from league.arena.archive import backup, export, forget
from league.arena.database import RefusedError
from league.arena.invitations import Invitation, guests_of, invitation, invite
from league.arena.records import ArenaRules, Late, Participant, Replays, Role
from league.arena.store import ArenaStore

MOST_NOTICE = 1000
MILESTONES = "milestones"
"""The formula for grades unless there is another."""
_BOTH: tuple[Role, ...] = ("lecturer", "assistant")
_LECTURER: tuple[Role, ...] = ("lecturer",)
FieldKind = Literal["text", "number", "datetime-local", "checkbox", "select", "area"]


class Field(NamedTuple):
    """Something to fill in."""

    name: str
    label: str
    kind: FieldKind = "text"
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
    """Where the arena is in the web, for links."""
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


def _nothing(arena: ArenaStore, about: Participant | None) -> tuple[Field, ...]:
    return ()


def _always(rules: ArenaRules, about: Participant | None) -> bool:
    return True


class StaffAction(NamedTuple):
    """A decision that the staff can make."""

    name: str
    title: str
    roles: tuple[Role, ...]
    """Who may make it."""
    text: str
    """What happens then, for the page that asks for a confirmation."""
    do: Callable[[StaffDecision], Done]
    about: Literal["", "author", "anybody"] = ""
    """Whom it is about. Only the lecturer decides about members of the staff."""
    fields: Callable[[ArenaStore, Participant | None], tuple[Field, ...]] = _nothing
    offered: Callable[[ArenaRules, Participant | None], bool] = _always
    """Whether it makes sense now."""
    final: bool = False
    """It cannot be undone, so a box must be ticked."""

    def may(self, actor: Participant, about: Participant | None) -> bool:
        """Whether somebody may decide this."""
        return actor.role in self.roles and (about is None or not about.is_staff or actor.role == "lecturer")

    def fits(self, rules: ArenaRules, about: Participant | None) -> bool:
        """Whether it makes sense now, for this person."""
        concerned = about is not None and (self.about == "anybody" or not about.is_staff)
        return (concerned if self.about else about is None) and self.offered(rules, about)


def offers(rules: ArenaRules, actor: Participant, about: Participant | None = None) -> list[StaffAction]:
    """What somebody of the staff can decide now, about a person or about the arena."""
    return [action for action in ACTIONS.values() if action.may(actor, about) and action.fits(rules, about)]


def _pause(decision: StaffDecision) -> Done:
    decision.arena.change_rules(decision.actor.alias, paused=True)
    return Done("The ladder stops within seconds, and keeps what it has played. Hand-ins are taken and checked.")


def _resume(decision: StaffDecision) -> Done:
    decision.arena.change_rules(decision.actor.alias, paused=False)
    return Done("The ladder plays on.")


def _when_fields(arena: ArenaStore, about: Participant | None) -> tuple[Field, ...]:
    deadline = about.deadline if about else arena.rules.deadline
    value = utc(deadline)[:16] if deadline is not None else ""
    return (
        Field("when", "Date and time; empty: none", "datetime-local", value, required=False),
        Field("offset", "Hours ahead of UTC in which it is meant, as in 1 or -5", "text", "0"),
    )


def _deadline_fields(arena: ArenaStore, about: Participant | None) -> tuple[Field, ...]:
    return (
        *_when_fields(arena, about),
        Field("late", "Later hand-ins", "select", arena.rules.late, get_args(Late)),
    )


def _moment(form: Mapping[str, str]) -> float | None:
    if not form.get("when", "").strip():
        return None
    try:
        moment = datetime.fromisoformat(form["when"].strip())
        offset = timedelta(hours=float(form.get("offset", "").strip() or 0))
        return (moment.replace(tzinfo=UTC) - offset).timestamp()
    except (ValueError, OverflowError):
        raise RefusedError("Expected a date and a time, as in 2027-01-31T18:00, and an offset in hours.") from None


def _deadline(decision: StaffDecision) -> Done:
    late = decision.form.get("late") or decision.arena.rules.late
    if late not in get_args(Late):
        raise RefusedError(f"Expected refuse or keep for later hand-ins, found {late!r}.")
    moment = _moment(decision.form)
    decision.arena.set_deadline(decision.actor.alias, moment)
    decision.arena.change_rules(decision.actor.alias, late=late)
    after = "refused" if late == "refuse" else "kept aside"
    return Done(f"The deadline is {utc(moment) if moment else 'open'}. Later hand-ins are {after}.")


def _extend(decision: StaffDecision) -> Done:
    moment = _moment(decision.form)
    decision.arena.set_deadline(decision.actor.alias, moment, decision.person)
    return Done(f"The deadline of {decision.person.alias} is {utc(moment) if moment else 'the same as for everybody'}.")


def _rules_fields(arena: ArenaStore, about: Participant | None) -> tuple[Field, ...]:
    rules = arena.rules
    return (
        Field("spectators", "People without a link see standings", "checkbox", "yes" if rules.spectators else ""),
        Field("replays", "Whose games authors can watch", "select", rules.replays, get_args(Replays)),
        Field("per_hour", "Hand-ins of one bot within an hour", "number", str(rules.per_hour)),
        Field("practice_per_day", "Practice games of one bot within a day", "number", str(rules.practice_per_day)),
        Field("notice", "A notice on everybody's page; empty: none", "area", rules.notice, required=False),
    )


def _rules(decision: StaffDecision) -> Done:
    form = decision.form
    changes: dict[str, Any] = {"spectators": form.get("spectators") == "yes"}
    for name, least in (("per_hour", 1), ("practice_per_day", 0)):
        text = form.get(name, "").strip()
        if not (text.isascii() and text.isdigit() and least <= int(text) <= 10_000):
            raise RefusedError(f"Expected a whole number from {least} to 10,000 for {name}, found {text[:40]!r}.")
        changes[name] = int(text)
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


def _final(decision: StaffDecision) -> Done:
    decision.arena.begin_final(decision.actor.alias)
    return Done("The arena is closed. The final begins when the last checks are done.")


def _invite_fields(arena: ArenaStore, about: Participant | None) -> tuple[Field, ...]:
    return (Field("table", "People, a line each, below the headings", "area", "name,alias,team,role\n"),)


def _invite(decision: StaffDecision) -> Done:
    guests = guests_of(decision.form.get("table", ""), "line")
    if decision.actor.role != "lecturer" and any(guest.role != "author" for guest in guests):
        raise RefusedError("Only the lecturer can invite members of the staff. Nobody was invited.")
    links, present = invite(decision.arena, guests, decision.actor.alias, decision.base)
    text = f"{'1 person was' if len(links) == 1 else f'{len(links):,} people were'} invited."
    if present:
        text += f" Already there: {', '.join(person.alias for person in present)}."
    return Done(text, links)


def _renew(decision: StaffDecision) -> Done:
    code = decision.arena.renew(decision.person, decision.actor.alias)
    link = invitation(decision.arena, decision.person, code, decision.base)
    return Done(f"The old link of {decision.person.alias} and all its sessions have ended.", [link])


def _revoke(decision: StaffDecision) -> Done:
    if decision.person.id == decision.actor.id:
        raise RefusedError("This is your own link: you would lock yourself out. Renew it instead.")
    decision.arena.revoke(decision.person, decision.actor.alias)
    return Done(f"The link of {decision.person.alias} is revoked. Their bot plays on.")


def _hide(decision: StaffDecision) -> Done:
    decision.arena.change_person(decision.person, decision.actor.alias, hidden=True)
    return Done(f"{decision.person.bot} is hidden from other authors and spectators.")


def _show(decision: StaffDecision) -> Done:
    decision.arena.change_person(decision.person, decision.actor.alias, hidden=False)
    return Done(f"{decision.person.bot} is shown to everybody again.")


def _disqualify(decision: StaffDecision) -> Done:
    reason = decision.form.get("reason", "").strip()
    if not reason:
        raise RefusedError("Expected a reason: the author will read it.")
    decision.arena.change_person(decision.person, decision.actor.alias, disqualified=reason[:MOST_NOTICE])
    return Done(f"{decision.person.bot} plays no more from the next round on.")


def _readmit(decision: StaffDecision) -> Done:
    decision.arena.change_person(decision.person, decision.actor.alias, disqualified="")
    return Done(f"{decision.person.bot} takes part again.")


def _accept(decision: StaffDecision) -> Done:
    bot = decision.person.bot
    late = [submission for submission in decision.arena.submissions(bot) if submission.state == "late"]
    if not late:
        raise RefusedError(f"{bot} has no late hand-in.")
    decision.arena.accept_late(late[0], decision.actor.alias)
    return Done(f"Version {late[0].number} of {bot} is in the queue.")


def _forget(decision: StaffDecision) -> Done:
    gone = forget(decision.arena, decision.person, decision.actor.alias)
    sources = f"So are the sources of {gone.bot}." if gone.sources else f"The sources of {gone.bot} stay for the team."
    return Done(f"The name, the link and the names of files of {gone.alias} are erased. {sources}")


def _backup(decision: StaffDecision) -> Done:
    target = decision.place / f"{decision.arena.fact('name')}-backup.zip"
    backup(decision.arena.folder, target)
    decision.arena.log(decision.actor.alias, "backup")
    return Done("A backup.", file=target)


def _export(decision: StaffDecision) -> Done:
    name = f"{decision.arena.fact('name')}-records"
    export(decision.arena.folder, decision.place / name)
    decision.arena.log(decision.actor.alias, "export")
    return Done("Records.", file=Path(shutil.make_archive(str(decision.place / name), "zip", decision.place / name)))


def _grades_fields(arena: ArenaStore, about: Participant | None) -> tuple[Field, ...]:
    return (
        Field("formula", "Formula, as for `league grades`", "text", MILESTONES),
        Field("late_per_day", "Percent that each day after the deadline costs", "number", "0"),
    )


def _grades(decision: StaffDecision) -> Done:
    from league.arena.grading import grade_table  # it loads what standings need, which the web server does not
    from league.course.grades import Formula, Scheme

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


def _reason_field(arena: ArenaStore, about: Participant | None) -> tuple[Field, ...]:
    return (Field("reason", "The reason, which the author reads"),)


ACTIONS: dict[str, StaffAction] = {
    action.name: action
    for action in (
        # About the arena
        StaffAction(
            "pause",
            "Pause the ladder",
            _BOTH,
            "The ladder stops within seconds, and keeps what it has played. Hand-ins, checks and practice go on.",
            _pause,
            offered=lambda rules, _: not rules.paused and rules.phase != "over",
        ),
        StaffAction(
            "resume",
            "Resume the ladder",
            _BOTH,
            "The ladder goes on where it stopped.",
            _resume,
            offered=lambda rules, _: rules.paused,
        ),
        StaffAction(
            "invite",
            "Invite people",
            _BOTH,
            "Everybody new gets a personal link. Who was invited before keeps theirs. `alias` is what everybody sees, "
            "and the name of the bot; left empty, one is drawn. People of one `team` share a bot. "
            "`role` is author, or assistant or lecturer.",
            _invite,
            fields=_invite_fields,
        ),
        StaffAction(
            "grades",
            "Download grades",
            _BOTH,
            "A table with a grade for each author: of the final when it is over, before that of the ladder as it is.",
            _grades,
            fields=_grades_fields,
        ),
        StaffAction(
            "deadline",
            "Set the deadline",
            _LECTURER,
            "When the last deadline is over, the arena closes and the final is played. Until then it can be moved.",
            _deadline,
            fields=_deadline_fields,
            offered=lambda rules, _: rules.phase == "open",
        ),
        StaffAction(
            "rules",
            "Change rules or notice",
            _LECTURER,
            "Who may see and do what; it holds at once.",
            _rules,
            fields=_rules_fields,
        ),
        StaffAction(
            "final",
            "Begin the final",
            _LECTURER,
            "Hand-ins end now, instead of at the deadline. Waiting ones are checked, the standings freeze, and the "
            "final is played.",
            _final,
            offered=lambda rules, _: rules.phase == "open",
            final=True,
        ),
        StaffAction(
            "backup",
            "Download a backup",
            _LECTURER,
            "One .zip with everything that the arena needs, for `league arena restore`. It holds all hand-ins and the "
            "secret of the final: keep it to yourself.",
            _backup,
        ),
        StaffAction(
            "export",
            "Download records",
            _LECTURER,
            "One .zip with every version as a file, and people, receipts, verdicts, rounds and the log as CSV.",
            _export,
        ),
        # About somebody
        StaffAction(
            "renew",
            "Renew link",
            _BOTH,
            "{who} gets a new link. The old one ends, and so do all its sessions.",
            _renew,
            about="anybody",
            offered=lambda _, about: about is not None and not about.is_forgotten,
        ),
        StaffAction(
            "revoke",
            "Revoke link",
            _BOTH,
            "Nobody comes in by the link of {who} any more. Their bot plays on.",
            _revoke,
            about="anybody",
            offered=lambda _, about: about is not None and not about.revoked,
        ),
        StaffAction(
            "hide",
            "Hide",
            _BOTH,
            "Other authors and spectators see an alias instead of this bot's name, can neither watch its games nor "
            "practise against it. It plays on.",
            _hide,
            about="author",
            offered=lambda _, about: about is not None and not about.hidden,
        ),
        StaffAction(
            "show",
            "Show again",
            _BOTH,
            "Everybody sees the name and the games of this bot again.",
            _show,
            about="author",
            offered=lambda _, about: about is not None and about.hidden,
        ),
        StaffAction(
            "extend",
            "Set own deadline",
            _LECTURER,
            "{who} may hand in until then, earlier or later than the others.",
            _extend,
            about="author",
            fields=_when_fields,
            offered=lambda rules, _: rules.phase == "open",
        ),
        StaffAction(
            "accept",
            "Accept late hand-in",
            _LECTURER,
            "The newest late hand-in of {who} takes its place in the queue.",
            _accept,
            about="author",
            offered=lambda rules, _: rules.phase in ("open", "closed") and rules.late == "keep",
        ),
        StaffAction(
            "disqualify",
            "Disqualify",
            _LECTURER,
            "The bot of {who} plays neither on the ladder from the next round on, nor in the final.",
            _disqualify,
            about="author",
            fields=_reason_field,
            offered=lambda _, about: about is not None and not about.disqualified,
        ),
        StaffAction(
            "readmit",
            "Readmit",
            _LECTURER,
            "The bot of {who} takes part again.",
            _readmit,
            about="author",
            offered=lambda _, about: about is not None and bool(about.disqualified),
        ),
        StaffAction(
            "forget",
            "Forget",
            _LECTURER,
            "Of the name of {who} the alias is left, of their sources the hashes. Standings, receipts and moves stay.",
            _forget,
            about="author",
            offered=lambda rules, about: rules.phase == "over" and about is not None and not about.is_forgotten,
            final=True,
        ),
    )
}
"""All of them, by name. Assistants help people and the ladder along; what decides about grades is the lecturer's."""
