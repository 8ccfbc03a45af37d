"""An arena as its people see it: where it is in its life, who is how far, and who is ahead.

Pages, their JSON and `league arena status` all show these values.
"""

from __future__ import annotations

import os
from datetime import datetime
from typing import Any

import msgspec

from league.extensions.arena.people import base_url
from league.extensions.arena.records import ArenaRules, GameStanding, HandInState, Participant, Phase, Rated, Submission
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


def course(arena: ArenaStore) -> dict[str, Any]:
    """An arena at a glance, for its staff."""
    people = _people(arena)
    authors = [one for one in people if not one["person"].is_staff]
    return {
        "name": arena.fact("name"),
        "url": base_url(arena),
        "rules": arena.rules,
        "waiting": len(arena.queue()),
        "playing": len(arena.active()),
        "rounds": sum(part.ended is not None for part in arena.rounds()),
        "load": f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
        "published": published(arena),
        "people": people,
        "attention": {
            "Nothing handed in": [one["person"].alias for one in authors if not one["versions"]],
            "Failed or benched": [
                one["person"].alias for one in authors if one["last"] == "failed" or "benched" in one["state"]
            ],
            "Waiting or late": [one["person"].alias for one in authors if one["last"] in ("waiting", "late")],
        },
        "equal": [[f"{one.bot} {one.number}" for one in same] for same in arena.equal_files()],
        "log": arena.audit(50),
    }


def _people(arena: ArenaStore) -> list[dict[str, Any]]:
    """Everybody, and how far they are."""
    active, chosen, reports, states = arena.active(), arena.chosen(), arena.ratings_after(), []
    everything: dict[str, list[Submission]] = {}
    for version in arena.submissions():
        everything.setdefault(version.bot, []).append(version)
    for person in arena.people():
        versions = everything.get(person.bot, [])
        plays, kept, report = active.get(person.bot), chosen.get(person.bot), reports.get(person.bot)
        last = versions[0].state if versions else None
        remarks = {
            person.role if person.is_staff else STATES[last] if last else "nothing handed in": True,
            "revoked": person.revoked,
            f"disqualified: {person.disqualified}": person.disqualified,
            f"benched: {kept.benched if kept else ''}": kept and kept.benched,
            "own deadline": person.deadline is not None,
        }
        states.append(
            {
                "person": person,
                "state": "; ".join(remark for remark, holds in remarks.items() if holds),
                "last": last,
                "versions": len(versions),
                "received": versions[0].received if versions else None,
                "plays": plays.number if plays else None,
                "place": str((report and report.main) or ""),
                "seconds": sum(version.seconds for version in versions) + (report.seconds if report else 0.0),
            }
        )
    return states


def course_text(state: dict[str, Any]) -> str:
    """The same for a terminal."""
    rules: ArenaRules = state["rules"]
    deadline = f"until {shown_time(rules.deadline)}" if rules.deadline else "without a deadline"
    phase = f"takes hand-ins {deadline}" if rules.phase == "open" else PHASES[rules.phase].lower()
    rows = [
        (who.alias, who.name, who.team, one["versions"], one["plays"] or "-", one["state"])
        for one in state["people"]
        for who in [one["person"]]
    ]
    people = Table.of(["alias", "name", "team", "versions", "plays", "state"], rows, ["versions", "plays"], ["team"])
    lines = [
        f"The arena {state['name']}: {phase}.{' Its ladder is paused.' if rules.paused else ''}",
        f"Rounds: {state['rounds']:,}. Bots of authors: {state['playing']:,}. "
        f"Hand-ins in the queue: {state['waiting']:,}.",
        *(f"{what}: {value}" for what, value in state["published"].items()),
        "",
        people.text(columns()),
    ]
    return "\n".join(lines)


def published(arena: ArenaStore) -> dict[str, str]:
    """The facts on every page that make the final fair, by what they are."""
    facts = {
        "SHA-256 of the secret that the final's seed is made from": arena.fact("secret_hash"),
        "SHA-256 of the final's roster": arena.fact("roster_hash"),
        "The secret": arena.fact("published_secret"),
    }
    return {what: value for what, value in facts.items() if value}


def shown_time(seconds: float) -> str:
    """A moment in local time, with its zone."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")


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
    earlier: GameStanding | None
    """Where it was before in the contest that comes first now."""
    since: str
    """When that was, in words."""
    ratings: tuple[Rated, ...]
    """After each round, the newest first."""

    @classmethod
    def of(cls, arena: ArenaStore, owner: Participant) -> AuthorState:
        """How somebody's bot does now."""
        bot = owner.bot
        versions = tuple(arena.submissions(bot))
        kept, plays = arena.chosen().get(bot), arena.active().get(bot)
        waiting = [place for place, submission in enumerate(arena.queue(), 1) if submission.bot == bot]
        ratings, rules, (number, since) = tuple(arena.ratings(bot)), arena.rules, arena.round_before()
        report = arena.ratings_after().get(bot)
        title = report.main.title if report and report.main else ""
        before = next((rated for rated in ratings if rated.round <= number and rules.phase != "over"), None)
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
            report=report,
            earlier=before.at(title) if before else None,
            since=since,
            ratings=ratings,
        )

    @property
    def against_former(self) -> str:
        """How the newest version does against the one before, if it was tried."""
        return next((line for line in self.versions[0].verdict.splitlines() if "-version-" in line), "")

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


def ladder(arena: ArenaStore, number: int) -> dict[str, list[tuple[str, GameStanding, GameStanding | None]]]:
    """All bots with a place by the title of a contest, the best first; the contests with most bots come first.

    Each has where it was after a round of this number; None: it is new.
    """
    before = arena.ratings_after(number)
    boards: dict[str, list[tuple[str, GameStanding, GameStanding | None]]] = {}
    for bot, rated in arena.ratings_after().items():
        for game in rated.games:
            then = before[bot].at(game.title) if bot in before else None
            boards.setdefault(game.title, []).append((bot, game, then))
    for rows in boards.values():
        rows.sort(key=lambda row: (row[1].best_place, -row[1].rating, row[0]))
    return dict(sorted(boards.items(), key=lambda board: -len(board[1])))
