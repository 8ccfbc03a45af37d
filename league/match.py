"""Plays a block: all its matches at once, in lockstep, a slot each.

At each tick every game that is under way gives its views; they are gathered per bot, each bot's host gets them
in one message, and the moves that come back are checked and played. Whatever goes wrong is one seat's fault: that
seat is played on by seeded random legal moves to the end of the game and ranked last in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random

from league import games
from league.block import DEAL_GROUPS, Block, BlockResult, Entrant, Fault, Ranking, Series, Tally
from league.game import Game, Outcome, State, View, competition_ranks
from league.hosts import Begin, End, Host, Reply, Tick, Trouble
from league.seeds import seed_for

OpenHost = Callable[[Entrant, Game], Host]
Watch = Callable[[int, State, list[list[int]], Outcome], None]
"""Is told deal, final state, moves and outcome of every game that is over."""


def play_block(block: Block, open_host: OpenHost, watch: Watch | None = None) -> BlockResult:
    """Play every game of a block, and tally it."""
    player = BlockPlayer(block, watch)
    hosts: list[Host] = []
    try:
        for entrant in block.series.lineup:
            hosts.append(open_host(entrant, player.game))
        player.play(hosts)
    finally:
        usage = tuple(host.close() for host in hosts)
    return BlockResult(block, player.tally(), tuple(player.faults), usage, tuple(player.forfeits))


class Slot:
    """One match: the game under way in it, and what its bots have done to deserve."""

    __slots__ = ("absent", "deal", "ended", "faults", "first", "index", "last", "rngs", "rotation", "state", "steps")

    def __init__(self, index: int, first: int, last: int) -> None:
        self.index = index
        self.first = self.deal = self.ended = first
        self.last = last
        self.faults: Counter[int] = Counter()
        """Entrant to faults in this match."""
        self.state: State
        self.rotation: int
        self.rngs: dict[int, Random] = {}
        """Entrant at fault in this game to the random numbers that play on for it."""
        self.absent: frozenset[int] = frozenset()
        """Entrants at fault before this tick, who are not asked any more."""
        self.steps: list[list[int]] = []
        """The moves of the game under way, kept only if somebody watches."""


class BlockPlayer:
    """The games of one block. `watch` keeps the moves of every game and tells about each when it is over."""

    def __init__(
        self, block: Block, watch: Callable[[int, State, list[list[int]], Outcome], None] | None = None
    ) -> None:
        series = block.series
        contest = series.contest
        self.game = games.make(contest.game, contest.players, contest.options)
        self.faults: list[Fault] = []
        self.forfeits = [0] * contest.players
        self._watch = watch
        self._series = series
        self._players = contest.players
        self._seats = [  # by rotation: which entrant sits at each seat
            tuple((seat - rotation) % contest.players for seat in range(contest.players))
            for rotation in range(contest.players)
        ]
        per_match = contest.games_per_match
        self._slots = [
            Slot(index, first, min(first + per_match, block.stop) - 1)
            for index, first in enumerate(range(block.first, block.stop, per_match))
        ]
        self._ends: list[list[End]] = [[] for _ in series.lineup]
        self._begins: list[list[Begin]] = [[] for _ in series.lineup]
        self._rankings: Counter[tuple[int, int, tuple[int, ...]]] = Counter()
        self._points: dict[int, list[int]] = {}
        self._histogram: Counter[tuple[int, int]] = Counter()

    def play(self, hosts: Sequence[Host]) -> None:
        """Play every game to its end."""
        for slot in self._slots:
            self._start_game(slot)
        active = self._slots
        while active:
            active = self._tick(active, hosts)
        self._deliver_last_ends(hosts)

    def tally(self) -> Tally:
        """What was played, counted."""
        return Tally(
            rankings=tuple(Ranking(*key, count) for key, count in sorted(self._rankings.items())),
            points=tuple((group, tuple(sums)) for group, sums in sorted(self._points.items())),
            histogram=tuple((*key, count) for key, count in sorted(self._histogram.items())),
        )

    def _tick(self, active: list[Slot], hosts: Sequence[Host]) -> list[Slot]:
        """Ask every bot once for all its games, play the moves, and give the slots that go on."""
        asked: list[list[int]] = [[] for _ in hosts]
        views: list[list[View]] = [[] for _ in hosts]
        seats = self._seats
        for slot in active:
            entrants = seats[slot.rotation]
            state = slot.state
            index = slot.index
            absent = slot.absent
            for seat in state.turn:
                entrant = entrants[seat]
                if entrant not in absent:
                    asked[entrant].append(index)
                    views[entrant].append(state.view(seat))
        answers = self._ask(hosts, asked, views)
        going_on = []
        for slot in active:
            state = slot.state
            entrants = seats[slot.rotation]
            if slot.rngs:
                moves = self._moves_around_faults(slot, answers)
            else:
                moves = [next(answers[entrants[seat]]) for seat in state.turn]
            if self._watch:
                slot.steps.append(moves)
            state.step(moves)
            if state.turn or self._finish_game(slot):
                going_on.append(slot)
        return going_on

    def _ask(self, hosts: Sequence[Host], asked: list[list[int]], views: list[list[View]]) -> list[Iterator[int]]:
        """Every entrant's moves, in the order asked."""
        spoken_to = []
        for entrant, host in enumerate(hosts):
            ends, begins = self._ends[entrant], self._begins[entrant]
            if asked[entrant] or begins or ends:
                host.send(Tick(ends, begins, asked[entrant], views[entrant]))
                spoken_to.append(entrant)
                self._ends[entrant], self._begins[entrant] = [], []
        answers: list[Iterator[int]] = [iter(()) for _ in hosts]
        for entrant in spoken_to:
            reply = hosts[entrant].receive()
            answers[entrant] = iter(self._checked(entrant, asked[entrant], views[entrant], reply))
        return answers

    def _checked(self, entrant: int, asked: list[int], views: list[View], reply: Reply) -> Sequence[int]:
        """The moves as they came, after every trouble and every illegal move was written down as a fault."""
        for trouble in reply.troubles:
            self._fault(entrant, trouble)
        moves = reply.moves
        for index, view, move in zip(asked, views, moves, strict=True):
            if type(move) is not int or move not in view.legal:
                self._fault(entrant, _illegal(index, move))
        return moves

    def _moves_around_faults(self, slot: Slot, answers: list[Iterator[int]]) -> list[int]:
        """The moves of a game in which somebody is at fault."""
        moves = []
        state = slot.state
        for seat in state.turn:
            entrant = self._seats[slot.rotation][seat]
            if entrant not in slot.absent:
                move = next(answers[entrant])
            if entrant in slot.rngs:
                move = slot.rngs[entrant].choice(state.view(seat).legal)
            moves.append(move)
        slot.absent = frozenset(slot.rngs)
        return moves

    def _fault(self, entrant: int, trouble: Trouble) -> None:
        """Write a fault down; the first one in a game that is not over takes the bot out of it."""
        slot = self._slots[trouble.slot]
        if not trouble.over:
            if entrant in slot.rngs:
                return
            self._play_on(slot, entrant)
        slot.faults[entrant] += 1
        name = self._series.lineup[entrant].name
        address = str(self._series.address(slot.ended if trouble.over else slot.deal))
        self.faults.append(Fault(name, address, trouble.kind, trouble.cause, trouble.tail))

    def _play_on(self, slot: Slot, entrant: int) -> None:
        """From now on, random legal moves play for this entrant, to the end of the game."""
        name = self._series.lineup[entrant].name
        slot.rngs[entrant] = Random(self._seed("fault", slot.deal, slot.rotation, name))

    def _start_game(self, slot: Slot) -> None:
        series = self._series
        fresh = slot.deal == slot.first
        slot.rotation = (series.rotation + slot.deal - slot.first) % self._players
        slot.state = self.game.start(self.game.deal(deal_random(series, slot.deal)))
        slot.rngs = {}
        slot.steps = []
        for entrant, (name, begins) in enumerate(
            zip([known.name for known in series.lineup], self._begins, strict=True)
        ):
            if slot.faults[entrant] >= series.limits.max_faults:
                self.forfeits[entrant] += 1
                self._play_on(slot, entrant)
                continue
            seat = (entrant + slot.rotation) % self._players
            first_seat = (entrant + series.rotation) % self._players
            begins.append(Begin(slot.index, seat, self._seed("bot", slot.first, first_seat, name), fresh))
        slot.absent = frozenset(slot.rngs)

    def _finish_game(self, slot: Slot) -> bool:
        """Tally the game that is over, and start the next one of the match if there is one."""
        outcome = slot.state.outcome()
        entrants = self._seats[slot.rotation]
        if slot.rngs:
            outcome = rank_last(outcome, [seat for seat, entrant in enumerate(entrants) if entrant in slot.rngs])
        rotation = slot.rotation
        group = slot.first // self._series.contest.games_per_match % DEAL_GROUPS
        ranks = outcome.ranks[rotation:] + outcome.ranks[:rotation]
        scores = outcome.scores[rotation:] + outcome.scores[:rotation]
        self._rankings[group, rotation, ranks] += 1
        sums = self._points.setdefault(group, [0] * self._players)
        for entrant, score in enumerate(scores):
            sums[entrant] += score
            self._histogram[entrant, score] += 1
            if entrant not in slot.rngs:
                self._ends[entrant].append(End(slot.index, outcome))
        if self._watch:
            self._watch(slot.deal, slot.state, slot.steps, outcome)
        slot.ended = slot.deal
        if slot.deal == slot.last:
            return False
        slot.deal += 1
        self._start_game(slot)
        return True

    def _deliver_last_ends(self, hosts: Sequence[Host]) -> None:
        """Let the bots hear how the last games ended."""
        nothing: list[list[int]] = [[] for _ in hosts]
        self._ask(hosts, nothing, [[] for _ in hosts])

    def _seed(self, purpose: str, *parts: str | int) -> int:
        return _series_seed(self._series, purpose, *parts)


def deal_random(series: Series, deal: int) -> Random:
    """The random numbers that a deal is drawn from: the same for every lineup and rotation."""
    return Random(_series_seed(series, "deal", deal))


def _series_seed(series: Series, purpose: str, *parts: str | int) -> int:
    return seed_for(series.seed, purpose, series.contest.game, series.contest.players, *parts)


def rank_last(outcome: Outcome, at_fault: Sequence[int]) -> Outcome:
    """The outcome with these seats behind all others."""
    keys = [(seat not in at_fault, 0 if seat in at_fault else -rank) for seat, rank in enumerate(outcome.ranks)]
    return Outcome(competition_ranks(keys), outcome.scores)


def _illegal(index: int, move: object) -> Trouble:
    if type(move) is int:
        return Trouble(index, "illegal", f"the move {move} is not among the legal ones")
    return Trouble(index, "illegal", f"a move must be an int, not {type(move).__name__}")
