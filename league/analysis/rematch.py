"""Shows a game of a league from its address, and plays games: one of a league again, or a new one between given bots.

A game of a league is shown from its stored moves, and nothing runs but the rules. If its moves were not kept, it is
played again: they follow from the seed and the bots. If it then ends differently than it did in the league, a bot at
the table is not deterministic, and `Shown.differs` says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from itertools import permutations
from typing import NamedTuple

from league.errors import LeagueError, did_you_mean
from league.games.contract import Game, Lapse, Outcome, State
from league.games.replay import PrintedText, Replay, record
from league.hosts import Host, Printed
from league.plan.schedule import NO_DEALS, Fixture
from league.plan.seating import dealt, seating_of
from league.play.match import OnFault, OnStep
from league.play.worker import Team, Worker
from league.results.games import FoundGame
from league.results.queries import game_at
from league.results.recorded import recorded
from league.results.store import Store
from league.results.stored_games import load_rules
from league.setup.roster import Bot
from league.tools.seeds import stretched
from league.values.block import Address, Block, Entrant, Fault, Series
from league.values.settings import Contest, Isolation, Limits

ADDRESS = re.compile(r"(?P<contest>[^:]+):(?P<lineup>[^:]+):(?P<deal>\d{1,18})\.(?P<rotation>\d{1,9})")
PERSON = Entrant("you", "")
"""The person at the keyboard."""


class Shown(NamedTuple):
    """A game as it was played, or as it was played again."""

    replay: Replay
    faults: tuple[Fault, ...] = ()
    """In this game."""
    differs: bool = False
    """Whether it ended differently than it did when the league was played."""
    prints: tuple[PrintedText, ...] = ()
    """What its bots printed if it was played again, except those that run in this process, whose output is shown at
    once."""

    @property
    def outcome(self) -> Outcome:
        """As it counts, seat by seat: bots at fault are last."""
        return self.replay.outcome


def parse_address(text: str) -> Address:
    """The address that is written like 'raj-2p:ann+bob:17.1'."""
    match = ADDRESS.fullmatch(text)
    if not match:
        shape = "raj-2p:ann+bob:17.1 (contest:bots:deal.rotation)"
        raise LeagueError(f"An address looks like {shape}, not {text[:200]!r}.")
    lineup = tuple(match["lineup"].split("+"))
    return Address(match["contest"], lineup, int(match["deal"]), int(match["rotation"]))


def show(store: Store, address: Address, isolation: Isolation = Isolation.SANDBOX) -> Shown:
    """The game of a league at an address: as it was played, or played again if its moves were not kept."""
    load_rules(store)
    game = game_at(store, series_at(store, address).address(address.deal))
    shown = game and as_played(store, game)
    return shown or play_again(store, address, isolation)


def as_played(store: Store, game: FoundGame) -> Shown | None:
    """A game from its stored moves; None if they were not kept. The league's rules must be loaded."""
    kept = recorded(store, game)
    return Shown(kept.replay, kept.faults) if kept else None


def play_again(store: Store, address: Address, isolation: Isolation = Isolation.SANDBOX) -> Shown:
    """The game of a league at an address, played again."""
    with closing(Rematches(store, isolation)) as rematches:
        return rematches.play(address)


class Prints:
    """Records what bots print, and at which step of which deal."""

    def __init__(self) -> None:
        self._deal_and_step = (0, 0)
        self._noted: list[tuple[int, PrintedText]] = []

    def on_step(self, deal: int, steps: Sequence[Sequence[int]], state: State) -> None:
        """Bots are asked for the next step after these."""
        self._deal_and_step = (deal, len(steps) + 1)

    def on_print(self, name: str, printed: Printed) -> None:
        """A bot has printed something."""
        deal, step = self._deal_and_step
        self._noted.append((deal, PrintedText(step, name, printed.beginning, printed.size)))

    def of(self, deal: int) -> tuple[PrintedText, ...]:
        """What was printed during a deal; everything noted is forgotten then."""
        printed = tuple(text for number, text in self._noted if number == deal)
        self._noted.clear()
        return printed


class Rematches:
    """Plays games of a league again, with its own bots and perhaps others. Close it afterwards.

    Whatever the folder says, its bots are confined unless the caller trusts them: it may come from a stranger.
    """

    def __init__(self, store: Store, isolation: Isolation = Isolation.SANDBOX, *others: Bot) -> None:
        load_rules(store)
        self._store = store
        bots = (*store.with_files(store.bots()), *others)
        self._prints = Prints()
        self.worker = Worker(
            Team(bots, isolation, store.settings().limits, private=(str(store.folder),)),
            on_print=self._prints.on_print,
        )

    def play(self, address: Address) -> Shown:
        """The game at an address."""
        series = series_at(self._store, address)
        counted = game_at(self._store, series.address(address.deal))
        if counted is not None:
            return self.play_found(counted)
        return self.play_deal(series, address.deal)

    def play_found(self, game: FoundGame) -> Shown:
        """A game that was found by how it ended."""
        shown = self.play_deal(game.series, game.deal)
        return shown._replace(differs=differs(shown, game))

    def play_deal(self, series: Series, deal: int) -> Shown:
        """A game of a series, which another bot may have joined."""
        return play_game(self.worker, series, deal, prints=self._prints)

    def close(self) -> None:
        """End the processes of the bots."""
        self.worker.close()


def play_once(
    game: Game,
    bots: Sequence[Bot],
    seed: int,
    isolation: Isolation,
    limits: Limits,
    person: tuple[int, Host] | None = None,
    on_fault: OnFault | None = None,
    on_step: OnStep | None = None,
) -> Shown:
    """One game between bots, seated in the order given, around a person's seat if there is one.

    `on_fault` is called with every fault as it happens, `on_step` before every step.
    """
    contest = Contest.of(game)
    lineup = [bot.entrant() for bot in bots]
    guests = {}
    if person is not None:
        seat, host = person
        lineup.insert(seat, PERSON)
        guests[PERSON] = host
    series = Series(contest, tuple(lineup), 0, stretched(seed), limits, shared_deals=True)
    prints = Prints()
    with closing(Worker(Team(tuple(bots), isolation, limits), guests, prints.on_print)) as worker:
        return play_game(worker, series, 0, on_fault, prints, on_step)


def play_game(
    worker: Worker,
    series: Series,
    deal: int,
    on_fault: OnFault | None = None,
    prints: Prints | None = None,
    on_step: OnStep | None = None,
) -> Shown:
    """One game of a series, after the earlier games of its match; `prints` records what its bots print."""
    contest = series.contest
    first = deal - deal % contest.games_per_match
    seen: list[Shown] = []

    def watch(number: int, steps: list[list[int]], outcome: Outcome, lapses: list[Lapse]) -> None:
        if number == deal:
            names = [entrant.name for entrant in seating_of(series, deal).by_seat(series.lineup)]
            seen.append(Shown(record(contest.set_up(), dealt(series, deal), steps, names, lapses)))

    def step(number: int, steps: Sequence[Sequence[int]], state: State) -> None:
        for listener in (prints.on_step if prints else None, on_step):
            if listener:
                listener(number, steps, state)

    result = worker.play(Block(series, first, deal + 1), watch, on_fault, step)
    here = str(series.address(deal))
    faults = tuple(fault for fault in result.faults if fault.address == here)
    return seen[0]._replace(faults=faults, prints=prints.of(deal) if prints else ())


def differs(shown: Shown, counted: FoundGame) -> bool:
    """Whether a game ended differently than it did when the league was played."""
    outcome = shown.outcome
    return (outcome.ranks, outcome.scores) != (counted.ranks, counted.points)


def series_at(store: Store, address: Address) -> Series:
    """The series that an address is in. Raises `LeagueError` that says which part of the address is wrong."""
    plan = store.plan()
    keys = [fixture.contest.key for fixture in plan.fixtures]
    if address.contest not in keys:
        near = did_you_mean(address.contest, keys)
        raise LeagueError(f"This league has no contest {address.contest!r}; it has {', '.join(sorted(keys))}.{near}")
    index = keys.index(address.contest)
    fixture = plan.fixtures[index]
    rank = _rank(fixture, address)
    first, stop = fixture.wanted(rank)
    if address.rotation < fixture.contest.players and first <= address.deal < stop:
        return plan.series(index, rank, address.rotation)
    last = fixture.contest.players - 1
    raise LeagueError(
        f"{address} is not in this league: deals go from {first} to {stop - 1} and rotations from 0 to {last}."
    )


def _rank(fixture: Fixture, address: Address) -> int:
    """The rank of the lineup of an address, whose bots may be named in any order."""
    places = {entrant.name: index for index, entrant in enumerate(fixture.entrants)}
    names = sorted(address.lineup)
    unknown = [name for name in names if name not in places]
    if not unknown and len(names) == fixture.contest.players:
        for lineup in permutations(sorted(places[name] for name in names)):  # that of a duel is not sorted
            rank = fixture.lineups.rank(lineup)
            if rank is not None and fixture.wanted(rank) != NO_DEALS:
                return rank
    reason = f"there is no bot {unknown[0]!r}.{did_you_mean(unknown[0], places)}" if unknown else "they never met."
    raise LeagueError(f"No game of {address.contest} is between {' and '.join(names)}: {reason}")
