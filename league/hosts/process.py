"""One process with one bot in it, as the league sees it: bytes to it and from it, within its time limits.

A process that does anything but answer as it should is killed, and `Death` says what it did.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import msgspec

from league.errors import IsolationError
from league.hosts import Printed, Reply, Tick, Trouble
from league.hosts.clock import most_memory_mb
from league.hosts.wire import (
    CAUSE_CHARACTERS,
    HELLO_BYTES,
    LENGTH,
    REPLY_HEAD,
    TAIL_CHARACTERS,
    TROUBLE_BYTES,
    UNREADABLE,
    Held,
    HostSetup,
    Loaded,
    clean_line,
    clean_tail,
    encode,
    framed,
    over_move,
    unpack_moves,
    unpack_troubles,
    without_path,
)
from league.values.block import FaultKind, Usage
from league.values.settings import Limits

if TYPE_CHECKING:
    from league.hosts.channel import Channel

SPOKE_WHILE_LOADED = "it wrote to the league's channel while it was loaded"
NOTHING = Tick((), (), (), ())
"""A tick that asks nothing. Its answer shows that everything before it was answered, and nothing else was written."""


Hook = Literal["finish", "start", "choose"]


class Death(Exception):  # noqa: N818 - what happened to the process, no error of the caller
    """The process is gone."""

    def __init__(self, kind: FaultKind, cause: str, tail: str = "") -> None:
        super().__init__(cause)
        self.kind = kind
        self.cause = cause
        self.tail = tail
        self.slot: int | None = None
        """Whose bot was at work; None if that is not certain."""
        self.hook: Hook = "choose"
        self.blameless = False
        """It died because the zygote did."""
        self.survived = False
        """It died of something that it had survived before."""

    def trouble(self, slot: int) -> Trouble:
        """What it means for a slot."""
        return Trouble(slot, self.kind, self.cause, self.tail, over=self.hook == "finish")


class BotProcess:
    """A Python bot in a process of its own. `hello` must be called before the first tick.

    `keep` is called with the bot's compiled source, if it is this process that compiles it.
    """

    is_program = False
    """Whether it becomes a program of another language: what that writes to standard error is kept."""

    def __init__(self, channel: Channel, setup: HostSetup, keep: Callable[[bytes], None] | None = None) -> None:
        self._keep = keep
        self._limits: Limits = setup.limits
        self._setup = setup
        self._channel = channel
        self._clock = channel.clock
        self._asked = NOTHING
        self._suspect = NOTHING
        self._serial = 0
        self._starting = 0.0
        """Processor time until the bot was loaded."""
        self._counted = self._used = 0.0
        """Processor time that `usage` does not count, and what it counts."""
        self._memory_mb = 0
        self.took = self.slept = 0.0
        """Seconds that the last answer took, awake and asleep."""
        self._open = True
        self._last_words = ""
        self._last_output = (0, b"")
        self.note = b""
        self._heard = 0
        """Bytes of what the bot has printed that `heard` has returned."""
        self.wants_final_view = False
        self._write(channel.first)

    def hello(self) -> None:
        """Wait until the bot is loaded; `Death` of kind import if it cannot be."""
        self._serial += 1
        self._write(framed(encode(NOTHING)))
        try:
            if self._setup.confined:
                self._received_gate()
            held = self._held()
            if held.code and self._keep:
                self._keep(held.code)
            loaded = msgspec.msgpack.decode(self._message(), type=Loaded)
            if not loaded.cause and self._read(REPLY_HEAD.size) != REPLY_HEAD.pack(self._serial, 0, 0):
                raise self._dead("import", SPOKE_WHILE_LOADED)
        except UNREADABLE:
            raise self._dead("import", SPOKE_WHILE_LOADED) from None
        except Death as death:
            death.kind = death.kind if death.blameless else "import"
            raise
        if loaded.cause:
            self.close()
            kind: FaultKind = "memory" if loaded.cause.startswith(MemoryError.__name__) else "import"
            trouble = _with_limit(Trouble(0, kind, self._named(clean_line(loaded.cause))), self._limits)
            raise Death("import", trouble.cause, self._named(clean_tail(loaded.tail)))
        self.wants_final_view = loaded.wants_final_view
        self._channel.close_gate()
        self._loaded()

    def _received_gate(self) -> None:
        try:
            self._channel.receive_gate()
        except TimeoutError as overrun:
            raise self._dead("timeout", str(overrun)) from None

    def _held(self) -> Held:
        """The first message, which is no word of the bot's; `IsolationError` if the process is not confined."""
        held = msgspec.msgpack.decode(self._message(), type=Held)
        if held.escaped:
            self.close()
            raise IsolationError(f"Isolation is not available here: {clean_line(held.escaped)}. See: league doctor")
        return held

    def send(self, tick: Tick, message: bytes) -> None:
        """Hand over a tick, which is encoded as `message`."""
        self._expect(tick)
        self._write(framed(message))

    def receive(self) -> Reply:
        """The answer to the tick."""
        reply = self._reply()
        self.took, self.slept, late = self._clock.answered()
        if late:
            raise self._dead("timeout", over_move(self._limits))
        return reply

    def confirm(self) -> None:
        """Make sure that the process has written only its answer; otherwise `Death` of the item."""
        self.send(NOTHING, encode(NOTHING))
        self.receive()

    def _reply(self) -> Reply:
        asked = self._asked
        expected = len(asked.slots)
        data = self._read(REPLY_HEAD.size + 4 * expected)
        serial, count, more = REPLY_HEAD.unpack_from(data)
        if serial != self._serial or count != expected or more > self._most_trouble():
            raise self._dead("protocol", "its process wrote something else than its answer")
        moves = unpack_moves(memoryview(data)[REPLY_HEAD.size :])
        if not more:
            return Reply(moves)
        possible = {(slot, hook == "finish") for slot, hook in _items(asked)}
        try:
            troubles = unpack_troubles(self._read(more), possible)
        except ValueError as problem:
            raise self._dead("protocol", f"its process wrote {problem}") from None
        return Reply(moves, [self._explained_trouble(trouble) for trouble in troubles])

    def usage(self) -> Usage:
        """What the process has used since the bot was loaded, or since the last `rest`, without decisions."""
        if self._open:
            self._used = max(0.0, self._clock.cpu() - self._counted)
        starts = float(self._starting > 0)
        return Usage(0, self._used, 0.0, self._starting, self._clock.slept, self._memory_mb, starts)

    def rest(self) -> Usage:
        """Stop the process until `wake` is called; returns what it has used. From now on its usage is counted again."""
        self._channel.forked.signal(signal.SIGSTOP)
        self._memory_mb = most_memory_mb(self._channel.forked.pid)
        usage = self.usage()
        self._counted += usage.seconds
        self._starting = self._clock.slept = 0.0
        return usage

    def wake(self) -> None:
        """Let the process go on."""
        self._channel.forked.signal(signal.SIGCONT)

    def heard(self) -> Printed:
        """What the bot has printed since this was last called."""
        size, kept = self._output() if self._open else self._last_output
        size = max(size, self._heard)  # whatever a process claims
        new = kept[self._heard : size].decode("utf-8", "replace")[:TAIL_CHARACTERS]
        printed = Printed(size - self._heard, self._named(clean_tail(new)))
        self._heard = size
        return printed

    def close(self) -> None:
        """End the process."""
        if self._open:
            self._release()
            self._channel.forked.discard()

    def _explained_trouble(self, trouble: Trouble) -> Trouble:
        cause, tail = map(self._named, (trouble.cause, trouble.tail))
        return _with_limit(trouble._replace(cause=cause, tail=tail), self._limits)

    def _named(self, text: str) -> str:
        return without_path(text, self._setup.folder, self._setup.name)

    def _loaded(self) -> None:
        self._clock.loaded()
        self._starting = self._counted = self._clock.cpu()

    def _expect(self, tick: Tick) -> None:
        """From now on the process owes an answer to this tick."""
        self._asked = tick
        if tick is not NOTHING:
            self._suspect = tick
        self._serial += 1
        self._clock.matches += sum([begin.fresh for begin in tick.begins])
        self._clock.begin()

    def _most_trouble(self) -> int:
        asked = self._asked
        return 16 + TROUBLE_BYTES * (len(asked.slots) + len(asked.begins) + len(asked.ends))

    def _write(self, data: bytes) -> None:
        try:
            self._channel.write(data)
        except TimeoutError as overrun:
            raise self._dead("timeout", str(overrun)) from None

    def _message(self) -> bytes:
        """One of the first two, which have a length before them."""
        length = LENGTH.unpack(self._read(LENGTH.size))[0]
        return self._read(min(length, HELLO_BYTES))

    def _read(self, size: int) -> bytes:
        """Exactly N bytes."""
        parts = [self._read_some(size)]
        while (missing := size - sum(map(len, parts))) > 0:
            parts.append(self._read_some(missing))
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _read_some(self, most: int) -> bytes:
        """At least one byte, and at most N."""
        try:
            data = self._channel.read(most)
        except TimeoutError as overrun:
            raise self._dead("timeout", str(overrun)) from None
        if not data:
            raise self._ended()
        return data

    def _dead(self, kind: FaultKind, cause: str) -> Death:
        """Kill the process for what it did."""
        self.close()
        return self._blame(Death(kind, cause, self._last_words))

    def _ended(self) -> Death:
        """The process has closed its channel, most likely by dying; otherwise it gets the rest of its time to end."""
        self._channel.wait()
        self._release()
        code = self._channel.forked.autopsy()
        death = self._blame(Death("crash", _how_it_ended(code), self._last_words))
        death.blameless = code is None
        return death

    def _blame(self, death: Death) -> Death:
        """Record whose bot was at work, if the process was asked for one thing only.

        Nothing that it says about itself is trusted, and no verdict depends on when the league checked.
        """
        suspects = _items(self._suspect)
        if len(suspects) == 1:
            death.slot, death.hook = suspects[0]
        return death

    def _said_on_stderr(self) -> str:
        """What the process has written to standard error so far, if that is kept."""
        return self._named(clean_tail(self._stderr().decode("utf-8", "replace")))

    def _stderr(self) -> bytes:
        return self._channel.errors()

    def _output(self) -> tuple[int, bytes]:
        """How many bytes the bot has printed so far, and the first of them."""
        return self._channel.note()

    def _release(self) -> None:
        self.usage()  # for the last time by the clock
        self._memory_mb = most_memory_mb(self._channel.forked.pid)
        self._open = False
        _, self.note = self._channel.note()
        self._last_output = self._output()
        self._last_words = self._said_on_stderr()
        self._channel.close()


def _items(tick: Tick) -> list[tuple[int, Hook]]:
    """The calls of the bot's hooks that a tick asks for, in their order."""
    items: list[tuple[int, Hook]] = [(end.slot, "finish") for end in tick.ends]
    items += [(begin.slot, "start") for begin in tick.begins]
    return items + [(slot, "choose") for slot in tick.slots]


def _with_limit(trouble: Trouble, limits: Limits) -> Trouble:
    """The trouble, with the limit in its cause if it is of memory: Python says only that there is none left."""
    if trouble.kind != "memory":
        return trouble
    limit = f" (a bot may take {limits.memory_mb} MB)"
    return trouble._replace(cause=trouble.cause[: CAUSE_CHARACTERS - len(limit)] + limit)


def _how_it_ended(code: int | None) -> str:
    if code is None:
        return "its process is gone"
    if code == -signal.SIGKILL:
        return "its process closed its channel or was killed (by itself, or because memory ran out)"
    if code < 0:
        names = {known.value: known.name for known in signal.Signals}
        return f"its process was killed by {names.get(-code, f'signal {-code}')}"
    return f"its process ended with exit code {code}"
