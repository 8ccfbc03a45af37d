"""`isolation: sandbox` and `process`: a bot's side of a block, in processes of its own that may die at any time.

While all is calm, one process plays all slots. When it dies, exactly the slot whose bot was at work is blamed. The
others come back to life in fresh processes: everything their bot was told in its match is told again, and the answers,
which are known, are ignored. After a death the slots are parted between two processes, down to a small number each, so
that a bot that dies in every game costs a few milliseconds a game and never the square of their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from league.errors import IsolationError
from league.games.contract import Game
from league.hosts import Printed, Reply, Tick, Trouble
from league.hosts.process import BotProcess, Death, Hook
from league.hosts.wire import encode, tick_decoder
from league.values.block import Usage

MOST_PROCESSES = 32
"""How many processes a bot that keeps dying may have at the same time, about."""
MOST_ACCIDENTS = 3
"""How often in one block a process may die through no fault of its bot."""

Asked = dict[int, Tick]
"""Slot to its own part of a tick: at most one end, one begin and one view."""


class Shard:
    """Some slots, and the process that plays them; none if nobody has asked since the last one died."""

    def __init__(self, slots: Iterable[int] = ()) -> None:
        self.slots = set(slots)
        self.process: BotProcess | None = None
        self.resident: set[int] = set()
        """The slots whose matches the process knows of."""
        self.careful = False
        """Ask for one slot at a time, since a death could not be pinned on any."""


class ConfinedHost:
    """One bot in one block. `start` gives a new process for it; `on_print` hears what each of them has printed."""

    def __init__(
        self, start: Callable[[], BotProcess], game: Game, on_print: Callable[[Printed], None] | None = None
    ) -> None:
        self._start = start
        self._on_print = on_print
        self._decoder = tick_decoder(game.view_type)
        self._calm: BotProcess | None = start()
        """The one process that plays everything, until the first death."""
        self._greeted = False
        self.wants_final_view = False
        self._early: Death | None = None
        self._message = b""
        self._log: list[bytes] = []
        """While all is calm: every tick so far, as it was sent."""
        self._unsaid: set[tuple[int, int]] = set()
        """Tick and slot of decisions that were cut off, which are not asked again when a match is told anew."""
        self._told: dict[int, list[Tick]] = {}
        """After the first death: all that the bot was told in a slot's match under way."""
        self._owner: dict[int, Shard] = {}
        self._shards: list[Shard] = []
        self._lost: dict[int, Trouble] = {}
        """Slots whose match cannot be told anew, because its bot dies of it now."""
        self._broken: Trouble | None = None
        """Why the bot cannot be loaded."""
        self._accidents = 0
        self._decisions = 0
        self._seconds = 0.0
        self._tick = Tick((), (), (), ())
        self._moves: dict[int, int] = {}
        self._troubles: list[Trouble] = []

    def send(self, tick: Tick) -> None:
        self._tick = tick
        if self._calm is None:
            return
        self._message = encode(tick)
        try:
            if not self._greeted:
                self._greeted = True
                self._greet(self._calm)
            self._calm.send(tick, self._message)
        except Death as death:
            self._early = death

    def receive(self) -> Reply:
        tick = self._tick
        self._moves, self._troubles = {}, []
        if self._calm is not None:
            try:
                if self._early:
                    raise self._early
                reply = self._calm.receive()
            except Death as death:
                self._settle(self._end_of_calm(death))
            else:
                self._note(reply)
                self._decisions += len(reply.moves)
                return reply
        else:
            self._settle([by_slot(tick)])
        moves = [self._moves.get(slot, 0) for slot in tick.slots]
        if self._broken is None:
            self._decisions += len(moves)
        return Reply(moves, sorted(self._troubles, key=lambda trouble: (trouble.slot, not trouble.over)))

    def close(self) -> Usage:
        processes = [self._calm, *(shard.process for shard in self._shards)]
        for process in filter(None, processes):
            process.close()
            self._account(process)
        return Usage(self._decisions, self._seconds)

    def _greet(self, process: BotProcess) -> None:
        process.hello()
        self.wants_final_view = process.wants_final_view

    def _account(self, process: BotProcess) -> None:
        """Take over what a process that has ended leaves behind."""
        self._seconds += process.seconds()
        if self._on_print and process.printed.size:
            self._on_print(process.printed)

    def _note(self, reply: Reply) -> None:
        self._log.append(self._message)
        for trouble in reply.troubles:
            if trouble.kind == "timeout":
                self._unsaid.add((len(self._log) - 1, trouble.slot))

    def _end_of_calm(self, death: Death) -> list[Asked]:
        """Sort by slot what was said so far, and bury the process; gives what is to be asked anew."""
        for number, message in enumerate(self._log):
            for slot, part in by_slot(Tick(*self._decoder.decode(message))).items():
                self._remember(slot, part, cut_off=(number, slot) in self._unsaid)
        self._log.clear()
        asked = by_slot(self._tick)
        everything = Shard(set(self._told) | set(asked))
        everything.process = self._calm
        self._calm, self._early = None, None
        self._shards = [everything]
        self._owner = dict.fromkeys(everything.slots, everything)
        return self._bury(everything, asked, death)

    def _settle(self, work: list[Asked]) -> None:
        """Ask until every slot has answered or is in trouble."""
        while work:
            asked = self._without_lost(work.pop())
            if not asked:
                continue
            shards = {id(shard): shard for shard in map(self._shard_of, asked)}
            if len(shards) > 1:
                work += [
                    {slot: part for slot, part in asked.items() if self._owner[slot] is shard}
                    for shard in shards.values()
                ]
                continue
            shard = next(iter(shards.values()))
            if shard.careful and len(asked) > 1:
                work += [{slot: part} for slot, part in asked.items()]
                continue
            try:
                reply = self._ask(shard, asked)
            except Death as death:
                work += self._bury(shard, asked, death)
            else:
                self._accept(asked, reply)

    def _ask(self, shard: Shard, asked: Asked) -> Reply:
        """The answers of a shard's process, which is brought to life before if need be."""
        if shard.process is None:
            shard.process = self._start()
            self._greet(shard.process)
        returning = [slot for slot in asked if slot not in shard.resident and self._told.get(slot)]
        for step in range(max([len(self._told[slot]) for slot in returning], default=0)):
            again = {slot: self._told[slot][step] for slot in returning if step < len(self._told[slot])}
            try:
                _exchange(shard.process, again)
            except Death as death:
                death.survived = True
                raise
        shard.resident.update(asked)
        return _exchange(shard.process, asked)

    def _accept(self, asked: Asked, reply: Reply) -> None:
        cut_off = {trouble.slot for trouble in reply.troubles if trouble.kind == "timeout"}
        for slot, part in asked.items():
            self._remember(slot, part, slot in cut_off)
        self._troubles += reply.troubles
        slots = [slot for slot, part in asked.items() if part.slots]
        self._moves.update(zip(slots, reply.moves, strict=True))

    def _remember(self, slot: int, part: Tick, cut_off: bool) -> None:
        if any(begin.fresh for begin in part.begins):
            self._told[slot] = []
            part = part._replace(ends=())
        if cut_off:
            part = part._replace(slots=(), views=())
        self._told.setdefault(slot, []).append(part)

    def _bury(self, shard: Shard, asked: Asked, death: Death) -> list[Asked]:
        """A process died: blame the slot that killed it; gives what is to be asked anew."""
        if shard.process is not None:
            self._account(shard.process)
        shard.process = None
        shard.resident.clear()
        if death.blameless:
            self._accidents += 1
            if self._accidents > MOST_ACCIDENTS:
                raise IsolationError(
                    "The processes of bots were killed from outside, again and again; is memory short?"
                )
            return [asked]
        if death.kind == "import":
            self._broken = Trouble(0, death.kind, death.cause, death.tail)
            return [asked]
        if death.slot is None:
            shard.careful = True
            return [asked]
        self._part(shard)
        trouble = Trouble(death.slot, death.kind, death.cause, death.tail, over=death.hook == "finish")
        if death.survived:
            self._lost[death.slot] = trouble
            return [asked]
        self._troubles.append(trouble)
        return [{**asked, death.slot: _without(asked[death.slot], death.hook)}]

    def _part(self, shard: Shard) -> None:
        """Give half of the slots to a process of their own, if there are not too many already."""
        slots = sorted(shard.slots)
        if len(slots) > max(1, len(self._owner) // MOST_PROCESSES):
            other = Shard(slots[len(slots) // 2 :])
            other.careful = shard.careful
            shard.slots -= other.slots
            self._shards.append(other)
            self._owner.update(dict.fromkeys(other.slots, other))

    def _shard_of(self, slot: int) -> Shard:
        shard = self._owner.get(slot)
        if shard is None:
            shard = self._owner[slot] = self._shards[-1]
            shard.slots.add(slot)
        return shard

    def _without_lost(self, asked: Asked) -> Asked:
        """What can be asked; troubles are noted for slots whose bot cannot be brought back, or loaded at all."""
        going_on: Asked = {}
        for slot, part in asked.items():
            if self._broken is None and any(begin.fresh for begin in part.begins):
                self._lost.pop(slot, None)
            trouble = self._broken or self._lost.get(slot)
            if trouble is None:
                if part.ends or part.begins or part.slots:
                    going_on[slot] = part
            elif part.begins or part.slots:
                self._troubles.append(trouble._replace(slot=slot, over=False))
        return going_on


def _exchange(process: BotProcess, asked: Asked) -> Reply:
    tick = _merged(asked)
    process.send(tick, encode(tick))
    return process.receive()


def by_slot(tick: Tick) -> Asked:
    """The parts of a tick, slot by slot."""
    asked: dict[int, list[Any]] = {}

    def part(slot: int) -> list[Any]:
        return asked.setdefault(slot, [(), (), (), ()])

    for end in tick.ends:
        part(end.slot)[0] = (end,)
    for begin in tick.begins:
        part(begin.slot)[1] = (begin,)
    for slot, view in zip(tick.slots, tick.views, strict=True):
        part(slot)[2:] = (slot,), (view,)
    return {slot: Tick(*items) for slot, items in asked.items()}


def _merged(asked: Asked) -> Tick:
    parts = asked.values()
    return Tick(
        [end for part in parts for end in part.ends],
        [begin for part in parts for begin in part.begins],
        [slot for part in parts for slot in part.slots],
        [view for part in parts for view in part.views],
    )


def _without(part: Tick, hook: Hook) -> Tick:
    """What is still to be said in a slot whose bot died in a hook."""
    if hook == "finish":
        return part._replace(ends=())
    if hook == "start":
        return part._replace(begins=(), slots=(), views=())
    return part._replace(slots=(), views=())
