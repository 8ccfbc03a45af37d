"""`isolation: trusted`: the bot runs in the worker's own process. For your own bots: nothing holds them back."""

from __future__ import annotations

from functools import lru_cache
from time import perf_counter
from types import CodeType

from league.block import Usage
from league.game import Game
from league.hosts import Reply, Tick, Trouble
from league.hosts.runtime import Runtime, routed_random, trouble_of


class TrustedHost:
    """One bot in one block, in this process."""

    def __init__(self, name: str, source: bytes, game: Game) -> None:
        self._decisions = 0
        self._seconds = 0.0
        self._broken: Trouble | None = None
        self._tick: Tick
        with routed_random():
            try:
                self._runtime = Runtime(name, _compile(name, source), game)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a bot's file does is its own fault
                self._broken = trouble_of(0, error)._replace(kind="import")

    def send(self, tick: Tick) -> None:
        self._tick = tick

    def receive(self) -> Reply:
        tick = self._tick
        if self._broken:
            return Reply([0] * len(tick.slots), [self._broken._replace(slot=begin.slot) for begin in tick.begins])
        started = perf_counter()
        with routed_random():
            troubles = self._hooks(tick)
            moves = self._choose(tick, troubles)
        self._seconds += perf_counter() - started
        self._decisions += len(moves)
        return Reply(moves, troubles)

    def close(self) -> Usage:
        return Usage(self._decisions, self._seconds)

    def _hooks(self, tick: Tick) -> list[Trouble]:
        troubles = []
        runtime = self._runtime
        for slot, outcome in tick.ends:
            try:
                runtime.end(slot, outcome)
            except (Exception, SystemExit) as error:  # noqa: BLE001
                troubles.append(trouble_of(slot, error)._replace(over=True))
        for begin in tick.begins:
            try:
                runtime.begin(begin)
            except (Exception, SystemExit) as error:  # noqa: BLE001
                troubles.append(trouble_of(begin.slot, error))
        return troubles

    def _choose(self, tick: Tick, troubles: list[Trouble]) -> list[int]:
        choosers = self._runtime.choosers
        make_current = self._runtime.make_current
        in_trouble = {trouble.slot for trouble in troubles if not trouble.over}
        moves: list[int] = []
        for slot, view in zip(tick.slots, tick.views, strict=True):
            if slot in in_trouble:
                moves.append(0)
                continue
            try:
                choose, table = choosers[slot]
                make_current(table)
                moves.append(choose(view))
            except (Exception, SystemExit) as error:  # noqa: BLE001
                moves.append(0)
                troubles.append(trouble_of(slot, error))
        return moves


@lru_cache(maxsize=1024)
def _compile(name: str, source: bytes) -> CodeType:
    return compile(source, f"{name}.py", "exec")
