"""An arena as its people see it: where it is in its life, who is how far, and who is ahead.

Pages, their JSON and `league arena status` all show these values.
"""

from __future__ import annotations

import os
from datetime import datetime

import msgspec

from league.extensions.arena.people import base_url
from league.extensions.arena.records import (
    ArenaRules,
    AuditEntry,
    GameStanding,
    HandInState,
    Participant,
    Phase,
    Rated,
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
PUBLISHED = {
    "secret_hash": "SHA-256 of the secret that the final's seed is made from",
    "roster_hash": "SHA-256 of the final's roster",
    "published_secret": "The secret",
}
"""Facts on every page, which make the final fair."""


class PersonState(msgspec.Struct, frozen=True):
    """Somebody who takes part, and how far they are, as the staff see it."""

    person: Participant
    versions: int
    last: HandInState | None
    """The state of what they, or their team, handed in last."""
    received: float | None
    plays: int | None
    """The number of the version that plays."""
    place: str
    seconds: float
    """What checks and games of all versions have taken."""
    notes: tuple[str, ...]
    """What else there is to know: revoked, benched and so on."""

    @property
    def state(self) -> str:
        """How far they are, in words."""
        last = STATES[self.last] if self.last else "nothing handed in"
        return "; ".join([self.person.role if self.person.is_staff else last, *self.notes])


class ArenaState(msgspec.Struct, frozen=True):
    """An arena at a glance."""

    name: str
    url: str
    rules: ArenaRules
    waiting: int
    """Hand-ins in the queue."""
    playing: int
    """Bots of authors in the ladder."""
    rounds: int
    """That are over."""
    load: str
    published: dict[str, str]
    """What makes the final fair, by what it is."""
    people: tuple[PersonState, ...]
    equal: tuple[tuple[str, ...], ...]
    """Versions of different bots with the same content."""
    log: tuple[AuditEntry, ...]

    @classmethod
    def of(cls, arena: ArenaStore) -> ArenaState:
        """How an arena is now."""
        return cls(
            name=arena.fact("name"),
            url=base_url(arena),
            rules=arena.rules,
            waiting=len(arena.queue()),
            playing=len(arena.active()),
            rounds=sum(part.ended is not None for part in arena.rounds()),
            load=f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
            published=published(arena),
            people=_people(arena),
            equal=tuple(tuple(f"{one.bot} {one.number}" for one in same) for same in arena.equal_files()),
            log=tuple(arena.audit(50)),
        )

    def attention(self) -> dict[str, list[PersonState]]:
        """The authors whom somebody should look at, by why."""
        authors = [state for state in self.people if not state.person.is_staff]
        return {
            "Nothing handed in": [one for one in authors if not one.versions],
            "Failed or benched": [one for one in authors if one.last == "failed" or "benched" in "".join(one.notes)],
            "Waiting or late": [one for one in authors if one.last in ("waiting", "late")],
        }

    def __str__(self) -> str:
        deadline = f"until {shown_time(self.rules.deadline)}" if self.rules.deadline else "without a deadline"
        phase = f"takes hand-ins {deadline}" if self.rules.phase == "open" else PHASES[self.rules.phase].lower()
        rows = [
            (one.person.alias, one.person.name, one.person.team, one.versions, one.plays or "-", one.state)
            for one in self.people
        ]
        header = ["alias", "name", "team", "versions", "plays", "state"]
        lines = [
            f"The arena {self.name}: {phase}.{' Its ladder is paused.' if self.rules.paused else ''}",
            f"Rounds: {self.rounds:,}. Bots of authors: {self.playing:,}. Hand-ins in the queue: {self.waiting:,}.",
            *(f"{what}: {value}" for what, value in self.published.items()),
            "",
            Table.of(header, rows, ["versions", "plays"], ["team"]).text(columns()),
        ]
        return "\n".join(lines)


def published(arena: ArenaStore) -> dict[str, str]:
    """The facts that are on every page, by what they are."""
    facts = {what: arena.fact(key) for key, what in PUBLISHED.items()}
    return {what: value for what, value in facts.items() if value}


def shown_time(seconds: float) -> str:
    """A moment in local time, with its zone."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")


def _people(arena: ArenaStore) -> tuple[PersonState, ...]:
    active, reports = arena.active(), arena.ratings_after()
    states = []
    for person in arena.people():
        versions = arena.submissions(person.bot)
        plays, kept = active.get(person.bot), arena.playing_version(person.bot)
        report = reports.get(person.bot)
        remarks = {
            "revoked": person.revoked,
            f"disqualified: {person.disqualified}": bool(person.disqualified),
            f"benched: {kept.benched if kept else ''}": bool(kept and kept.benched),
            "own deadline": person.deadline is not None,
        }
        states.append(
            PersonState(
                person=person,
                versions=len(versions),
                last=versions[0].state if versions else None,
                received=versions[0].received if versions else None,
                plays=plays.number if plays else None,
                place=str((report and report.main) or ""),
                seconds=sum(version.seconds for version in versions) + (report.seconds if report else 0.0),
                notes=tuple(remark for remark, holds in remarks.items() if holds),
            )
        )
    return tuple(states)


class AuthorState(msgspec.Struct, frozen=True):
    """What an author, and the staff, see of a bot."""

    arena: str
    alias: str
    bot: str
    rules: ArenaRules
    deadline: float | None
    """Their own, or everybody's."""
    disqualified: str
    benched: str
    """Why the version that was chosen does not play."""
    queue: str
    """Where a hand-in waits for its check; empty if none does."""
    versions: tuple[Submission, ...]
    """The newest first."""
    plays: int | None
    """The number of the version that plays."""
    report: Rated | None
    """After the newest round; None without a game in it."""
    before: Rated | None
    since: str
    """When that was, in words."""
    ratings: tuple[Rated, ...]
    """After each round, the newest first."""

    @classmethod
    def of(cls, arena: ArenaStore, owner: Participant) -> AuthorState:
        """How somebody's bot does now."""
        bot = owner.bot
        versions = tuple(arena.submissions(bot))
        kept, plays = arena.playing_version(bot), arena.active().get(bot)
        waiting = [place for place, submission in enumerate(arena.queue(), 1) if submission.bot == bot]
        ratings, rules, (number, since) = tuple(arena.ratings(bot)), arena.rules, arena.round_before()
        earlier = [rated for rated in ratings if rated.round <= number and rules.phase != "over"]
        return cls(
            arena=arena.fact("name"),
            alias=owner.alias,
            bot=bot,
            rules=rules,
            deadline=arena.deadline_of(owner),
            disqualified=owner.disqualified,
            benched=kept.benched if kept else "",
            queue=_queued(waiting[0], arena.seconds_until_verdict(waiting[0])) if waiting else "",
            versions=versions,
            plays=plays.number if plays else None,
            report=arena.ratings_after().get(bot),
            before=earlier[0] if earlier else None,
            since=since,
            ratings=ratings,
        )

    @property
    def against_former(self) -> str:
        """How the newest version does against the one before, if it was tried."""
        return next((line for line in self.versions[0].verdict.splitlines() if "-version-" in line), "")

    @property
    def earlier(self) -> GameStanding | None:
        """Where it was before in the contest that comes first now."""
        main = self.report.main if self.report else None
        return self.before.at(main.title) if self.before and main else None

    def __str__(self) -> str:
        deadline = shown_time(self.deadline) if self.deadline else "none yet"
        lines = [f"Arena {self.arena}, bot {self.bot}. Deadline: {deadline}."]
        if not self.versions:
            lines.append("Nothing has been handed in yet.")
        else:
            newest = self.versions[0]
            lines.append(f"Version {newest.number}: {newest.state}. Version {self.plays or 'none'} plays.")
        if self.queue:
            lines.append(self.queue)
        if self.report:
            final = "In the final: place" if self.rules.phase == "over" else "Place"
            lines += [
                f"{final} {game}, rating {game.rating:.2f} ({game.low:.2f} … {game.high:.2f})."
                for game in self.report.games
            ]
            lines += [f"{step.title}: {step.state} ({step.about})." for step in self.report.milestones]
        return "\n".join(lines)


def _queued(place: int, seconds: float | None) -> str:
    about = f", at most about {seconds:.0f} s" if seconds else ""
    return f"Place {place} in the queue{about} …"


class LadderRow(msgspec.Struct, frozen=True):
    """A bot on the ladder, or in the final."""

    bot: str
    now: GameStanding
    before: GameStanding | None
    """None: it is new."""

    @property
    def moved(self) -> int:
        """By how many places it has risen since."""
        return self.before.best_place - self.now.best_place if self.before else 0


def ladder(arena: ArenaStore, number: int) -> dict[str, list[LadderRow]]:
    """All bots with a place by the title of a contest, the best first; the contests with most bots come first.

    They are compared with where they were after a round.
    """
    before = arena.ratings_after(number)
    boards: dict[str, list[LadderRow]] = {}
    for bot, rated in arena.ratings_after().items():
        for game in rated.games:
            then = before[bot].at(game.title) if bot in before else None
            boards.setdefault(game.title, []).append(LadderRow(bot, game, then))
    for rows in boards.values():
        rows.sort(key=lambda row: (row.now.best_place, -row.now.rating, row.bot))
    return dict(sorted(boards.items(), key=lambda board: -len(board[1])))
