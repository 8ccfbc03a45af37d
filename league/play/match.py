"""Plays a sitting: many matches of its blocks at once, in lockstep, each in a slot.

At each tick the views of the games under way are gathered per host. Each host gets them in one message, and the moves
that come back are checked and played. Whatever goes wrong is one seat's fault: seeded random legal moves play on for
that seat to the end of the game, and it is ranked last. Only a match for which a bot could not be asked ends at once,
and does not count.

Each bot has one host, which plays for it in all blocks of the sitting. These are of one rotation: the rotations of a
lineup play the same deals, which no process of a bot may see twice. All other deals are different ones, because a deal
belongs to its lineup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from random import Random
from typing import Any

from league.errors import LeagueError, UnavailableError
from league.games.contract import Game, State, View, legal_in_words, rank_last
from league.hosts import Begin, End, Host, Reply, Tick, Trouble
from league.plan.seating import Seating, deal_of, packed_contest, seating_of
from league.results.moves import RecordedLapse, bits_of_game, code_of, pack
from league.results.outcomes import Ending, result_of
from league.tools.seeds import Seeds
from league.values.block import Block, BlockResult, Entrant, Fault, Sitting, Unavailable, Usage
from league.values.settings import Contest

WIDTH = 256
"""Matches that advance together. With fewer, messages to other processes cost more than the cache of the processor
saves."""
WIDTH_INSIDE = 64
"""The same for bots that run in this process: nothing is sent to them, so all that they need may fit into the cache."""

OpenHost = Callable[[Entrant, Game], Host]
CloseHost = Callable[[Entrant, Host], Usage]
Answers = Iterator[tuple[int, str]]
"""Moves, each with the code that it is kept by."""
OnFault = Callable[[Fault], None]
OnStep = Callable[[int, Sequence[Sequence[int]], State], None]
"""Is called before the bots are asked for a step, and before they are notified of how a game ended: with the deal, the
moves so far, step by step, and the state."""


def play_block(
    block: Block,
    open_host: OpenHost,
    on_fault: OnFault | None = None,
    on_step: OnStep | None = None,
    width: int = WIDTH,
) -> BlockResult:
    """Play every game of a block, and tally it; `width` changes no result.

    Raises `UnavailableError` if a bot could not be asked.
    """
    played = []
    sitting = Sitting((block,))
    for result in play_sitting(sitting, open_host, width, on_fault, on_step):
        if isinstance(result, Unavailable):
            raise UnavailableError(result.bot, result.cause)
        played.append(result)
    return played[0]


def play_sitting(
    sitting: Sitting,
    open_host: OpenHost,
    width: int = WIDTH,
    on_fault: OnFault | None = None,
    on_step: OnStep | None = None,
    close_host: CloseHost = lambda _, host: host.close(),
) -> list[BlockResult | Unavailable]:
    """Play every game of a sitting, and tally its blocks, in their order.

    A block of which some matches do not count, because a bot could not be asked, is returned in parts.

    `on_fault` and `on_step` are for sittings of one block: they are not told which block a game belongs to.
    """
    player = SittingPlayer(sitting, on_fault, on_step)
    hosts: list[Host] = []
    try:
        for entrant in sitting.entrants:
            hosts.append(open_host(entrant, player.game))
        player.play(hosts, width)
    finally:
        usages = [close_host(entrant, host) for entrant, host in zip(sitting.entrants, hosts, strict=False)]
    return player.results(usages)


class Slot:
    """One match: the game under way in it, and the faults of its bots."""

    __slots__ = (
        "absent", "before", "codes", "deal", "ended", "entrants", "faults", "first", "forfeited", "hosts", "index",
        "last", "part", "rngs", "seating", "state", "steps", "unavailable",
    )  # fmt: skip

    def __init__(self, part: BlockUnderWay, index: int, first: int, last: int) -> None:
        self.part = part
        self.index = index
        self.first = self.deal = self.ended = first
        """The first deal of the match, the one being played, and the one played last."""
        self.last = last
        self.state: State
        self.seating: Seating
        self.entrants: tuple[int, ...]
        self.hosts: list[int]
        """The entrant at each seat, and the number of its host."""
        self.faults: dict[int, int] = {}
        self.rngs: dict[int, Random] = {}
        """For each entrant at fault in this game, the generator that chooses its moves from then on."""
        self.forfeited: tuple[int, ...] = ()
        self.absent: frozenset[int] = frozenset()
        """Entrants at fault before this tick, which are not asked any more."""
        self.before = 0
        """Ticks before the first one of the game under way."""
        self.codes: list[str] = []
        """The moves of the game under way, as `results/moves.py` packs them."""
        self.steps: list[list[int]] = []
        """The same as ints, step by step; kept only for `on_step`."""
        self.unavailable: tuple[str, str] | None = None
        """A bot that could not be asked, and why: the match is over then, and does not count."""


class BlockUnderWay:
    """One block of a sitting: who plays it, and how its games ended."""

    # fmt: off
    __slots__ = (
        "block", "bot_seeds", "endings", "faults", "hosts", "lapses", "luck", "moves", "series", "slots",
    )
    # fmt: on

    def __init__(self, block: Block, hosts: list[int]) -> None:
        self.block = block
        self.series = block.series
        self.luck = block.series.luck
        self.hosts = hosts
        """By entrant, the number of its host."""
        contest = block.series.contest
        self.bot_seeds = Seeds(block.series.seed, "bot", contest.game, contest.players, *self.luck)
        self.faults: list[Fault] = []
        self.endings: dict[int, Ending] = {}
        self.moves: dict[int, str] = {}
        """The moves of every game that is over, by deal."""
        self.lapses: list[RecordedLapse] = []
        self.slots: list[Slot] = []

    def results(self, usage: list[Usage]) -> Iterator[BlockResult | Unavailable]:
        """What became of it: in one part, unless some matches do not count. `usage` is by entrant."""
        for unavailable, slots in groupby(self.slots, key=lambda slot: slot.unavailable):
            matches = list(slots)
            part = Block(self.series, matches[0].first, matches[-1].last + 1)
            if unavailable is not None:
                yield Unavailable(part, *unavailable)
                continue
            deals = range(part.first, part.stop)
            faults = [fault for fault in self.faults if fault.deal in deals]
            share = part.games / self.block.games
            used = usage if share == 1 else [entrant.share(share) for entrant in usage]
            moved = part.first - self.block.first
            lapses = [lapse._replace(game=lapse.game - moved) for lapse in self.lapses]
            here = [lapse for lapse in lapses if 0 <= lapse.game < part.games]
            moves = pack([self.moves[deal] for deal in deals], here)
            yield result_of(part, [self.endings[deal] for deal in deals], faults, used, moves)


class SittingPlayer:
    """The games of one sitting; `on_fault` and `on_step` are for people who play."""

    def __init__(
        self,
        sitting: Sitting,
        on_fault: OnFault | None = None,
        on_step: OnStep | None = None,
    ) -> None:
        contest, rotation = sitting.blocks[0].series.contest, sitting.blocks[0].series.rotation
        if any((block.series.contest, block.series.rotation) != (contest, rotation) for block in sitting.blocks):
            raise ValueError("all blocks of a sitting are of one contest and one rotation")
        _refuse_other_rules(contest)
        self.game = contest.set_up()
        self._rules = packed_contest(contest)
        self._on_fault = on_fault
        self._on_step = on_step
        self._is_last_try = sitting.is_last_try
        self._parts: list[BlockUnderWay] = []
        self._slots: list[Slot] = []
        per_match = contest.games_per_match
        hosts = {entrant: number for number, entrant in enumerate(sitting.entrants)}
        for block in sitting.blocks:
            part = BlockUnderWay(block, [hosts[entrant] for entrant in block.series.lineup])
            self._parts.append(part)
            for first in range(block.first, block.stop, per_match):
                slot = Slot(part, len(self._slots), first, min(first + per_match, block.stop) - 1)
                self._slots.append(slot)
                part.slots.append(slot)
        self._ticks = 0
        self._ends: list[list[End[Any]]] = [[] for _ in hosts]
        self._begins: list[list[Begin]] = [[] for _ in hosts]
        self._hosts: Sequence[Host] = ()

    def results(self, usages: Sequence[Usage]) -> list[BlockResult | Unavailable]:
        """The result of each block. What a host has used is divided among its blocks by their games."""
        games = [0] * len(usages)
        for part in self._parts:
            for host in part.hosts:
                games[host] += part.block.games
        results: list[BlockResult | Unavailable] = []
        for part in self._parts:
            usage = [usages[host].share(part.block.games / games[host]) for host in part.hosts]
            results += part.results(usage)
            part.slots.clear()  # matches know their block: nothing of a sitting is left to the collector of cycles
        return results

    def play(self, hosts: Sequence[Host], width: int) -> None:
        """Play every game to its end."""
        self._hosts = hosts
        for wave in range(0, len(self._slots), width):
            active = self._slots[wave : wave + width]
            for slot in active:
                self._start_game(slot)
            while active:
                active = self._tick(active)
        self._announce(self._slots)
        self._ask([[] for _ in hosts], [[] for _ in hosts])  # so that the bots learn how the last games ended

    def _tick(self, active: list[Slot]) -> list[Slot]:
        """Ask every bot once for all its games, and play the moves; returns the slots that go on."""
        self._announce(active)
        asked: list[list[int]] = [[] for _ in self._hosts]
        views: list[list[View]] = [[] for _ in self._hosts]
        for slot in active:
            state = slot.state
            numbers = slot.hosts
            absent = slot.absent
            for seat in state.turn:
                if not absent or slot.entrants[seat] not in absent:
                    host = numbers[seat]
                    asked[host].append(slot.index)
                    views[host].append(state.view(seat))
        answers = self._ask(asked, views)
        self._ticks += 1
        going_on = []
        for slot in active:
            state = slot.state
            if slot.unavailable:
                for seat in state.turn:
                    if slot.entrants[seat] not in slot.absent:
                        next(answers[slot.hosts[seat]])
                continue
            if slot.rngs:
                moves = self._moves_around_faults(slot, answers)
            else:
                moves = []
                numbers, codes = slot.hosts, slot.codes
                for seat in state.turn:
                    move, code = next(answers[numbers[seat]])
                    moves.append(move)
                    codes.append(code)
            if self._on_step:
                slot.steps.append(moves)
            state.step(moves)
            if state.turn or self._finish_game(slot):
                going_on.append(slot)
        return going_on

    def _announce(self, slots: Sequence[Slot]) -> None:
        if self._on_step:
            for slot in slots:
                self._on_step(slot.deal, slot.steps, slot.state)

    def _ask(self, asked: list[list[int]], views: list[list[View]]) -> list[Answers]:
        """Every host's moves, in the order asked. All hosts are sent to before any is read from."""
        hosts = self._hosts
        spoken_to = []
        for number, host in enumerate(hosts):
            ends, begins = self._ends[number], self._begins[number]
            if asked[number] or begins or ends:
                host.send(Tick(ends, begins, asked[number], views[number]))
                spoken_to.append(number)
                self._ends[number], self._begins[number] = [], []
        answers: list[Answers] = [iter(()) for _ in hosts]
        for number in spoken_to:
            reply = hosts[number].receive()
            codes = self._checked(number, asked[number], views[number], reply)
            answers[number] = zip(reply.moves, codes, strict=True)
        return answers

    def _checked(self, host: int, asked: list[int], views: list[View], reply: Reply) -> Sequence[str]:
        """The codes of the moves, after every trouble and every illegal move was recorded as a fault.

        A move at fault is replaced later; its code means nothing.
        """
        if reply.troubles:
            known = {slot: view.legal for slot, view in zip(asked, views, strict=True)}
            for trouble in reply.troubles:
                legal = known.get(trouble.slot, ()) if trouble.kind == "illegal" else ()
                self._fault(host, trouble, legal_in_words(legal) if legal else "")
        for index, cause in reply.unavailable.items():
            if self._is_last_try:
                self._fault(host, Trouble(index, "error", f"unavailable in the last try of this match: {cause}"))
                continue
            slot = self._slots[index]
            name = slot.part.series.lineup[slot.part.hosts.index(host)].name
            slot.unavailable = slot.unavailable or (name, cause)
        moves = reply.moves
        if {*map(type, moves)} <= {int}:
            asked_for = zip(views, moves, strict=True)
            with suppress(ValueError):  # an illegal move
                return [code_of(view.legal, move) for view, move in asked_for]
        kept = []
        for index, view, move in zip(asked, views, moves, strict=True):
            is_legal = type(move) is int and move in view.legal
            kept.append(code_of(view.legal, move) if is_legal else "")
            if not is_legal and index not in reply.unavailable:
                self._fault(host, _illegal(index, move), legal_in_words(view.legal))
        return kept

    def _moves_around_faults(self, slot: Slot, answers: list[Answers]) -> list[int]:
        """The moves of a game in which a bot is at fault."""
        moves = []
        state = slot.state
        for seat in state.turn:
            entrant = slot.entrants[seat]
            if entrant not in slot.absent:
                move, code = next(answers[slot.hosts[seat]])
            if entrant in slot.rngs:
                legal = state.view(seat).legal
                move = slot.rngs[entrant].choice(legal)
                code = code_of(legal, move)
            moves.append(move)
            slot.codes.append(code)
        slot.absent = frozenset(slot.rngs)
        return moves

    def _fault(self, host: int, trouble: Trouble, legal: str = "") -> None:
        """Record a fault; the first one in a game that is not over takes the bot out of it.

        What was `legal` goes into the tail, since faults are counted by their cause.
        """
        slot = self._slots[trouble.slot]
        part = slot.part
        entrant = part.hosts.index(host)
        if not trouble.over:
            if entrant in slot.rngs:
                return
            self._play_on(slot, entrant)
        slot.faults[entrant] = slot.faults.get(entrant, 0) + 1
        name = part.series.lineup[entrant].name
        address = str(part.series.address(slot.ended if trouble.over else slot.deal))
        part.faults.append(Fault(name, address, trouble.kind, trouble.cause, trouble.tail or legal))
        if self._on_fault:
            self._on_fault(part.faults[-1])
        if trouble.over and slot.deal > slot.ended and entrant not in slot.rngs:  # the next game had begun already
            self._forfeit_after_too_many(slot, entrant)

    def _forfeit_after_too_many(self, slot: Slot, entrant: int) -> bool:
        """Whether the bot has been at fault too often in this match; then the game under way is forfeited."""
        too_many = slot.faults.get(entrant, 0) >= slot.part.series.limits.max_faults
        if too_many:
            slot.forfeited = tuple(sorted((*slot.forfeited, entrant)))
            self._play_on(slot, entrant)
        return too_many

    def _play_on(self, slot: Slot, entrant: int) -> None:
        """From now on, random legal moves play for this entrant, to the end of the game."""
        series = slot.part.series
        contest = series.contest
        name = series.lineup[entrant].name
        turned = slot.seating.rotation
        seeds = Seeds(series.seed, "fault", contest.game, contest.players, *slot.part.luck)
        slot.rngs[entrant] = Random(seeds.of(slot.deal, turned, name))
        step = self._ticks - slot.before + 1
        slot.part.lapses.append(RecordedLapse(slot.deal - slot.part.block.first, entrant, step))

    def _start_game(self, slot: Slot) -> None:
        part = slot.part
        series = part.series
        slot.seating = seating_of(series, slot.deal)
        slot.entrants = slot.seating.entrants
        slot.hosts = [part.hosts[entrant] for entrant in slot.entrants]
        slot.state = self.game.start(deal_of(self._rules, series.seed, part.luck, slot.deal))
        if slot.rngs or slot.steps:
            slot.rngs, slot.steps, slot.forfeited = {}, [], ()
        slot.before = self._ticks
        fresh = slot.deal == slot.first
        first_seats = slot.seating.seats if fresh else seating_of(series, slot.first).seats
        for entrant, known in enumerate(series.lineup):
            if slot.faults and self._forfeit_after_too_many(slot, entrant):
                continue
            seed = part.bot_seeds.of(slot.first, first_seats[entrant], known.name)
            self._begins[part.hosts[entrant]].append(Begin(slot.index, slot.seating.seats[entrant], seed, fresh))
        slot.absent = frozenset(slot.rngs)

    def _finish_game(self, slot: Slot) -> bool:
        """Count the game that is over, and start the next one of the match if there is one."""
        outcome = slot.state.outcome()
        seating = slot.seating
        if slot.rngs:
            outcome = rank_last(outcome, [seat for seat, entrant in enumerate(slot.entrants) if entrant in slot.rngs])
        slot.part.endings[slot.deal] = Ending(
            seating.by_entrant(outcome.ranks),
            seating.by_entrant(outcome.scores),
            slot.forfeited,
        )
        slot.part.moves[slot.deal] = bits_of_game(slot.codes)
        slot.codes.clear()
        for seat, entrant in enumerate(slot.entrants):
            if entrant not in slot.rngs:
                host = slot.hosts[seat]
                view = slot.state.view(seat) if self._hosts[host].wants_final_view else None
                self._ends[host].append(End(slot.index, outcome, view, last=slot.deal == slot.last))
        slot.ended = slot.deal
        if slot.deal == slot.last:
            return False
        slot.deal += 1
        self._start_game(slot)
        return True


def _refuse_other_rules(contest: Contest) -> None:
    """Raise if a block was planned for other rules: its results would be counted as the same game."""
    version = contest.rules().version
    if contest.version != version:
        raise LeagueError(
            f"Games of {contest.game} were planned under version {contest.version} of its rules, but the worker that "
            f"should play them has version {version}. Install the same version everywhere, then start it again."
        )


def _illegal(index: int, move: object) -> Trouble:
    if type(move) is int:
        return Trouble(index, "illegal", f"the move {move} is not among the legal ones")
    return Trouble(index, "illegal", f"a move must be an int, not {type(move).__name__}")
