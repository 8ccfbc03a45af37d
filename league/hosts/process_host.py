"""`isolation: sandbox` and `process`: a bot's side of a block, in a process of its own that may die at any time.

Until the first death, one process plays all slots, and gets all that is new in one message. When it dies, for whatever
reason, no slot is blamed yet: a new process replaces it, never beside it, and in that tick it is asked for one thing at
a time. Then the verdict does not depend on timing: the slot that was asked when the process dies is at fault. The other
slots are restored when they are asked: everything that their bot was told in its match is repeated, and the answers,
which are known, are ignored.

The league's clock does not know which of several decisions takes the time, so a message has the time of one. Messages
to slow bots are kept so small that an honest bot needs only a part of that time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import msgspec

from league.errors import IsolationError
from league.games.contract import Game
from league.hosts import Printed, Reply, Tick, Trouble
from league.hosts.clock import most_sleep
from league.hosts.process import BotProcess, Death, Hook
from league.hosts.wire import encode, tick_decoder
from league.values.block import Usage
from league.values.settings import Limits

MOST_ACCIDENTS = 3
"""How often in one block a process may die through no fault of its bot."""
SHARE, SHARE_ASLEEP = 0.5, 0.8
"""A message should take at most this part of the time of one decision, and of the time that a bot may sleep. A program
that waits for many answers at once sleeps no longer for many slots than for one, so it soon gets all that there are."""
GAIN = 8
"""From one message to the next, the estimated speed of a bot rises at most by this factor."""

Asked = dict[int, Tick]
"""Slot to its own part of a tick: at most one end, one begin and one view."""


class ProcessHost:
    """One bot in one block.

    `start` returns a new process for it; `on_print` is called after each answer with what it has printed. `broken` is
    why it cannot be loaded, if that is known.
    """

    def __init__(
        self,
        start: Callable[[], BotProcess],
        game: Game,
        limits: Limits,
        on_print: Callable[[Printed], None] | None = None,
        broken: Trouble | None = None,
    ) -> None:
        self._start = start
        self._on_print = on_print
        self._decoder = tick_decoder(game.view_type)
        self._process: BotProcess | None = None if broken else start()
        self._greeted = False
        self.wants_final_view = False
        self._early: Death | None = None
        self._is_sent = False
        self._message = b""
        self._calm_log: list[bytes] | None = []
        """Every message so far; None after the first death."""
        self._unsaid: set[tuple[int, int]] = set()
        """Message and slot of decisions that were cut off, which are not asked again when a match is repeated."""
        self._told: dict[int, list[Tick]] = {}
        """After the first death: all that the bot was told in a slot's match under way."""
        self._resident: set[int] = set()
        """After the first death: the slots whose matches the process knows."""
        self._one_by_one = False
        """Whether the process is asked for one thing at a time, because one has died in this tick."""
        self._most_awake, self._most_asleep = SHARE * limits.move_ms / 1000, SHARE_ASLEEP * most_sleep(limits)
        """Seconds that a message should take at most."""
        self._awake_each = self._asleep_each = 0.0
        """Seconds that each slot took in the latest messages; 0 before the first one."""
        self._lost: dict[int, Trouble] = {}
        """Slots whose match cannot be repeated, because the bot now dies of it."""
        self._broken = broken
        self._accidents = 0
        self._had_trouble = False
        self._decisions = 0
        self._used = Usage(0, 0.0)
        self._tick = Tick((), (), (), ())
        self._moves: dict[int, int] = {}
        self._troubles: list[Trouble] = []
        self._unavailable: dict[int, str] = {}

    def send(self, tick: Tick) -> None:
        self._tick = tick
        if self._calm_log is None or self._process is None or _size(tick) > self._room():
            return
        self._is_sent = True
        self._message = encode(tick)
        try:
            self._greet(self._process)
            self._process.send(tick, self._message)
        except Death as death:
            self._early = death

    def receive(self) -> Reply:
        reply = self._received()
        if self._process is not None:
            self._listen(self._process)
        return reply

    def _received(self) -> Reply:
        tick = self._tick
        self._moves, self._troubles, self._unavailable = {}, [], {}
        self._one_by_one = False
        if self._is_sent and self._process is not None:
            self._is_sent = False
            try:
                if self._early:
                    raise self._early
                reply = self._process.receive()
            except Death as death:
                self._settle(self._bury(by_slot(tick), death))
            else:
                self._learn(self._process, _size(tick))
                self._write_down(self._message, reply)
                self._decisions += len(reply.moves)
                return reply
        else:
            self._settle(by_slot(tick))
        moves = [self._moves.get(slot, 0) for slot in tick.slots]
        if self._broken is None:
            self._decisions += len(moves)
        troubles = sorted(self._troubles, key=lambda trouble: (trouble.slot, not trouble.over))
        return Reply(moves, troubles, self._unavailable)

    def close(self) -> Usage:
        if self._process is not None:
            self._process.close()
            self._account(self._process)
        return msgspec.structs.replace(self._used, decisions=self._decisions)

    def rest(self) -> Usage | None:
        """All matches are over: stop the process until `wake` is called; returns what was used since it was last.

        None if the host can only be closed: it is a program, or something went wrong in it.
        """
        process = self._process
        if process is None or process.is_program or self._calm_log is None or self._had_trouble:
            return None
        self._calm_log = []
        decisions, self._decisions = self._decisions, 0
        return msgspec.structs.replace(process.rest(), decisions=decisions)

    def wake(self) -> None:
        """Other matches are about to begin."""
        if self._process is not None:
            self._process.wake()

    def _greet(self, process: BotProcess) -> None:
        if not self._greeted:
            self._greeted = True
            process.hello()
            self.wants_final_view = process.wants_final_view

    def _account(self, process: BotProcess) -> None:
        """Take over what a process that has ended leaves behind."""
        self._used = self._used.plus(process.usage())
        self._listen(process)

    def _listen(self, process: BotProcess) -> None:
        if self._on_print and (printed := process.heard()).size:
            self._on_print(printed)

    def _room(self) -> int:
        """How many slots a message may be about: one, while the bot's speed is unknown."""
        if not self._awake_each:
            return 1
        return max(1, int(min(self._most_awake / self._awake_each, self._most_asleep / self._asleep_each)))

    def _learn(self, process: BotProcess, slots: int) -> None:
        """Record how long a message took. If the bot seems faster than before, the estimate falls only gradually."""
        self._awake_each = max(process.took / slots, self._awake_each / GAIN, 1e-9)
        self._asleep_each = max(process.slept / slots, self._asleep_each / GAIN, 1e-9)

    def _settle(self, asked: Asked) -> None:
        """Ask until every slot has answered or is in trouble."""
        waiting = self._without_lost(asked)
        while waiting:
            portion = next(_items(waiting)) if self._one_by_one else dict(islice(waiting.items(), self._room()))
            try:
                reply = self._ask(portion)
            except Death as death:
                waiting = self._without_lost(self._bury(waiting, death))
                continue
            self._accept(portion, reply)
            in_trouble = {trouble.slot for trouble in reply.troubles if not trouble.over}
            for slot, part in portion.items():
                rest = _without(waiting[slot], part)
                if slot in in_trouble or not _any(rest):
                    del waiting[slot]
                else:
                    waiting[slot] = rest

    def _ask(self, portion: Asked) -> Reply:
        """The answers of the process, which is started first if there is none."""
        if self._process is None:
            self._process, self._greeted = self._start(), False
        process = self._process
        self._greet(process)
        self._tell_again(process, [slot for slot in portion if slot not in self._resident and self._told.get(slot)])
        self._resident.update(portion)
        reply = self._exchange(process, portion)
        if self._one_by_one:
            process.confirm()
        return reply

    def _tell_again(self, process: BotProcess, slots: list[int]) -> None:
        """Restore matches by repeating all that the bot was told in them."""
        for step in range(max([len(self._told[slot]) for slot in slots], default=0)):
            again = {slot: self._told[slot][step] for slot in slots if step < len(self._told[slot])}
            try:
                for asked in _items(again) if self._one_by_one else (again,):
                    self._exchange(process, asked)
            except Death as death:
                death.survived = True
                raise
        if self._on_print and slots:
            process.heard()  # what it prints when it is told the same again is nothing new

    def _exchange(self, process: BotProcess, asked: Asked) -> Reply:
        tick = merged(asked)
        self._message = encode(tick)
        process.send(tick, self._message)
        reply = process.receive()
        self._learn(process, len(asked))
        return reply

    def _accept(self, asked: Asked, reply: Reply) -> None:
        self._write_down(self._message, reply)
        if self._calm_log is None:
            cut_off = _cut_off(reply)
            for slot, part in asked.items():
                self._remember(slot, part, slot in cut_off)
        self._troubles += reply.troubles
        self._unavailable.update(reply.unavailable)
        slots = [slot for slot, part in asked.items() if part.slots]
        self._moves.update(zip(slots, reply.moves, strict=True))

    def _write_down(self, message: bytes, reply: Reply) -> None:
        """Until the first death, messages are kept as they were sent: most are never needed again."""
        self._had_trouble |= bool(reply.troubles)
        if self._calm_log is not None:
            self._unsaid.update((len(self._calm_log), slot) for slot in _cut_off(reply))
            self._calm_log.append(message)

    def _end_of_calm(self) -> None:
        """Sort by slot what was sent so far."""
        for number, message in enumerate(self._calm_log or ()):
            for slot, part in by_slot(Tick(*self._decoder.decode(message))).items():
                self._remember(slot, part, cut_off=(number, slot) in self._unsaid)
        self._calm_log = None

    def _remember(self, slot: int, part: Tick, cut_off: bool) -> None:
        if any(begin.fresh for begin in part.begins):
            self._told[slot] = []
            part = part._replace(ends=())
        if cut_off:
            part = part._replace(slots=(), views=())
        self._told.setdefault(slot, []).append(part)

    def _bury(self, waiting: Asked, death: Death) -> Asked:
        """The process died: blame the slot that it died of, if that is certain; returns what is still to be asked."""
        if self._process is not None:
            self._account(self._process)
        self._process, self._early = None, None
        self._resident.clear()
        self._end_of_calm()
        if death.blameless:
            self._accidents += 1
            if self._accidents > MOST_ACCIDENTS:
                raise IsolationError(
                    "Processes of bots were killed from outside several times. Is the machine short of memory?"
                )
            return waiting
        if death.kind == "import":
            self._broken = Trouble(0, death.kind, death.cause, death.tail)
            return waiting
        if not self._one_by_one or death.slot is None:
            self._one_by_one = True
            return waiting
        slot = death.slot
        trouble = death.trouble(slot)
        if death.survived:
            self._lost[slot] = trouble
            return waiting
        self._troubles.append(trouble)
        return {**waiting, slot: _after(waiting[slot], death.hook)}

    def _without_lost(self, asked: Asked) -> Asked:
        """What can be asked; troubles are noted for slots whose bot cannot be brought back, or loaded at all."""
        going_on: Asked = {}
        for slot, part in asked.items():
            if self._broken is None and any(begin.fresh for begin in part.begins):
                self._lost.pop(slot, None)
            trouble = self._broken or self._lost.get(slot)
            if trouble is None:
                if _any(part):
                    going_on[slot] = part
            elif part.begins or part.slots:
                self._troubles.append(trouble._replace(slot=slot, over=False))
        return going_on


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


def merged(asked: Asked) -> Tick:
    """The parts of some slots as one tick."""
    parts = asked.values()
    return Tick(
        [end for part in parts for end in part.ends],
        [begin for part in parts for begin in part.begins],
        [slot for part in parts for slot in part.slots],
        [view for part in parts for view in part.views],
    )


def _size(tick: Tick) -> int:
    """How many slots a tick is about, at least."""
    return max(len(tick.ends), len(tick.begins), len(tick.slots), 1)


def _any(part: Tick) -> bool:
    """Whether a part of a tick asks for anything."""
    return bool(part.ends or part.begins or part.slots)


def _items(asked: Asked) -> Iterator[Asked]:
    """What is asked, one call of a hook at a time, in the order of the hooks."""
    for slot, part in asked.items():
        if part.ends:
            yield {slot: Tick(part.ends, (), (), ())}
        if part.begins:
            yield {slot: Tick((), part.begins, (), ())}
        if part.slots:
            yield {slot: Tick((), (), part.slots, part.views)}


def _without(part: Tick, said: Tick) -> Tick:
    """What is left of a part when some of it was sent."""
    return Tick(
        () if said.ends else part.ends,
        () if said.begins else part.begins,
        () if said.slots else part.slots,
        () if said.slots else part.views,
    )


def _after(part: Tick, hook: Hook) -> Tick:
    """What is still to be sent in a slot whose bot died in a hook."""
    if hook == "finish":
        return part._replace(ends=())
    if hook == "start":
        return part._replace(begins=(), slots=(), views=())
    return part._replace(slots=(), views=())


def _cut_off(reply: Reply) -> set[int]:
    """The slots whose decision took too long."""
    return {trouble.slot for trouble in reply.troubles if trouble.kind == "timeout"}
