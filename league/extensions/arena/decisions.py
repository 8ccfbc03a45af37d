"""What the staff decide. Each decision is one function here; the pages and `league arena` are both made from it.

    done = DECISIONS["renew"].make(Desk(arena, "lea", "lecturer"), {"who": "amy"})

Its docstring says what will happen, its parameters are the fields of the form and the options of the command, and their
types say what may be written. `make` checks all of that, so neither the pages nor the commands have rules of their own.
"""

from __future__ import annotations

import inspect
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints

import msgspec
from msgspec import UNSET, Meta

from league.errors import ArenaError
from league.extensions.arena.database import RefusedError
from league.extensions.arena.people import Invitation, guests_of, invitation, invite
from league.extensions.arena.receipts import utc
from league.extensions.arena.records import STAFF, ArenaRules, Late, Participant, Replays, Role
from league.extensions.arena.store import ArenaStore
from league.tools.reading import Reader, choices, describe, parts, scalar
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
    invitations: Sequence[Invitation] = ()
    """New links, which are shown only now."""
    file: Path | None = None
    """To download."""

    @property
    def answer(self) -> dict[str, Any]:
        """What programs get."""
        return {"done": self.text, **self.data, **({"invited": self.invitations} if self.invitations else {})}


def read_time(text: str) -> float | None:
    """A moment from ISO 8601 or 'YYYY-MM-DD HH:MM', in the time of this machine unless it has a zone; None: it is none.

    A day without a time of day is refused: it would mean its first second.
    """
    try:
        return datetime.fromisoformat(text.strip()).timestamp() if len(text.strip()) > len("2026-12-18") else None
    except (ValueError, OverflowError):
        return None


def _text(least: int, most: int) -> Meta:
    """Text with bounds; blanks around it do not count."""
    words = f"text of {least} to {most:,} characters" if least else f"text of at most {most:,} characters"

    def parse(text: str) -> str | None:
        return text.strip() if least <= len(text.strip()) <= most else None

    return Meta(extra={"parse": parse, "words": words})


def _about(text: str, *examples: str) -> Meta:
    """What a parameter is for, and how it may be written on the command line."""
    return Meta(description=text, examples=[*examples])


TIME_WORDS = "a time as 2026-12-18 18:00, in the time of the server, or as 2026-12-18T17:00Z"
Moment = Annotated[
    float, Meta(examples=['"2026-12-18 18:00"'], extra={"parse": read_time, "auto": "none", "words": TIME_WORDS})
]
Reason = Annotated[str, Meta(examples=['"the code is Bob\'s"']), _text(1, 1000)]
Notice = Annotated[str, _text(0, 1000)]
Content = Annotated[str, Meta(extra={"parse": str, "words": "the text of a file", "file": True})]
"""Of a file: commands take its path, forms its text."""
PerHour = Annotated[int, Meta(ge=1, le=10_000)]
When = Callable[[ArenaRules, Any], bool]
"""Asked with the person whom it is about, or None."""
LECTURER: tuple[Role, ...] = ("lecturer",)


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
    def label(self) -> str:
        return self.name.replace("_", " ").capitalize()

    @property
    def about(self) -> str:
        """What it is for, and what may be written."""
        meant = [meta.description for part in parts(self.kind) for meta in part.meta if meta.description]
        return ": ".join([*meant[:1], *([] if self.words else [describe(self.kind)])])

    @property
    def example(self) -> str:
        """How it is written on the command line."""
        examples = [example for part in parts(self.kind) for meta in part.meta for example in meta.examples or ()]
        return "amy" if self.name == "who" else str(examples[0])

    @property
    def words(self) -> tuple[str, ...]:
        """All that may be written, where that can be listed."""
        return choices(self.kind)

    @property
    def is_file(self) -> bool:
        return any(part.extra.get("file") for part in parts(self.kind))

    @property
    def is_long(self) -> bool:
        """Whether a form needs more than a line for it."""
        return self.is_file or self.name == "notice"

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
    do: Callable[..., Done]
    when: When
    """Whether it makes sense now."""
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
        kinds = get_type_hints(self.do, include_extras=True)
        _, *parameters = inspect.signature(self.do).parameters.values()
        return [DecisionField(parameter.name, kinds[parameter.name], parameter.default) for parameter in parameters]

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
        return self.do(desk, **self._values(written), **({"who": about} if about else {}))

    def _values(self, written: Mapping[str, str]) -> dict[str, Any]:
        reader = Reader()
        values = {
            field.name: reader.read(scalar(written.get(field.name, "")), field.kind, field.name)
            for field in self.fields
            if field.name != "who" and (field.name in written or field.required)
        }
        if reader.mistakes:
            raise RefusedError(" ".join(mistake.what[0].upper() + mistake.what[1:] for mistake in reader.mistakes))
        return {name: value for name, value in values.items() if value is not UNSET}


DECISIONS: dict[str, StaffDecision] = {}
"""All of them, by name. Assistants help people and the ladder along; what decides about grades is the lecturer's."""


def offers(rules: ArenaRules, role: Role, about: Participant | None = None) -> list[StaffDecision]:
    """What somebody of the staff can decide now, about a person or about the arena."""
    return [decision for decision in DECISIONS.values() if decision.may(role, about) and decision.fits(rules, about)]


def _decision(
    title: str,
    roles: tuple[Role, ...],
    when: When = lambda *_: True,
    *,
    final: bool = False,
    gives: Literal["", "links", "file"] = "",
) -> Callable[[Callable[..., Done]], Callable[..., Done]]:
    """Put a function into `DECISIONS`, by its name."""

    def add(do: Callable[..., Done]) -> Callable[..., Done]:
        name = do.__name__.strip("_")
        DECISIONS[name] = StaffDecision(name, title, roles, do, when, final, gives)
        return do

    return add


def _is_open(rules: ArenaRules, _: Participant | None) -> bool:
    return rules.phase == "open"


# About the arena


@_decision("Pause the ladder", STAFF, lambda rules, _: not rules.paused and rules.phase != "over")
def pause(desk: Desk) -> Done:
    """The ladder stops within seconds, and keeps what it has played. Hand-ins and checks go on."""
    desk.arena.change_rules(desk.actor, paused=True)
    return Done("The ladder stops within seconds, and keeps what it has played. Hand-ins are taken and checked.")


@_decision("Resume the ladder", STAFF, lambda rules, _: rules.paused)
def resume(desk: Desk) -> Done:
    """The ladder goes on where it stopped."""
    desk.arena.change_rules(desk.actor, paused=False)
    return Done("The ladder plays on.")


@_decision("Invite people", STAFF, gives="links")
def _invite(desk: Desk, people: Annotated[Content, _about("The people", "people.csv")]) -> Done:
    """Everybody new in a table as CSV gets a personal link, which is shown once.

    Who was invited before keeps theirs, so a table may grow and be read again. It has a heading `name`, and may have
    `alias` (what everybody sees, and the name of the bot; without one, it is drawn), `team` (its people share a bot)
    and `role` (author, assistant or lecturer).
    """
    guests = guests_of(people, desk.source)
    if desk.role != "lecturer" and any(guest.role != "author" for guest in guests):
        raise RefusedError("Only the lecturer can invite members of the staff. Nobody was invited.")
    links, present = invite(desk.arena, guests, desk.actor, desk.base)
    there = [person.alias for person in present]
    already = f" Already there: {', '.join(there)}." if there else ""
    number = "1 person was" if len(links) == 1 else f"{len(links):,} people were"
    return Done(f"{number} invited.{already}", {"invited": links, "present": there}, links)


@_decision("Download grades", STAFF, gives="file")
def _grades(
    desk: Desk, scheme: Annotated[Content, _about("How points become grades")] = "formula: milestones\n"
) -> Done:
    """A table as CSV with a grade for each author, and all that is behind it. People of a team share a grade.

    Grades are those of the final when it is over, before that of the ladder as it is. A scheme says how points become
    grades, as for `league class grades`.
    """
    from league.extensions.arena.grading import grade_table  # it loads what standings need; the web server does not
    from league.extensions.course.grades import scheme_of

    table, doubts = grade_table(desk.arena, scheme_of(scheme, desk.source))
    done = _file(desk, "grades.csv", lambda path: path.write_text(table, encoding="utf-8"))
    return done._replace(
        text=" ".join([done.text, *(f"Provisional: {doubt}" for doubt in doubts)]), data={"doubts": doubts}
    )


@_decision("Set the deadline", LECTURER, _is_open)
def deadline(
    desk: Desk,
    when: Moment | None,
    late: Annotated[
        Late | None, _about("Whether later hand-ins are refused, or kept aside until you accept them")
    ] = None,
) -> Done:
    """When the last deadline is over, the arena closes and the final is played. Until then it can be moved."""
    desk.arena.set_deadline(desk.actor, when)
    rules = desk.arena.change_rules(desk.actor, late=late) if late else desk.arena.rules
    after = {"refuse": "refused", "keep": "kept aside"}[rules.late]
    text = f"The deadline is {utc(when) if when else 'open'}. Later hand-ins are {after}."
    return Done(text, {"deadline": when, "late": rules.late})


@_decision("Change rules or notice", LECTURER)
def rules(
    desk: Desk,
    spectators: Annotated[bool | None, _about("Whether people without a link see standings")] = None,
    replays: Annotated[Replays | None, _about("Whose games authors can watch; own: those of their own bot")] = None,
    per_hour: Annotated[PerHour | None, _about("Hand-ins of one bot within an hour")] = None,
    notice: Annotated[Notice | None, _about("What everybody who takes part reads on their page")] = None,
) -> Done:
    """Who may see and do what; it holds at once, and what is left out stays as it is."""
    given = {"spectators": spectators, "replays": replays, "per_hour": per_hour, "notice": notice}
    before = desk.arena.rules
    changed = {name: value for name, value in given.items() if value is not None and value != getattr(before, name)}
    now = desk.arena.change_rules(desk.actor, **changed) if changed else before
    data = {name: getattr(now, name) for name in given}
    shown = ", ".join(f"{name}: {msgspec.json.encode(value).decode()}" for name, value in data.items())
    return Done(f"Changed: {', '.join(changed) or 'nothing'}. Now: {shown}.", data)


@_decision("Begin the final", LECTURER, _is_open, final=True)
def _final(desk: Desk) -> Done:
    """Hand-ins end now, instead of at the deadline: waiting ones are checked, the standings freeze, the final plays."""
    desk.arena.begin_final(desk.actor)
    return Done("The arena is closed. The final begins when the last checks are done.")


@_decision("Download a backup", LECTURER, gives="file")
def _backup(desk: Desk) -> Done:
    """One .zip with everything that the arena needs, for `league arena restore`, also while it runs.

    It holds all hand-ins and the secret of the final: keep it private.
    """
    from league.extensions.arena.archive import backup  # it loads results; most decisions do without

    return _file(desk, "backup.zip", lambda path: backup(desk.arena.folder, path))


@_decision("Download records", LECTURER, gives="file")
def _export(desk: Desk) -> Done:
    """One .zip with every version as a file, and people, receipts, verdicts, rounds and the log as CSV."""
    from league.extensions.arena.archive import export

    def write(path: Path) -> None:
        with TemporaryDirectory(prefix=".records-", dir=desk.arena.folder) as place:
            export(desk.arena.folder, Path(place) / "records")
            shutil.move(shutil.make_archive(f"{place}/packed", "zip", Path(place) / "records"), path)

    return _file(desk, "records.zip", write)


# About somebody


@_decision("Renew link", STAFF, lambda _, who: not who.is_forgotten, gives="links")
def renew(desk: Desk, who: Participant) -> Done:
    """{who} gets a new link, which is shown once. The old one ends, and so do all its sessions."""
    link = invitation(desk.arena, who, desk.arena.renew(who, desk.actor), desk.base)
    return Done(f"The old link of {who.alias} and all its sessions have ended.", {}, [link])


@_decision("Revoke link", STAFF, lambda _, who: not who.revoked)
def revoke(desk: Desk, who: Participant) -> Done:
    """Nobody comes in by the link of {who} any more. Their bot plays on."""
    if who.alias == desk.actor:
        raise RefusedError("This is your own link: you would lock yourself out. Renew it instead.")
    desk.arena.revoke(who, desk.actor)
    return Done(f"The link of {who.alias} is revoked. Their bot plays on.")


@_decision("Set own deadline", LECTURER, lambda rules, who: _is_open(rules, who) and not who.is_staff)
def extend(desk: Desk, who: Participant, when: Moment | None) -> Done:
    """{who} may hand in until then, earlier or later than the others; `none` takes it back."""
    desk.arena.set_deadline(desk.actor, when, who)
    shown = utc(when) if when else "the same as for everybody"
    return Done(f"The deadline of {who.alias} is {shown}.", {"deadline": when})


@_decision("Accept late hand-in", LECTURER, lambda rules, _: rules.phase in ("open", "closed") and rules.late == "keep")
def accept(desk: Desk, who: Participant) -> Done:
    """The newest late hand-in of {who} takes its place in the queue."""
    late = [submission for submission in desk.arena.submissions(who.bot) if submission.state == "late"]
    if not late:
        raise RefusedError(f"{who.bot} has no late hand-in.")
    desk.arena.accept_late(late[0], desk.actor)
    return Done(f"Version {late[0].number} of {who.bot} is in the queue.", {"version": late[0].number})


@_decision("Disqualify a bot", LECTURER, lambda _, who: not who.is_staff and not who.disqualified)
def disqualify(desk: Desk, who: Participant, reason: Reason) -> Done:
    """The bot of {who} plays neither on the ladder from the next round on, nor in the final. They read the reason."""
    desk.arena.change_person(who, desk.actor, disqualified=reason)
    return Done(f"{who.bot} plays no more from the next round on.")


@_decision("Readmit a bot", LECTURER, lambda _, who: bool(who.disqualified))
def readmit(desk: Desk, who: Participant) -> Done:
    """The bot of {who} takes part again."""
    desk.arena.change_person(who, desk.actor, disqualified="")
    return Done(f"{who.bot} takes part again.")


@_decision("Forget somebody", LECTURER, lambda rules, who: rules.phase == "over" and not who.is_forgotten, final=True)
def _forget(desk: Desk, who: Participant) -> Done:
    """After the final: of the name of {who} the alias is left, of their sources the hashes.

    Standings, receipts and moves stay. Backups and records that you have made are yours to delete.
    """
    from league.extensions.arena.archive import forget

    gone = forget(desk.arena, who, desk.actor)
    sources = f"So are the sources of {gone.bot}." if gone.sources else f"The sources of {gone.bot} stay for the team."
    text = f"The name, the link and the names of files of {gone.alias} are erased. {sources}"
    return Done(text, msgspec.to_builtins(gone))


def _file(desk: Desk, name: str, write: Callable[[Path], object]) -> Done:
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
