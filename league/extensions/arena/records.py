"""What an arena remembers, as values: people, hand-ins, receipts, verdicts, rounds, and what the lecturer decided.

Of personal codes and sessions, only hashes are kept. Both are random numbers of 128 bits, so a plain hash is enough:
nobody can try them all.
"""

from __future__ import annotations

import hmac
from datetime import UTC, datetime
from hashlib import sha256
from secrets import token_urlsafe
from typing import Literal

import msgspec

from league.errors import ArenaError
from league.values.block import FaultCause, MilestoneStep

Role = Literal["lecturer", "assistant", "author"]
HandInState = Literal["waiting", "replaced", "passed", "failed", "late"]
"""The state of a hand-in. `replaced`: a newer one came before it was checked. `late`: kept, not played by itself."""
Late = Literal["refuse", "keep"]
Replays = Literal["public", "own", "after-final"]
Phase = Literal["open", "closed", "final", "over"]
"""`open`: hand-ins are taken. `closed`: the deadline is over, and checks run out. `final`: it is played. `over`: its
results are published."""

SESSION_DAYS = 120
"""A browser stays signed in for a semester."""
ALL_GAMES = "All games"
"""The title of all contests together."""
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
    checked: float | None = None
    """When its check ended."""
    seconds: float = 0.0
    """How long its check took."""
    source: str = ""
    """The hash by which the league knows it; empty before its check."""
    verdict: str = ""
    """As `league check` words it, in lines."""
    benched: str = ""
    """Why it plays no more; empty: it may play."""


class Receipt(msgspec.Struct, frozen=True):
    """What somebody gets for a hand-in, after it was stored."""

    arena: str
    bot: str
    number: int
    """The number of the version."""
    filename: str
    size: int
    hash: str
    """SHA-256 of the body."""
    received: str
    """In UTC, by the server's clock."""
    signature: str = ""

    @classmethod
    def read(cls, text: str | bytes) -> Receipt:
        """A receipt from the text of its file; raises `ArenaError` if it is none."""
        try:
            return msgspec.json.decode(text, type=cls)
        except (msgspec.DecodeError, UnicodeDecodeError):
            hint = "Your page has one behind “Receipt” for each version."
            raise ArenaError(f"Expected the whole text of a receipt, which is JSON. {hint}") from None

    def signed(self, key: bytes) -> Receipt:
        """With the arena's signature."""
        return msgspec.structs.replace(self, signature=self._signature(key))

    def is_genuine(self, key: bytes) -> bool:
        """Whether this arena has issued it, and nobody has changed it."""
        return hmac.compare_digest(self.signature.encode(), self._signature(key).encode())

    def _signature(self, key: bytes) -> str:
        unsigned = msgspec.json.encode(msgspec.structs.replace(self, signature=""))
        return hmac.new(key, unsigned, sha256).hexdigest()


class LadderRound(msgspec.Struct, frozen=True):
    """One round of the ladder, or the final, which is the last one."""

    number: int
    began: float
    ended: float | None
    roster: dict[str, str]
    """Bot to hash of the hand-in that played; bots of the staff have the hash of their source."""


class GameStanding(msgspec.Struct, frozen=True):
    """Where a bot is in one contest, or in all of them together."""

    title: str
    place: str
    """'2' or '1-3'."""
    bots: int
    """How many have a place."""
    rating: float
    low: float
    high: float
    best: float
    """How probable it is that it is the best of all."""

    @property
    def best_place(self) -> int:
        """The first of the places that it may have."""
        return int(self.place.partition("-")[0])

    def __str__(self) -> str:
        """'2 of 12', or '2 of 12, Raj'."""
        return f"{self.place} of {self.bots}{'' if self.title == ALL_GAMES else f', {self.title}'}"


class Rated(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a round came to for a bot, as its author is told."""

    round: int
    bot: str
    hash: str
    """The hash of the hand-in that played."""
    games: tuple[GameStanding, ...] = ()
    """The one in which it has most rivals first."""
    played: int = 0
    faults: int = 0
    put_off: int = 0
    """Games for which it was too slow in this round."""
    seconds: float = 0.0
    """That its games have kept a processor busy, of all its versions."""
    milestones: tuple[MilestoneStep, ...] = ()
    """These and the causes are kept of the newest round alone."""
    causes: tuple[FaultCause, ...] = ()

    @property
    def main(self) -> GameStanding | None:
        """Where it is, in one line; None without a place."""
        return self.games[0] if self.games else None

    def at(self, title: str) -> GameStanding | None:
        """Where it is in one contest."""
        return next((game for game in self.games if game.title == title), None)


class AuditEntry(msgspec.Struct, frozen=True):
    """A line of the audit log."""

    time: float
    actor: str
    action: str
    about: str


def new_code() -> str:
    """A code for a personal link, or for the cookie of a session."""
    return token_urlsafe(16)


def code_hash(code: str) -> bytes:
    """What is kept of a code."""
    return sha256(code.encode()).digest()


def link(base: str, code: str) -> str:
    """A personal link. The code is in the fragment, which no server, log or preview gets."""
    return f"{base.rstrip('/')}/enter#{code}"


def utc(seconds: float) -> str:
    """A moment as text that sorts and that any program reads."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
