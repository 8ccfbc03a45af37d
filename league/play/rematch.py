"""Plays games again: a game of a league from its address, or a new one between given bots.

Nothing of a game is stored; it follows from its seed and its bots. If what comes out now is not what was tallied
then, some bot at the table does not always play alike, and whoever shows the game says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

from league import games
from league.errors import LeagueError, did_you_mean
from league.games.contract import Game, Outcome
from league.games.lapses import Lapse
from league.games.replay import Replay, record
from league.hosts import Host
from league.plan.seating import seating_of
from league.play.match import OnFault, dealt
from league.play.worker import Team, Worker
from league.results.store import Store
from league.setup.roster import Bot
from league.values.block import DEAL_GROUPS, Address, Block, Contest, Entrant, Fault, Limits, Ranking, Series
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
    series = _find(store, address)
    settings = store.settings()
    team = Team(tuple(store.bots()), isolation or settings.isolation, settings.limits)
    with closing(Worker(team)) as worker:
        shown = _play(worker, series, address.deal)
        tallied = _tallied(store, series, address.deal)
        if tallied is None:
            return shown
        span, then = tallied
        now = _rankings_now(worker, series, address.deal, span)
    return shown._replace(differs=now != then)


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
        return _play(worker, series, 0, on_fault)


def _play(worker: Worker, series: Series, deal: int, on_fault: OnFault | None = None) -> Shown:
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
    return seen[0]._replace(faults=tuple(fault for fault in result.faults if fault.address == here))


def _tallied(store: Store, series: Series, deal: int) -> tuple[tuple[int, int], Counter[Ranking]] | None:
    """The block that holds a deal, and how the games of the deal's group ended in it; None if it was not played."""
    group = deal // series.contest.games_per_match % DEAL_GROUPS
    for result in store.results(series):
        block = result.block
        if block.first <= deal < block.stop:
            kept = [ranking for ranking in result.tally.rankings if ranking.group == group]
            return (block.first, block.stop), _counted(kept)
    return None


def _rankings_now(worker: Worker, series: Series, deal: int, span: tuple[int, int]) -> Counter[Ranking]:
    """How the games of a deal's group end now, each match played alone."""
    per_match = series.contest.games_per_match
    cycle = DEAL_GROUPS * per_match
    first = deal - deal % per_match
    rankings: list[Ranking] = []
    for start in range(first % cycle, span[1], cycle):
        if start >= span[0]:
            block = Block(series, start, min(start + per_match, span[1]))
            rankings += worker.play(block).tally.rankings
    return _counted(rankings)


def _counted(rankings: Sequence[Ranking]) -> Counter[Ranking]:
    counts: Counter[Ranking] = Counter()
    for ranking in rankings:
        counts[ranking._replace(games=0)] += ranking.games
    return counts


def _find(store: Store, address: Address) -> Series:
    """The series of an address, or a line that tells which part of the address is wrong."""
    plan = store.plan()
    contests = sorted({series.contest.key for series, _ in plan})
    if address.contest not in contests:
        near = did_you_mean(address.contest, contests)
        raise LeagueError(f"This league has no contest {address.contest!r}; it has {', '.join(contests)}.{near}")
    lineup = sorted(address.lineup)
    of_lineup = [
        (series, deals)
        for series, deals in plan
        if series.contest.key == address.contest and sorted(entrant.name for entrant in series.lineup) == lineup
    ]
    if not of_lineup:
        known = sorted({entrant.name for series, _ in plan for entrant in series.lineup})
        strange = [name for name in lineup if name not in known]
        reason = f"there is no bot {strange[0]!r}.{did_you_mean(strange[0], known)}" if strange else "they never met."
        raise LeagueError(f"No game of {address.contest} is between {' and '.join(lineup)}: {reason}")
    for series, deals in of_lineup:
        if series.rotation == address.rotation and address.deal < deals:
            return series
    rotations, most = len(of_lineup), max(deals for _, deals in of_lineup)
    raise LeagueError(
        f"{address} is not in this league: deals go from 0 to {most - 1} and rotations from 0 to {rotations - 1}."
    )
