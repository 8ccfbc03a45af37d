"""An arena as its people see it: where it is in its life, who is how far, and who is ahead.

Pages, their JSON and `league arena status` all show these values.
"""

from __future__ import annotations

import os
from datetime import datetime

import msgspec

from league.extensions.arena.people import base_url
from league.extensions.arena.records import (
    ALL_GAMES,
    ROSTER_FACT,
    SECRET_FACT,
    AuditEntry,
    BotReport,
    GameStanding,
    HandInState,
    Participant,
    Phase,
    Rated,
    Role,
    Submission,
)
from league.extensions.arena.store import ArenaStore
from league.tools.table import Table
from league.tools.text import columns

PHASES: dict[Phase, str] = {
    "open": "Hand-ins are open",
    "closed": "Hand-ins are closed; the last checks run",
    "final": "The final is being played",
    "over": "The final is over",
}
STATES: dict[HandInState, str] = {
    "waiting": "waits to be checked",
    "replaced": "was replaced before it was checked",
    "passed": "has passed",
    "failed": "has failed its check",
    "late": "came after the deadline, and is kept aside",
}
LOG_LINES = 50


class PersonState(msgspec.Struct, frozen=True):
    """Somebody who takes part, and how far they are, as the staff see it."""

    alias: str
    name: str
    team: str
    role: Role
    bot: str
    versions: int
    last: HandInState | None
    """The state of what they, or their team, handed in last."""
    received: float | None
    plays: int | None
    """The number of the version that plays."""
    place: str
    check_seconds: float
    played_seconds: float
    """What checks and games of all versions have taken."""
    notes: tuple[str, ...]
    """What else there is to know: revoked, benched and so on."""


class ArenaState(msgspec.Struct, frozen=True):
    """An arena at a glance."""

    name: str
    url: str
    phase: Phase
    paused: bool
    deadline: float | None
    late: str
    waiting: int
    """Hand-ins in the queue."""
    playing: int
    """Bots of authors in the ladder."""
    rounds: int
    """That are over."""
    load: str
    secret_hash: str
    roster_hash: str
    """Of the final; empty before it."""
    secret: str
    """Published with the final's results; empty before that."""
    people: tuple[PersonState, ...]
    equal: tuple[tuple[str, ...], ...]
    """Versions of different bots with the same content."""
    log: tuple[AuditEntry, ...]

    @classmethod
    def of(cls, arena: ArenaStore) -> ArenaState:
        """How an arena is now."""
        rules = arena.rules
        return cls(
            name=arena.fact("name"),
            url=base_url(arena),
            phase=rules.phase,
            paused=rules.paused,
            deadline=rules.deadline,
            late=rules.late,
            waiting=len(arena.queue()),
            playing=len(arena.active()),
            rounds=sum(part.ended is not None for part in arena.rounds()),
            load=f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
            secret_hash=arena.fact("secret_hash"),
            roster_hash=arena.fact(ROSTER_FACT),
            secret=arena.fact(SECRET_FACT),
            people=_people(arena),
            equal=tuple(tuple(f"{one.bot} {one.number}" for one in same) for same in arena.equal_files()),
            log=tuple(arena.audit(LOG_LINES)),
        )

    def attention(self) -> dict[str, list[PersonState]]:
        """The authors whom somebody should look at, by why."""
        authors = [person for person in self.people if person.role == "author"]
        return {
            "Nothing handed in": [person for person in authors if not person.versions],
            "Failed or benched": [
                person for person in authors if person.last == "failed" or "benched" in "".join(person.notes)
            ],
            "Waiting or late": [person for person in authors if person.last in ("waiting", "late")],
        }

    def __str__(self) -> str:
        deadline = f"until {shown_time(self.deadline)}" if self.deadline else "without a deadline"
        phase = f"takes hand-ins {deadline}" if self.phase == "open" else PHASES[self.phase].lower()
        facts = {
            "SHA-256 of its secret": self.secret_hash,
            "hash of its roster": self.roster_hash,
            "secret": self.secret,
        }
        rows = [
            (
                *(person.alias, person.name, person.team, person.role, person.versions),
                *(person.last or "-", person.plays or "-", ", ".join(person.notes)),
            )
            for person in self.people
        ]
        header = ["alias", "name", "team", "role", "versions", "last", "plays", "notes"]
        lines = [
            f"The arena {self.name}: {phase}.{' Its ladder is paused.' if self.paused else ''}",
            f"Rounds: {self.rounds:,}. Bots of authors: {self.playing:,}. Hand-ins in the queue: {self.waiting:,}.",
            *(f"The final, {what}: {value}" for what, value in facts.items() if value),
            "",
            Table.of(header, rows, ["versions", "plays"], ["role", "team"]).text(columns()),
        ]
        return "\n".join(lines)


def shown_time(seconds: float) -> str:
    """A moment in local time, with its zone."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")


def _people(arena: ArenaStore) -> tuple[PersonState, ...]:
    active, benched, reports = arena.active(), arena.benched(), arena.reports()
    seconds = arena.seconds_of_checks()
    states = []
    for person in arena.people():
        versions = arena.submissions(person.bot)
        plays, kept = active.get(person.bot), arena.playing_version(person.bot)
        report = reports.get(person.bot, BotReport())
        remarks = {
            "revoked": person.revoked,
            f"disqualified: {person.disqualified}": bool(person.disqualified),
            f"benched: {benched.get(kept.id) if kept else ''}": kept is not None and kept.id in benched,
            "own deadline": person.deadline is not None,
        }
        states.append(
            PersonState(
                alias=person.alias,
                name=person.name,
                team=person.team,
                role=person.role,
                bot=person.bot,
                versions=len(versions),
                last=versions[0].state if versions else None,
                received=versions[0].received if versions else None,
                plays=plays.number if plays else None,
                place=str(report.main or ""),
                check_seconds=seconds.get(person.bot, 0.0),
                played_seconds=report.seconds,
                notes=tuple(remark for remark, holds in remarks.items() if holds),
            )
        )
    return tuple(states)


class Queued(msgspec.Struct, frozen=True):
    """Where a hand-in waits for its check."""

    place: int
    seconds: float | None
    """How long it takes at most, if that is known."""

    def __str__(self) -> str:
        about = f", at most about {self.seconds:.0f} s" if self.seconds else ""
        return f"Place {self.place} in the queue{about} …"


class AuthorState(msgspec.Struct, frozen=True):
    """What an author, and the staff, see of a bot."""

    arena: str
    alias: str
    bot: str
    phase: Phase
    paused: bool
    deadline: float | None
    per_hour: int
    disqualified: str
    benched: str
    """Why the version that was chosen does not play."""
    queue: Queued | None
    versions: tuple[Submission, ...]
    """The newest first."""
    plays: int | None
    """The number of the version that plays."""
    verdicts: dict[int, tuple[str, ...]]
    """By the number of the version."""
    sources: dict[int, str]
    """The hashes by which the league knows versions that were checked."""
    report: BotReport | None
    before: GameStanding | None
    """Where it was a day ago, or after its first round."""
    ratings: tuple[Rated, ...]
    """After each round, the newest first."""

    @classmethod
    def of(cls, arena: ArenaStore, owner: Participant) -> AuthorState:
        """How somebody's bot does now."""
        rules, bot = arena.rules, owner.bot
        versions = tuple(arena.submissions(bot))
        checks = {version.number: check for version in versions if (check := arena.check_of(version.id))}
        kept = arena.playing_version(bot)
        benched = arena.benched().get(kept.id, "") if kept else ""
        waiting = [place for place, submission in enumerate(arena.queue(), 1) if submission.bot == bot]
        ratings, yesterday = tuple(arena.ratings(bot)), arena.round_of_yesterday()
        return cls(
            arena=arena.fact("name"),
            alias=owner.alias,
            bot=bot,
            phase=rules.phase,
            paused=rules.paused,
            deadline=arena.deadline_of(owner),
            per_hour=rules.per_hour,
            disqualified=owner.disqualified,
            benched=benched,
            queue=Queued(waiting[0], arena.seconds_until_verdict(waiting[0])) if waiting else None,
            versions=versions,
            plays=kept.number if kept and not benched else None,
            verdicts={number: check.lines for number, check in checks.items()},
            sources={number: str(check.verdict.get("hash", "")) for number, check in checks.items()},
            report=arena.report(bot),
            before=next((rated.main for rated in ratings if rated.round <= yesterday), None),
            ratings=ratings,
        )

    def __str__(self) -> str:
        deadline = shown_time(self.deadline) if self.deadline else "none yet"
        lines = [f"Arena {self.arena}, bot {self.bot}. Deadline: {deadline}."]
        if not self.versions:
            lines.append("Nothing has been handed in yet.")
        else:
            newest = self.versions[0]
            lines.append(f"Version {newest.number}: {newest.state}. Version {self.plays or 'none'} plays.")
        if self.queue:
            lines.append(str(self.queue))
        if self.report:
            final = "In the final: place" if self.phase == "over" else "Place"
            lines += [
                f"{final} {game}, rating {game.rating:.2f} ({game.low:.2f} … {game.high:.2f})."
                for game in self.report.games
            ]
            lines += [f"{step.title}: {step.state} ({step.about})." for step in self.report.milestones]
        return "\n".join(lines)


class LadderRow(msgspec.Struct, frozen=True):
    """A bot on the ladder, or in the final."""

    bot: str
    standing: GameStanding
    before: GameStanding | None
    """A day ago; None: it is new."""

    @property
    def moved(self) -> int:
        """By how many places it has risen since."""
        return self.before.best_place - self.standing.best_place if self.before else 0


def ladder(arena: ArenaStore) -> list[LadderRow]:
    """All bots that can be compared with all others, the best first."""
    last = arena.last_round(ended=True)
    now = arena.ratings_after(last.number) if last else {}
    before = arena.ratings_after(arena.round_of_yesterday())
    titles = {rated.main.title for rated in now.values() if rated.main}
    compared = ALL_GAMES if ALL_GAMES in titles else min(titles, default="")
    rows = [
        LadderRow(bot, rated.main, before[bot].main if bot in before else None)
        for bot, rated in now.items()
        if rated.main and rated.main.title == compared
    ]
    return sorted(rows, key=lambda row: (row.standing.best_place, -row.standing.rating, row.bot))
