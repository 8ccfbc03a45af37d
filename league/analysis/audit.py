"""Finds bots whose play depends on more than their own match: on other games, on the clock, on dice of their own.

A sample of matches is played as in a league, side by side, and everything that is sent to a bot is recorded with its
answers. Then the same is sent again, one match alone in a fresh host, twice. A deterministic bot answers the same.
Since every bot gets its own recorded views, no bot is suspected for what another one does.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import partial
from math import inf
from pathlib import Path
from random import Random
from time import monotonic
from typing import NamedTuple

from league.games.contract import Game
from league.hosts import Host, Reply, Tick
from league.hosts.confined import by_slot
from league.hosts.factory import HostFactory
from league.plan.schedule import Span, whole_matches
from league.play.in_time import in_time
from league.play.match import play_sitting
from league.results.store import Store
from league.results.stored_games import load_rules
from league.setup.roster import Bot
from league.tools.seeds import seed_for
from league.values.block import Block, Entrant, Series, Sitting, Usage
from league.values.settings import Isolation

TOGETHER = 64
"""Games that are played side by side, of which some are then played alone."""
MATCHES = 4
"""Matches of each series in the sample that are played alone."""

OTHER_GAMES = "remembers other games: in the same game it chooses differently if it has played no other one before"
CHANCE = "is not deterministic: given the same views again, it chooses differently"
_WHY = {
    OTHER_GAMES: "So its results depend on which games are played beside each other, and are not reproducible.",
    CHANCE: "So its results are not reproducible, and a replay shows another game than the one that counted.",
}
_REMEDIES = {
    OTHER_GAMES: {
        "python": "Keep what it remembers in self, set in __init__, not in the class, in globals or in default"
        " arguments. In choose_many, let no table's answer depend on the others.",
        "program": "Keep what it remembers by slot, and forget it when a game starts with fresh: true.",
    },
    CHANCE: {
        "python": "Take random numbers from table.rng or the module random, not from os.urandom or secrets, and do not"
        " look at the clock.",
        "program": "Seed its random numbers from the seed of start, slot by slot, and do not look at the clock.",
    },
}


def advice(reason: str, bot: Bot) -> str:
    """Why it matters that a bot is not deterministic, and what its author can do."""
    return f"{_WHY[reason]} {_REMEDIES[reason]['program' if bot.command else 'python']}"


Told = list[tuple[Tick, int | None]]
"""All that was sent to a bot in one match, and the moves that it answered."""


class Finding(NamedTuple):
    """A bot that is not deterministic."""

    bot: str
    address: str
    """Of the first game of the match that shows it."""
    reason: str


class Audit(NamedTuple):
    """What was examined, and what was found."""

    bots: int
    matches: int
    """Counted once for each bot in them."""
    findings: tuple[Finding, ...]
    """The first of each bot, by name."""
    left: tuple[str, ...]
    """Bots at fault in every match of the sample, so that there was nothing to compare; by name."""


def audit(
    store: Store,
    seconds: float | None = None,
    seed: int = 0,
    isolation: Isolation = Isolation.SANDBOX,
    *,
    most_seconds: float = inf,
) -> Audit:
    """Examine every bot of a league at least once, or as many as there is time for. `seed` chooses the sample.

    After `seconds`, what is being examined is finished, and cut short after `most_seconds`.

    Whatever the folder says, its bots are confined unless the caller trusts them: it may come from a stranger.
    """
    findings: dict[str, Finding] = {}
    sampled: set[Entrant] = set()
    compared: list[Entrant] = []
    steps = _steps(store, seed, isolation)
    deadline = inf
    if seconds is not None:  # in a process that can be ended: a slow bot may take minutes for one answer
        deadline = monotonic() + seconds
        steps = in_time(most_seconds, partial(_steps_of, store.folder, seed, isolation))
    with closing(steps):
        for lineup, finding in steps:
            if finding is None:
                if monotonic() > deadline and (sampled or not seconds):
                    break  # the process takes some time to begin
                sampled.update(lineup)
                continue
            compared += lineup
            if finding.reason:
                findings.setdefault(finding.bot, finding)
    left = tuple(sorted(entrant.name for entrant in sampled - set(compared)))
    return Audit(len(set(compared)), len(compared), tuple(findings[name] for name in sorted(findings)), left)


Step = tuple[tuple[Entrant, ...], Finding | None]
"""A lineup that is examined next; or a bot of it, and what was found out about it, with no reason if it is alike."""


def _steps_of(folder: Path, seed: int, isolation: Isolation) -> Iterator[Step]:
    with Store.open(folder) as store:
        yield from _steps(store, seed, isolation)


def _steps(store: Store, seed: int, isolation: Isolation) -> Generator[Step, None, None]:
    load_rules(store)
    bots = {bot.entrant(): bot for bot in store.with_files(store.bots())}
    with HostFactory(isolation, store.settings().limits, private=[store.folder]) as factory:
        for block in _sample(store, seed):
            yield block.series.lineup, None
            for entrant, finding in _examine(block, bots, factory, seed):
                yield (entrant,), finding


def _sample(store: Store, seed: int) -> Iterator[Block]:
    """Parts of blocks: every bot is in one of them for every contest."""
    rng = Random(seed_for(seed, "audit"))
    every = list(store.played_series())
    rng.shuffle(every)
    seen: set[tuple[str, Entrant]] = set()
    for series, deals in every:
        seats = {(series.contest.key, entrant) for entrant in series.lineup}
        if seats - seen:
            seen |= seats
            yield _part(series, deals, rng)


def _part(series: Series, deals: Span, rng: Random) -> Block:
    size = whole_matches(TOGETHER, series.contest.games_per_match)
    first = rng.randrange(deals[0], deals[1], size)
    return Block(series, first, min(first + size, deals[1]))


def _examine(
    block: Block, bots: dict[Entrant, Bot], factory: HostFactory, seed: int
) -> Iterator[tuple[Entrant, Finding]]:
    """Play a block; then each of its bots alone, in some of its matches."""
    heard: dict[Entrant, Listener] = {}

    def listening(entrant: Entrant, game: Game) -> Host:
        listener = Listener(factory.open(bots[entrant], game), game)
        heard[entrant] = listener
        return listener

    play_sitting(Sitting((block,)), listening)
    series = block.series
    per_match = series.contest.games_per_match
    slots = range(-(-block.games // per_match))
    chosen = sorted(Random(seed_for(seed, "audit", block.id)).sample(slots, min(MATCHES, len(slots))))
    for entrant, listener in heard.items():
        for slot in chosen:
            told = listener.told(slot)
            if told is None:
                continue
            address = str(series.address(block.first + slot * per_match))
            reason = why_not_alike(partial(factory.open, bots[entrant], listener.game), told)
            yield entrant, Finding(entrant.name, address, reason)


def why_not_alike(open_host: Callable[[], Host], told: Told) -> str:
    """In what way a bot answers differently when the same is sent to it again, alone, twice; empty if it does not."""
    alone, again = (_alone(open_host(), told) for _ in range(2))
    if alone != again:
        return CHANCE
    return OTHER_GAMES if alone != [move for _, move in told] else ""


def _alone(host: Host, told: Told) -> list[int | None]:
    """What a bot answers if this is sent to it and nothing else, up to the first trouble."""
    answers: list[int | None] = []
    try:
        for tick, _ in told:
            host.send(tick)
            reply = host.receive()
            if reply.troubles or reply.unavailable:
                break
            answers.append(reply.moves[0] if tick.slots else None)
    finally:
        host.close()
    return answers


class Listener:
    """A host that records what is sent to its bot, and the answers."""

    def __init__(self, host: Host, game: Game) -> None:
        self.game = game
        self._host = host
        self._heard: list[tuple[Tick, Reply]] = []
        self._tick: Tick

    @property
    def wants_final_view(self) -> bool:
        return self._host.wants_final_view

    def send(self, tick: Tick) -> None:
        self._tick = tick
        self._host.send(tick)

    def receive(self) -> Reply:
        reply = self._host.receive()
        self._heard.append((self._tick, reply))
        return reply

    def close(self) -> Usage:
        return self._host.close()

    def told(self, slot: int) -> Told | None:
        """All that was sent in a slot, with the moves; None if there was trouble, or if the bot could not be asked."""
        told: Told = []
        for tick, reply in self._heard:
            if slot in reply.unavailable or any(trouble.slot == slot for trouble in reply.troubles):
                return None
            part = by_slot(tick).get(slot)
            if part is not None:
                told.append((part, reply.moves[tick.slots.index(slot)] if part.slots else None))
        return told
