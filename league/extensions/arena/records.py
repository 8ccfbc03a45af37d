"""What an arena remembers, as values: people, hand-ins, verdicts, rounds, and what the lecturer decided."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Role = Literal["lecturer", "assistant", "author"]
ROSTER_FACT, SECRET_FACT = "roster_hash", "published_secret"
"""Facts that are on every page: the hash of the final's roster when it is drawn, and its secret when it is over."""
HandInState = Literal["waiting", "replaced", "passed", "failed", "late"]
"""The state of a hand-in. `replaced`: a newer one came before it was checked. `late`: kept, not played by itself."""
Late = Literal["refuse", "keep"]
Replays = Literal["public", "own", "after-final"]
Phase = Literal["open", "closed", "final", "over"]
"""`open`: hand-ins are taken. `closed`: the deadline is over, and checks run out. `final`: it is played. `over`: its
results are published."""

STAFF: tuple[Role, ...] = ("lecturer", "assistant")


class ArenaRules(msgspec.Struct, frozen=True):
    """What the lecturer has decided for an arena; each can be changed while it runs."""

    deadline: float | None = None
    """Seconds since 1970."""
    late: Late = "refuse"
    paused: bool = False
    spectators: bool = False
    """Whether people without a link may see standings."""
    replays: Replays = "public"
    per_hour: int = 20
    """Hand-ins of one bot within an hour."""
    notice: str = ""
    """What everybody reads on their page."""
    phase: Phase = "open"


class Participant(msgspec.Struct, frozen=True):
    """Somebody with a link."""

    id: int
    name: str
    """For the lecturer and the assistants alone."""
    alias: str
    """For everybody."""
    team: str
    role: Role
    revoked: bool
    deadline: float | None
    """Their own, if the lecturer has given them one."""
    disqualified: str
    """The reason; empty: they take part."""

    @property
    def bot(self) -> str:
        """The name of their bot in the league. A team has one bot."""
        return self.team or self.alias

    @property
    def is_staff(self) -> bool:
        """Whether they run the arena."""
        return self.role in STAFF

    @property
    def is_forgotten(self) -> bool:
        """Whether nothing is left of them but their alias."""
        return self.revoked and self.name == self.alias


class Submission(msgspec.Struct, frozen=True):
    """Something that was handed in."""

    id: int
    bot: str
    person: int
    hash: str
    """The hash of the body, as it came."""
    filename: str
    size: int
    received: float
    """When the whole body had been committed, as seconds since 1970."""
    state: HandInState
    number: int
    """Counted for each bot, from 1."""


class CheckResult(msgspec.Struct, frozen=True):
    """What trying a hand-in came to."""

    submission: int
    ended: float
    seconds: float
    """Processor time and waiting."""
    passed: bool
    lines: tuple[str, ...]
    """The verdict, as `league check` words it."""
    verdict: dict[str, Any]


class LadderRound(msgspec.Struct, frozen=True):
    """One round of the ladder."""

    number: int
    began: float
    ended: float | None
    roster: dict[str, str]
    """Bot to hash of the hand-in that played; bots of the staff have the hash of their source."""


class Rated(msgspec.Struct, frozen=True):
    """A bot after one round."""

    round: int
    bot: str
    hash: str
    """The hash of the hand-in that played."""
    place: str
    rating: float
    low: float
    high: float


class AuditEntry(msgspec.Struct, frozen=True):
    """A line of the audit log."""

    time: float
    actor: str
    action: str
    about: str
