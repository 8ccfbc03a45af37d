"""The player: rounds of the ladder that go on and on, and the final.

Round N of the ladder plays the first N rounds of the league among those who are in then, as far as they have not been
played. So everybody is in every round, a new version catches up in the first one after its check, and the rounds
follow from their stored rosters alone: whoever replays those gets the same standings.
"""

from __future__ import annotations

import logging
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from hashlib import sha256
from math import inf, isnan
from pathlib import Path
from time import time
from typing import Any

import msgspec

from league.errors import LeagueError
from league.extensions.arena.folder import (
    BOTS,
    FINAL,
    RESULTS,
    STAFF,
    THINKING_SECONDS,
    arena_config,
    free_disk,
    staff_bots,
    write_bots,
    write_config,
)
from league.extensions.arena.records import ALL_GAMES, GameStanding, LadderRound, Rated
from league.extensions.arena.store import ArenaStore
from league.extensions.course.feedback import fault_causes
from league.loop import LeagueRun
from league.plan.rounds import rounds_of
from league.play.executors import executor_of
from league.results.milestones import progress_of
from league.results.standings import Standings
from league.results.store import Store
from league.setup.roster import scan
from league.tools.files import make_folder, write_text
from league.values.settings import Isolation, Stop

BENCH_GAMES = 20
"""A version is benched after this many games at the earliest."""
LEAST_DISK = 1 << 30
"""Free bytes below which the ladder waits: hand-ins, which need less, are taken still."""

log = logging.getLogger(__name__)


class Ladder:
    """Plays the rounds of one arena."""

    def __init__(
        self,
        folder: Path,
        workers: int | None = None,
        isolation: Isolation | None = None,
        clock: Callable[[], float] = time,
        scheduler: str = "",
    ) -> None:
        self._folder = folder
        self._workers = workers
        self._executor = executor_of("local", scheduler)
        self._isolation = isolation
        self._arena = ArenaStore.open(folder, "player", clock)
        self._written: dict[str, str] | None = None
        """The roster whose bots are in the folder; None: nobody knows."""
        self._idle: tuple[str, dict[str, str]] | None = None
        """Config and roster of which nothing is left to play."""

    def close(self) -> None:
        self._arena.close()

    def step(self, stopping: Callable[[], bool]) -> bool:
        """Play a round, or the final, if it is time; returns whether there was something to do."""
        rules = self._arena.rules
        if rules.phase == "over" or rules.paused or free_disk(self._folder) < LEAST_DISK:
            return False
        stopped = False

        def stopping_or_paused() -> bool:
            nonlocal stopped  # a pause that ends at once has stopped the round all the same
            stopped = stopped or stopping() or self._arena.rules.paused
            return stopped

        if rules.phase == "final":
            return self._play_final(stopping_or_paused)
        if rules.phase == "closed" or self._is_over_time():
            return self._close()
        return self._play_round(stopping_or_paused)

    def _is_over_time(self) -> bool:
        """Whether the last deadline has passed."""
        deadline = self._arena.rules.deadline
        if deadline is None:
            return False
        own = [person.deadline for person in self._arena.people() if person.deadline is not None]
        return self._arena.now() > max([deadline, *own])

    def _play_round(self, stopping: Callable[[], bool]) -> bool:
        last = self._arena.last_round()
        part = last if last and last.ended is None else None  # it was cut off: the same bots go on
        roster = part.roster if part else self._roster()
        if part is None and self._idle == (arena_config(self._folder).text, roster):
            return False
        self._write_bots(roster)
        number = part.number if part else last.number + 1 if last else 1
        rounds = self._rounds_to_play(number, roster)
        if part is None:
            changed = last is None or last.roster != roster  # if only somebody has left, the standings change
            if rounds is None or not (rounds or changed):
                self._idle = (arena_config(self._folder).text, roster)
                return False
            part = self._arena.begin_round(roster)
        if rounds is None:
            self._arena.end_round(part)
        else:
            self._played(part, self._folder, Stop(rounds=rounds), stopping)
        return True

    def _roster(self) -> dict[str, str]:
        """Who would play now: the bots of the staff, and the versions of authors, with their hashes."""
        active = {bot: version.hash for bot, version in self._arena.active().items()}
        return active | {bot.name: bot.hash for bot in staff_bots(self._folder)}

    def _played(self, part: LadderRound, place: Path, stop: Stop | None, stopping: Callable[[], bool]) -> bool:
        """Play a round of the ladder, or the final as a whole; returns whether it is over."""
        with self._league(place) as run:
            run.check_bots()
            summary = run.play(stop, stopping=stopping, slow_seconds=THINKING_SECONDS if stop else inf)
            if summary.interrupted and (stop is None or stop.rounds):
                return False
            standings = run.report().standings
        told = _told(part, run, standings, summary.held_up) if standings else []
        self._arena.end_round(part, told)
        if standings and stop:
            self._bench(part.roster, standings)
        return True

    def _rounds_to_play(self, number: int, roster: Mapping[str, str]) -> int | None:
        """How many of the league's rounds are missing that belong to this round of the ladder.

        Those of an adaptive league are chosen for one roster, so a round of the ladder plays as many of them as it has
        had that roster. None if there can be no league now: with too few bots, say.
        """
        try:
            with self._league(self._folder, read_only=True) as run:
                coverage = run.preview()
        except LeagueError as problem:
            log.info("no round: %s", problem)
            return None
        if coverage.plan.chosen is not None:
            number = 1 + sum(part.roster == roster for part in self._arena.rounds() if part.number < number)
        known = rounds_of(coverage.plan)[:number]
        to_choose = number - len(known) if coverage.plan.unsettled else 0
        return sum(any(part.missing(coverage)) for part in known) + to_choose

    def _bench(self, roster: Mapping[str, str], standings: Standings) -> None:
        """Let versions that have failed in most of their games play no more."""
        with Store.open(self._folder / RESULTS / arena_config(self._folder).name) as store:
            failed = Counter(bot for bot, _ in {(fault.bot, fault.address) for fault in store.faults()})
        lines = {line.bot: line for line in standings.overall}
        for bot, active in self._arena.active().items():
            if roster.get(bot) == active.hash and bot in lines:
                games, faulty = lines[bot].games, failed[bot] + lines[bot].forfeits
                if games >= BENCH_GAMES and faulty > games / 2:
                    self._arena.bench(active.id, f"it failed in {faulty:,} of {games:,} games")

    def _write_bots(self, roster: Mapping[str, str]) -> None:
        if roster != self._written:
            present, self._written = self._written, None
            for bot, problem in write_bots(self._arena, roster, self._folder / BOTS, present or {}).items():
                log.warning("%s is left out: %s", bot, problem)
            self._written = dict(roster)

    def _league(self, place: Path, *, read_only: bool = False) -> LeagueRun:
        """The league in a folder. A contest that too few bots can play waits for more, and the others go on."""
        config = arena_config(place)
        roster = scan(config.bots, config.base, config.folder_mb)
        field = roster.filled(config.events)
        events = [one for one in config.events if len(field.playing(one.contest)) >= one.contest.players]
        config = msgspec.structs.replace(
            config, events=tuple(events) or config.events, isolation=self._isolation or config.isolation
        )
        how: dict[str, Any] = {"workers": self._workers, "executor": self._executor, "read_only": read_only}
        return LeagueRun(config, place / RESULTS, roster=roster, **how)

    def _close(self) -> bool:
        """After the deadline: wait for the last checks, then draw the final from who is in."""
        if self._arena.rules.phase == "open":
            self._arena.change_rules("", phase="closed")
        if self._arena.queue():
            return False
        roster = self._roster()
        roster_hash = hash_of_roster(roster)
        seed = final_seed(self._arena.fact("secret"), roster_hash)
        place = self._folder / FINAL
        make_folder(place)
        write_bots(self._arena, roster, place / BOTS, {})
        shutil.copytree(self._folder / STAFF, place / STAFF, dirs_exist_ok=True)
        write_text(place / "roster.json", msgspec.json.format(msgspec.json.encode(roster, order="sorted")).decode())
        league = arena_config(self._folder)
        write_config(league, place, {"league": f"{league.name}-final", "seed": seed}, without=("stop",))
        self._arena.set_fact("roster_hash", roster_hash)
        self._arena.begin_round(roster, phase="final")
        return True

    def _play_final(self, stopping: Callable[[], bool]) -> bool:
        part = self._arena.last_round()
        assert part is not None, "a final begins with its roster"
        if self._played(part, self._folder / FINAL, None, stopping):
            self._arena.set_fact("published_secret", self._arena.fact("secret"))
            self._arena.change_rules("", phase="over")
            log.info("the final is over")
        return True


def _told(part: LadderRound, run: LeagueRun, standings: Standings, put_off: Mapping[str, int]) -> list[Rated]:
    """What the author of each bot is told."""
    boards = {contest.contest.title: contest.lines for contest in standings.contests.values()}
    if len(boards) > 1:
        boards = {ALL_GAMES: standings.overall, **boards}
    places: defaultdict[str, list[GameStanding]] = defaultdict(list)
    for title, lines in boards.items():
        placed = [line for line in lines if line.has_place]
        for line in placed:
            # JSON has no word for what is not a number.
            numbers = [0.0 if isnan(number) else number for number in (line.rating, line.low, line.high, line.best)]
            places[line.bot].append(GameStanding(title, line.place, len(placed), *numbers))
    seconds: defaultdict[str, float] = defaultdict(float)
    with Store.open(run.folder) as store:
        for _, entrant, cost in store.costs():
            seconds[entrant.name] += cost.usage.cost
        return [
            Rated(
                *(part.number, line.bot, part.roster[line.bot]),
                games=tuple(sorted(places[line.bot], key=lambda game: -game.bots)),
                played=line.games,
                faults=line.faults,
                milestones=progress_of(standings, run.config.milestones, line.bot).steps,
                causes=tuple(fault_causes(store, line.bot)),
                put_off=put_off.get(line.bot, 0),
                seconds=seconds[line.bot],
            )
            for line in standings.overall
            if line.bot in part.roster
        ]


def hash_of_roster(roster: Mapping[str, str]) -> str:
    """What is published before the final: nobody can be put in or left out afterwards."""
    return sha256(msgspec.json.encode(roster, order="sorted")).hexdigest()


def final_seed(secret: str, roster_hash: str) -> int:
    """The seed of the final: neither who drew the secret nor who handed in can choose it."""
    mixed = sha256(f"{secret} {roster_hash}".encode()).digest()
    return int.from_bytes(mixed[:8], "big") >> 1
