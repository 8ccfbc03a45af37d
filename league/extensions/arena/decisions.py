"""What the staff decide. Each decision is one function here; the pages and `league arena` are both made from it.

done = DECISIONS["renew"].make(Desk(arena, "lea", "lecturer"), {"who": "amy"})

The docstring of a decision says what will happen, its parameters are the fields of the form and the options of the
command, and their types say what may be written. `make` checks all of that, so neither pages nor commands have rules of
their own.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta

from league.errors import ArenaError
from league.extensions.arena.database import RefusedError
from league.extensions.arena.people import Guest, guests_of, invite, with_link
from league.extensions.arena.records import STAFF, ArenaRules, Late, Participant, Replays, Role, utc
from league.extensions.arena.store import ArenaStore
from league.tools.reading import MistakeError, choices, describe, parts, read
from league.tools.text import shown_path


class Desk(NamedTuple):
    """Where a decision is made: on the staff's pages, or by a command on the arena's own machine."""

    arena: ArenaStore
    actor: str
    """An alias, or the word for whoever runs commands on the machine."""
    role: Role
    base: str = ""
    """Where the arena is on the web, for links."""
    target: Callable[[str], Path] = Path
    """Where a file of this name goes."""
    source: str = "line"
    """What messages call a file that was given."""


class Done(NamedTuple):
    """What a decision came to."""

    text: str
    data: Mapping[str, Any] = {}
    """The same for programs."""
    invitations: Sequence[Guest] = ()
    """New links, which are shown only now."""
    file: Path | None = None
    """To download."""

    @property
    def answer(self) -> dict[str, Any]:
        """What programs get."""
        return {"done": self.text, **self.data, **({"invited": self.invitations} if self.invitations else {})}


class DecisionField(NamedTuple):
    """A parameter of a decision: a field of a form, an option or an argument of a command."""

    name: str
    kind: Any
    default: Any
    """`inspect.Parameter.empty` if it has to be given."""

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty

    @property
    def about(self) -> str:
        """What it is for, and what may be written."""
        meant = [meta.description for part in parts(self.kind) for meta in part.meta if meta.description]
        return ": ".join([*meant[:1], *([] if self.words else [describe(self.kind)])])

    @property
    def words(self) -> tuple[str, ...]:
        """All that may be written, where that can be listed."""
        return choices(self.kind)

    @property
    def is_file(self) -> bool:
        return any(part.extra.get("file") for part in parts(self.kind))

    def shown(self, rules: ArenaRules, about: Participant | None) -> str:
        """What stands in its field of the form at first: what holds now, or its default."""
        if self.name == "when":
            moment = about.deadline if about else rules.deadline
            return "none" if moment is None else utc(moment)
        value = getattr(rules, self.name, "" if self.required else self.default)
        return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


class StaffDecision(NamedTuple):
    """A decision that the staff can make."""

    name: str
    title: str
    roles: tuple[Role, ...]
    """Who may make it."""
    do: Callable[..., Done | None]
    when: Callable[[ArenaRules, Any], bool]
    """Whether it makes sense now; asked with the person whom it is about, or None."""
    final: bool
    """It cannot be undone, so whoever makes it says that they are sure."""
    gives: Literal["", "links", "file"]
    """What comes back beside a sentence."""

    @property
    def text(self) -> str:
        """What will happen; `{who}` stands for the person whom it is about."""
        return inspect.getdoc(self.do) or ""

    @property
    def fields(self) -> list[DecisionField]:
        """What is filled in; `who` is first where it is about a person."""
        _, *parameters = inspect.signature(self.do, eval_str=True).parameters.values()
        return [DecisionField(parameter.name, parameter.annotation, parameter.default) for parameter in parameters]

    @property
    def about_people(self) -> bool:
        return "who" in inspect.signature(self.do).parameters

    @property
    def of_many(self) -> bool:
        """Whether it can be made about several people at once."""
        return self.about_people and not self.final

    def may(self, role: Role, about: Participant | None) -> bool:
        """Whether somebody of this role may decide it; only the lecturer decides about members of the staff."""
        return role in self.roles and (about is None or not about.is_staff or role == "lecturer")

    def fits(self, rules: ArenaRules, about: Participant | None) -> bool:
        """Whether it makes sense now, for this person."""
        return self.about_people == (about is not None) and self.when(rules, about)

    def make(self, desk: Desk, written: Mapping[str, str]) -> Done:
        """Read what was written and do it; raises `RefusedError` for what is wrong, or does not apply."""
        about = desk.arena.person_called(written.get("who", "")) if self.about_people else None
        if not self.may(desk.role, about):
            raise RefusedError(f"“{self.title}” is for the lecturer. Nothing was changed.")
        if not self.fits(desk.arena.rules, about):
            raise RefusedError(f"“{self.title}” does not apply now. Nothing was changed.")
        if self.final and written.get("sure") != "yes":
            raise RefusedError("This cannot be undone: say that you are sure.")
        values: dict[str, Any] = {"who": about} if about else {}
        try:
            for field in self.fields:
                if field.name != "who" and (field.name in written or field.required):
                    values[field.name] = read(written.get(field.name, ""), field.kind, field.name)
        except MistakeError as mistake:
            raise RefusedError(mistake.what[0].upper() + mistake.what[1:]) from None
        said = self.text.replace("{who}", about.alias if about else "")
        return self.do(desk, **values) or Done(" ".join(said.split()))


def decision(
    title: str,
    roles: tuple[Role, ...],
    when: Callable[[ArenaRules, Any], bool] = lambda *_: True,
    *,
    final: bool = False,
    gives: Literal["", "links", "file"] = "",
) -> Callable[[Callable[..., Done | None]], StaffDecision]:
    """Makes a decision of a function, which gives it its name. What it returns is said; None: its own text."""
    return lambda do: StaffDecision(do.__name__.strip("_"), title, roles, do, when, final, gives)


def read_time(text: str) -> float | None:
    """A moment from ISO 8601 or 'YYYY-MM-DD HH:MM', in the time of this machine unless it has a zone; None: it is none.

    A day without a time of day is refused: it would mean its first second.
    """
    try:
        return datetime.fromisoformat(text.strip()).timestamp() if len(text.strip()) > len("2026-12-18") else None
    except (ValueError, OverflowError):
        return None


def text_of(least: int, most: int) -> Meta:
    """Text with bounds; blanks around it do not count."""
    words = f"text of {least} to {most:,} characters" if least else f"text of at most {most:,} characters"

    def parse(text: str) -> str | None:
        return text.strip() if least <= len(text.strip()) <= most else None

    return Meta(extra={"parse": parse, "words": words})


Moment = Annotated[
    float,
    Meta(
        extra={
            "parse": read_time,
            "auto": "none",
            "words": "a time as 2026-12-18 18:00, in the time of the server, or as 2026-12-18T17:00Z",
        }
    ),
]
Content = Annotated[str, Meta(extra={"parse": str, "words": "the text of a file", "file": True})]
"""The text of a file: commands take its path, forms its text."""
LECTURER: tuple[Role, ...] = ("lecturer",)


def is_open(rules: ArenaRules, _: Participant | None) -> bool:
    """While hand-ins are taken."""
    return rules.phase == "open"


def file_of(desk: Desk, name: str, write: Callable[[Path], object]) -> Done:
    """A file to download; the log has who asked for it."""
    path = desk.target(f"{desk.arena.fact('name')}-{name}")
    if os.path.lexists(path):
        raise ArenaError(f"{shown_path(path)} exists already. Name another file.")
    try:
        write(path)
    except OSError as problem:
        raise ArenaError(f"{name} cannot be written: {problem.strerror}.") from None
    path.chmod(0o600)
    desk.arena.log(desk.actor, name.partition(".")[0])
    size = path.stat().st_size
    return Done(f"{shown_path(path)} has {size:,} bytes.", {"file": str(path), "bytes": size}, file=path)


# About the arena


@decision("Pause the ladder", STAFF, lambda rules, _: not rules.paused and rules.phase != "over")
def pause(desk: Desk) -> None:
    """The ladder stops within seconds, and keeps what it has played. Hand-ins and checks go on."""
    desk.arena.change_rules(desk.actor, paused=True)


@decision("Resume the ladder", STAFF, lambda rules, _: rules.paused)
def resume(desk: Desk) -> None:
    """The ladder goes on where it stopped."""
    desk.arena.change_rules(desk.actor, paused=False)


@decision("Invite people", STAFF, gives="links")
def _invite(desk: Desk, people: Annotated[Content, Meta(description="The people")]) -> Done:
    """Everybody new in a CSV file gets a personal link, which is shown once.

    Who was invited before keeps theirs, so you can add people and read the file again. It has a column `name`, and may
    have `alias` (what everybody sees, and the name of the bot; without one, it is drawn), `team` (its people share a
    bot) and `role` (author, assistant or lecturer).
    """
    guests = guests_of(people, desk.source)
    if desk.role != "lecturer" and any(guest.role != "author" for guest in guests.values()):
        raise RefusedError("Only the lecturer can invite members of the staff. Nobody was invited.")
    links, present = invite(desk.arena, guests, desk.actor, desk.base)
    there = [person.alias for person in present]
    already = f" Already there: {', '.join(there)}." if there else ""
    number = "1 person was" if len(links) == 1 else f"{len(links):,} people were"
    return Done(f"{number} invited.{already}", {"invited": links, "present": there}, links)


@decision("Download grades", STAFF, gives="file")
def _grades(
    desk: Desk, scheme: Annotated[Content, Meta(description="How points become grades")] = "formula: milestones\n"
) -> Done:
    """A CSV file with a grade for each author, and how it came about. People of a team share a grade.

    Grades are those of the final when it is over, before that of the ladder as it is. A scheme says how points become
    grades, as for `league class grades`.
    """
    from league.extensions.arena.grading import grade_table  # it loads what standings need; the web server does not
    from league.extensions.course.grades import scheme_of

    table, doubts = grade_table(desk.arena, scheme_of(scheme, desk.source))
    done = file_of(desk, "grades.csv", lambda path: path.write_text(table, encoding="utf-8"))
    return done._replace(
        text=" ".join([done.text, *(f"Provisional: {doubt}" for doubt in doubts)]), data={"doubts": doubts}
    )


@decision("Set the deadline", LECTURER, is_open)
def deadline(
    desk: Desk,
    when: Moment | None,
    late: Annotated[
        Late | None, Meta(description="Whether later hand-ins are refused, or kept aside until you accept them")
    ] = None,
) -> Done:
    """After the last deadline the arena closes and the final is played. Until then you can move it."""
    desk.arena.set_deadline(desk.actor, when)
    rules = desk.arena.change_rules(desk.actor, late=late) if late else desk.arena.rules
    after = {"refuse": "refused", "keep": "kept aside"}[rules.late]
    text = f"The deadline is {utc(when) if when else 'open'}. Later hand-ins are {after}."
    return Done(text, {"deadline": when, "late": rules.late})


@decision("Change rules or notice", LECTURER)
def rules(
    desk: Desk,
    spectators: Annotated[bool | None, Meta(description="Whether people without a link see standings")] = None,
    replays: Annotated[
        Replays | None, Meta(description="Whose games authors can watch; own: those of their own bot")
    ] = None,
    per_hour: Annotated[int, Meta(ge=1, le=10_000, description="Hand-ins of one bot within an hour")] | None = None,
    notice: Annotated[
        str | None, text_of(0, 1000), Meta(description="What everybody who takes part reads on their page")
    ] = None,
) -> Done:
    """Changes who may see and do what, at once. What is left out stays as it is."""
    given = {"spectators": spectators, "replays": replays, "per_hour": per_hour, "notice": notice}
    before = desk.arena.rules
    changed = {name: value for name, value in given.items() if value is not None and value != getattr(before, name)}
    now = desk.arena.change_rules(desk.actor, **changed) if changed else before
    data = {name: getattr(now, name) for name in given}
    return Done(f"Now: {', '.join(f'{name}: {value!r}' for name, value in data.items())}.", data)


@decision("Begin the final", LECTURER, is_open, final=True)
def _final(desk: Desk) -> Done:
    """Closes the arena now instead of at the deadline: waiting hand-ins are checked, then the final is played."""
    desk.arena.change_rules(desk.actor, phase="closed", paused=False)  # else the final would not be played
    return Done("The arena is closed. The final begins when the last checks are done.")


@decision("Download a backup", LECTURER, gives="file")
def _backup(desk: Desk) -> Done:
    """One .zip with everything that the arena needs, for `league arena restore`, also while it runs.

    It holds all hand-ins and the secret of the final: keep it private.
    """
    from league.extensions.arena.archive import backup  # it loads results; most decisions do without

    return file_of(desk, "backup.zip", lambda path: backup(desk.arena.folder, path))


@decision("Download records", LECTURER, gives="file")
def _export(desk: Desk) -> Done:
    """One .zip with every version as a file, and people, receipts, verdicts, rounds and the log as CSV."""
    from league.extensions.arena.archive import export

    return file_of(desk, "records.zip", lambda path: export(desk.arena.folder, path))


# About somebody


@decision("Renew link", STAFF, lambda _, who: not who.is_forgotten, gives="links")
def renew(desk: Desk, who: Participant) -> Done:
    """{who} gets a new link, which is shown once. The old one ends, and so do all its sessions."""
    link = with_link(desk.arena, who, desk.arena.renew(who, desk.actor), desk.base)
    return Done(f"The old link of {who.alias} and all its sessions have ended.", {}, [link])


@decision("Revoke link", STAFF, lambda _, who: not who.revoked)
def revoke(desk: Desk, who: Participant) -> None:
    """The link of {who} stops working. Their bot plays on."""
    if who.alias == desk.actor:
        raise RefusedError("This is your own link: you would lock yourself out. Renew it instead.")
    desk.arena.revoke(who, desk.actor)


@decision("Set own deadline", LECTURER, lambda rules, who: is_open(rules, who) and not who.is_staff)
def extend(desk: Desk, who: Participant, when: Moment | None) -> Done:
    """{who} gets a deadline of their own, earlier or later than the others'; `none` removes it."""
    desk.arena.set_deadline(desk.actor, when, who)
    shown = utc(when) if when else "the same as for everybody"
    return Done(f"The deadline of {who.alias} is {shown}.", {"deadline": when})


def is_late(rules: ArenaRules, who: Participant) -> bool:
    """While a late hand-in of theirs may still be accepted: before the final has its roster."""
    return rules.late == "keep" and rules.phase in ("open", "closed") and not who.is_staff


@decision("Accept late hand-in", LECTURER, is_late)
def accept(desk: Desk, who: Participant) -> Done:
    """The newest late hand-in of {who} takes its place in the queue."""
    late = [submission for submission in desk.arena.submissions(who.bot) if submission.state == "late"]
    if not late:
        raise RefusedError(f"{who.bot} has no late hand-in.")
    desk.arena.accept_late(late[0], desk.actor)
    return Done(f"Version {late[0].number} of {who.bot} is in the queue.", {"version": late[0].number})


@decision("Disqualify a bot", LECTURER, lambda _, who: not who.is_staff and not who.disqualified)
def disqualify(desk: Desk, who: Participant, reason: Annotated[str, text_of(1, 1000)]) -> None:
    """The bot of {who} plays neither on the ladder from the next round on, nor in the final. They read the reason."""
    desk.arena.change_person(who, desk.actor, disqualified=reason)


@decision("Readmit a bot", LECTURER, lambda _, who: bool(who.disqualified))
def readmit(desk: Desk, who: Participant) -> None:
    """The bot of {who} takes part again."""
    desk.arena.change_person(who, desk.actor, disqualified="")


@decision("Forget somebody", LECTURER, lambda rules, who: rules.phase == "over" and not who.is_forgotten, final=True)
def _forget(desk: Desk, who: Participant) -> Done:
    """Erases the name and the sources of {who} after the final. The alias and the hashes stay.

    So do standings, receipts and moves. Backups and records that you have made are yours to delete.
    """
    from league.extensions.arena.archive import forget

    erased = forget(desk.arena, who, desk.actor)
    sources = f"So are the sources of {who.bot}." if erased else f"The sources of {who.bot} stay for the team."
    text = f"The name, the link and the names of files of {who.alias} are erased. {sources}"
    return Done(text, {"alias": who.alias, "bot": who.bot, "sources": erased})


DECISIONS = {
    one.name: one
    for one in (
        *(pause, resume, _invite, _grades, deadline, rules, _final, _backup, _export),
        *(renew, revoke, extend, accept, disqualify, readmit, _forget),
    )
}
"""All of them, by name. Assistants help people and the ladder along; what decides about grades is the lecturer's."""


def offers(rules: ArenaRules, role: Role, about: Participant | None = None) -> list[StaffDecision]:
    """What somebody of the staff can decide now, about a person or about the arena."""
    return [one for one in DECISIONS.values() if one.may(role, about) and one.fits(rules, about)]
