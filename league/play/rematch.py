"""Plays games again: a game of a league from its address, or a new one between given bots.

No move of a game is stored; it follows from its seed and its bots. If it ends now otherwise than it did then, some bot
at the table does not always play alike, and whoever shows the game says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from itertools import permutations
from typing import NamedTuple

from league import games
from league.errors import LeagueError, did_you_mean
from league.games.contract import Game, Outcome
from league.games.lapses import Lapse
from league.games.replay import Replay, record
from league.hosts import Host
from league.plan.schedule import NO_DEALS, Fixture, Plan
from league.plan.seating import seating_of
from league.play.match import OnFault, dealt
from league.play.worker import Team, Worker
from league.results.outcomes import Ending, unpack
from league.results.store import Store
from league.setup.roster import Bot
from league.values.block import Address, Block, Contest, Entrant, Fault, Limits, Series
from league.values.settings import Isolation

ADDRESS = re.compile(r"(?P<contest>[^:]+):(?P<lineup>[^:]+):(?P<deal>\d+)\.(?P<rotation>\d+)")


PERSON = Entrant("you", "")
"""Whoever sits at the keyboard."""


class Shown(NamedTuple):
    """A game that was played again."""

    replay: Replay
    faults: tuple[Fault, ...] = ()
    """In this game."""
    differs: bool = False
    """Whether it came out otherwise than when the league was played."""

    @property
    def outcome(self) -> Outcome:
        """As it counts, seat by seat: bots at fault are last."""
        return self.replay.outcome


def parse_address(text: str) -> Address:
    """The address that is written like 'raj-2p:ann+bob:17.1'."""
    match = ADDRESS.fullmatch(text)
    if not match:
        raise LeagueError(f"An address looks like raj-2p:ann+bob:17.1 (contest:bots:deal.rotation), not {text!r}.")
    lineup = tuple(match["lineup"].split("+"))
    return Address(match["contest"], lineup, int(match["deal"]), int(match["rotation"]))


def play_again(store: Store, address: Address, isolation: Isolation | None = None) -> Shown:
    """The game of a league at an address."""
    series = _find(store.plan(), address)
    settings = store.settings()
    team = Team(tuple(store.bots()), isolation or settings.isolation, settings.limits)
    with closing(Worker(team)) as worker:
        shown, now = _play(worker, series, address.deal)
    then = _kept(store, series, address.deal)
    return shown._replace(differs=then is not None and then != now)


def play_once(
    game: Game,
    bots: Sequence[Bot],
    seed: int,
    isolation: Isolation,
    limits: Limits,
    person: tuple[int, Host] | None = None,
    on_fault: OnFault | None = None,
) -> Shown:
    """One game between bots, who sit in the order given, around a person's seat if there is one.

    `on_fault` hears of every fault as it happens.
    """
    contest = Contest.of(game)
    lineup = [bot.entrant() for bot in bots]
    guests = {}
    if person is not None:
        seat, host = person
        lineup.insert(seat, PERSON)
        guests[PERSON] = host
    series = Series(contest, tuple(lineup), 0, seed, limits)
    with closing(Worker(Team(tuple(bots), isolation, limits), guests)) as worker:
        return _play(worker, series, 0, on_fault)[0]


def _play(worker: Worker, series: Series, deal: int, on_fault: OnFault | None = None) -> tuple[Shown, Ending]:
    """One game, with those of its match that come before it."""
    contest = series.contest
    first = deal - deal % contest.games_per_match
    seen: list[Shown] = []

    def watch(number: int, steps: list[list[int]], outcome: Outcome, lapses: list[Lapse]) -> None:
        if number == deal:
            rules = games.make(contest.game, contest.players, contest.options)
            names = [entrant.name for entrant in seating_of(series, deal).by_seat(series.lineup)]
            seen.append(Shown(record(rules, dealt(series, deal), steps, names, lapses)))

    result = worker.play(Block(series, first, deal + 1), watch, on_fault)
    here = str(series.address(deal))
    shown = seen[0]._replace(faults=tuple(fault for fault in result.faults if fault.address == here))
    return shown, unpack(result.outcomes)[deal - first]


def _kept(store: Store, series: Series, deal: int) -> Ending | None:
    """How a game of a league ended when it was played; None if it was not played yet."""
    for result in store.results(series):
        if result.block.first <= deal < result.block.stop:
            return unpack(result.outcomes)[deal - result.block.first]
    return None


def _find(plan: Plan, address: Address) -> Series:
    """The series of an address, or a line that tells which part of the address is wrong."""
    keys = [fixture.contest.key for fixture in plan.fixtures]
    if address.contest not in keys:
        near = did_you_mean(address.contest, keys)
        raise LeagueError(f"This league has no contest {address.contest!r}; it has {', '.join(sorted(keys))}.{near}")
    at = keys.index(address.contest)
    fixture = plan.fixtures[at]
    rank = _rank(fixture, address)
    first, stop = fixture.wanted(rank)
    if address.rotation < fixture.contest.players and first <= address.deal < stop:
        return plan.series(at, rank, address.rotation)
    last = fixture.contest.players - 1
    raise LeagueError(
        f"{address} is not in this league: deals go from {first} to {stop - 1} and rotations from 0 to {last}."
    )


def _rank(fixture: Fixture, address: Address) -> int:
    """The rank of the lineup of an address, whose bots may be named in any order."""
    places = {entrant.name: at for at, entrant in enumerate(fixture.entrants)}
    names = sorted(address.lineup)
    strange = [name for name in names if name not in places]
    if not strange and len(names) == fixture.contest.players:
        for lineup in permutations(sorted(places[name] for name in names)):  # that of a duel is not sorted
            rank = fixture.lineups.rank(lineup)
            if rank is not None and fixture.wanted(rank) != NO_DEALS:
                return rank
    reason = f"there is no bot {strange[0]!r}.{did_you_mean(strange[0], places)}" if strange else "they never met."
    raise LeagueError(f"No game of {address.contest} is between {' and '.join(names)}: {reason}")
