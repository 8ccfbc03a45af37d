"""What a decision of the staff is: who may make it, when, what it needs and what it comes to.

A decision is a function. Its docstring says what will happen, its parameters are the fields of the form and the options
of the command, and their types say what may be written. `make` checks all of that, so neither pages nor commands have
rules of their own.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints

from msgspec import Meta

from league.errors import ArenaError
from league.extensions.arena.database import RefusedError
from league.extensions.arena.people import Invitation
from league.extensions.arena.records import ArenaRules, Participant, Role, utc
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


def text_of(least: int, most: int) -> Meta:
    """Text with bounds; blanks around it do not count."""
    words = f"text of {least} to {most:,} characters" if least else f"text of at most {most:,} characters"

    def parse(text: str) -> str | None:
        return text.strip() if least <= len(text.strip()) <= most else None

    return Meta(extra={"parse": parse, "words": words})


def about(text: str, *examples: str) -> Meta:
    """What a parameter is for, and how it may be written on the command line."""
    return Meta(description=text, examples=[*examples])


TIME_WORDS = "a time as 2026-12-18 18:00, in the time of the server, or as 2026-12-18T17:00Z"
Moment = Annotated[
    float, Meta(examples=['"2026-12-18 18:00"'], extra={"parse": read_time, "auto": "none", "words": TIME_WORDS})
]
Reason = Annotated[str, Meta(examples=['"the code is Bob\'s"']), text_of(1, 1000)]
Notice = Annotated[str, text_of(0, 1000)]
Content = Annotated[str, Meta(extra={"parse": str, "words": "the text of a file", "file": True})]
"""The text of a file: commands take its path, forms its text."""
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
        """How it is written on the command line; its name, where nothing says how."""
        examples = [example for part in parts(self.kind) for meta in part.meta for example in meta.examples or ()]
        return "amy" if self.name == "who" else str((*examples, self.name.upper())[0])

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
        try:
            return {
                field.name: read(written.get(field.name, ""), field.kind, field.name)
                for field in self.fields
                if field.name != "who" and (field.name in written or field.required)
            }
        except MistakeError as mistake:
            raise RefusedError(mistake.what[0].upper() + mistake.what[1:]) from None


def decision(
    title: str,
    roles: tuple[Role, ...],
    when: When = lambda *_: True,
    *,
    final: bool = False,
    gives: Literal["", "links", "file"] = "",
) -> Callable[[Callable[..., Done]], StaffDecision]:
    """Makes a decision of a function, which gives it its name."""
    return lambda do: StaffDecision(do.__name__.strip("_"), title, roles, do, when, final, gives)


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
