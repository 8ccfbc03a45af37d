"""An arena at a glance: where it is in its life, and who has handed in what."""

from __future__ import annotations

import msgspec

from league.extensions.arena.invitations import base_url
from league.extensions.arena.records import ROSTER_FACT, SECRET_FACT, HandInState, Late, Phase, Role
from league.extensions.arena.store import ArenaStore


class Author(msgspec.Struct, frozen=True):
    """Somebody, and how far they are."""

    alias: str
    name: str
    team: str
    role: Role
    versions: int
    last: HandInState | None
    """The state of what they, or their team, handed in last."""
    plays: int | None
    """The number of the version that plays."""
    notes: tuple[str, ...]
    """What else there is to know: revoked, benched and so on."""


class Overview(msgspec.Struct, frozen=True):
    """An arena at a glance."""

    name: str
    url: str
    phase: Phase
    paused: bool
    deadline: float | None
    late: Late
    waiting: int
    """Hand-ins in the queue."""
    playing: int
    """Bots of authors in the ladder."""
    rounds: int
    """That are over."""
    secret_hash: str
    roster_hash: str
    """The roster of the final; empty before it."""
    secret: str
    """Published with the final's results; empty before that."""
    authors: tuple[Author, ...]


def overview(arena: ArenaStore) -> Overview:
    """How an arena is now."""
    rules, active = arena.rules, arena.active()
    return Overview(
        name=arena.fact("name"),
        url=base_url(arena),
        phase=rules.phase,
        paused=rules.paused,
        deadline=rules.deadline,
        late=rules.late,
        waiting=len(arena.queue()),
        playing=len(active),
        rounds=sum(part.ended is not None for part in arena.rounds()),
        secret_hash=arena.fact("secret_hash"),
        roster_hash=arena.fact(ROSTER_FACT),
        secret=arena.fact(SECRET_FACT),
        authors=_authors(arena),
    )


def _authors(arena: ArenaStore) -> tuple[Author, ...]:
    active, benched = arena.active(), arena.benched()
    authors = []
    for person in arena.people():
        versions = arena.submissions(person.bot)
        plays = active.get(person.bot)
        kept = arena.playing_version(person.bot)
        remarks = {
            "revoked": person.revoked,
            f"disqualified: {person.disqualified}": bool(person.disqualified),
            f"benched: {benched.get(kept.id) if kept else ''}": kept is not None and kept.id in benched,
            "own deadline": person.deadline is not None,
        }
        authors.append(
            Author(
                alias=person.alias,
                name=person.name,
                team=person.team,
                role=person.role,
                versions=len(versions),
                last=versions[0].state if versions else None,
                plays=plays.number if plays else None,
                notes=tuple(remark for remark, holds in remarks.items() if holds),
            )
        )
    return tuple(authors)
