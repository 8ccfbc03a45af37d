"""Shows a game of a league from its address, and plays games: one of a league again, or a new one between given bots.

A game of a league is shown from its stored moves, and nothing runs but the rules. If its moves were not kept, it is
played again: they follow from the seed and the bots. If it then ends differently than it did in the league, a bot at
the table is not deterministic, and `Shown.differs` says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import groupby, islice, permutations

from league.errors import LeagueError, UnavailableError, did_you_mean
from league.games.contract import Game, State, View
from league.games.replay import PrintedText
from league.hosts import Printed, Reply, Tick
from league.hosts.factory import OnPrint
from league.plan.schedule import NO_DEALS, Fixture
from league.play.match import OnFault, OnStep
from league.play.worker import Team, Worker
from league.results.games import FoundGame, games_of
from league.results.recorded import Shown, load_rules, recorded, recorded_in
from league.results.store import Store
from league.setup.roster import Bot
from league.tools.seeds import stretched
from league.values.block import Address, Block, BlockResult, Entrant, Series, Sitting, Unavailable, Usage
from league.values.settings import Contest, Isolation, Limits

ADDRESS = re.compile(r"(?P<contest>[^:]+):(?P<lineup>[^:]+):(?P<deal>\d{1,18})\.(?P<rotation>\d{1,9})")
PERSON = Entrant("you", "")
TOGETHER = 16
"""Matches that are played again at one sitting."""


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
    game = store.game_at(series_at(store, address), address.deal)
    shown = game and recorded(store, game)
    return shown or play_again(store, address, isolation)


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


@contextmanager
def at_table(
    store: Store, isolation: Isolation = Isolation.SANDBOX, *others: Bot, on_print: OnPrint | None = None
) -> Generator[Worker, None, None]:
    """Who plays games of a league again, with its own bots and perhaps others.

    Whatever the folder says, its bots are confined unless the caller trusts them: it may come from a stranger.
    """
    load_rules(store)
    bots = (*store.with_files(store.bots()), *others)
    team = Team(bots, isolation, store.settings().limits, private=(str(store.folder),))
    with closing(Worker(team, on_print=on_print)) as worker:
        yield worker


class Person:
    """A host that asks a person for every move, in the place of a bot."""

    wants_final_view = False

    def __init__(self, decide: Callable[[View], int]) -> None:
        self._decide = decide
        self._views: Sequence[View] = ()

    def send(self, tick: Tick) -> None:
        """Keep what has to be decided."""
        self._views = tick.views

    def receive(self) -> Reply:
        """Wait for the person."""
        return Reply([self._decide(view) for view in self._views])

    def close(self) -> Usage:
        """What a person takes is not measured."""
        return Usage(0, 0.0)


Match = Sequence[FoundGame]
"""Games of one match of a league, in their order."""


def again(worker: Worker, matches: Iterable[Match]) -> Iterator[tuple[Match, BlockResult | Unavailable]]:
    """What becomes of matches if they are played again, up to the last of the games that are named.

    Matches in a row that may share hosts are played side by side. One may be there twice, so no host waits for others.
    """
    for _, alike in groupby(matches, key=lambda match: (match[0].contest.key, match[0].series.rotation)):
        while together := list(islice(alike, TOGETHER)):
            blocks = tuple(Block(games[0].series, first_of(games[0]), games[-1].deal + 1) for games in together)
            yield from zip(together, worker.play_sitting(Sitting(blocks, is_fresh=True)), strict=True)


def first_of(game: FoundGame) -> int:
    """The first deal of the match of a game."""
    return game.deal - game.deal % game.contest.games_per_match


def shown_in(result: BlockResult | Unavailable, deal: int) -> Shown:
    """A game that was played again; raises `UnavailableError` if a bot could not be asked."""
    if isinstance(result, Unavailable):
        raise UnavailableError(result.bot, result.cause)
    return recorded_in(result, games_of(result).game(deal - result.block.first))


def played_again(worker: Worker, game: FoundGame) -> Shown:
    """A game of a league, played again."""
    [(_, result)] = again(worker, [[game]])
    shown = shown_in(result, game.deal)
    return shown._replace(differs=differs(shown, game))


def differs(shown: Shown, counted: FoundGame) -> bool:
    """Whether a game ended differently than it did when the league was played."""
    outcome = shown.outcome
    return (outcome.ranks, outcome.scores) != (counted.ranks, counted.points)


def play_again(store: Store, address: Address, isolation: Isolation = Isolation.SANDBOX) -> Shown:
    """The game of a league at an address, played again, with what its bots print."""
    prints = Prints()
    series = series_at(store, address)
    with at_table(store, isolation, on_print=prints.on_print) as worker:
        shown = play_game(worker, series, address.deal, prints=prints)
    counted = store.game_at(series, address.deal)
    return shown._replace(differs=counted is not None and differs(shown, counted))


def play_once(
    game: Game,
    bots: Sequence[Bot],
    seed: int,
    isolation: Isolation,
    limits: Limits,
    person: tuple[int, Callable[[View], int]] | None = None,
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
        seat, decide = person
        lineup.insert(seat, PERSON)
        guests[PERSON] = Person(decide)
    series = Series(contest, tuple(lineup), 0, stretched(seed), limits, luck_follows="seed")
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

    def step(number: int, steps: Sequence[Sequence[int]], state: State) -> None:
        for listener in (prints.on_step if prints else None, on_step):
            if listener:
                listener(number, steps, state)

    first = deal - deal % series.contest.games_per_match
    result = worker.play(Block(series, first, deal + 1), on_fault, step)
    return shown_in(result, deal)._replace(prints=prints.of(deal) if prints else ())


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
