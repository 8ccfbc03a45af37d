"""Bots in any language: a program that reads JSON from its standard input and answers on its standard output.

`docs/languages.md` describes the messages. A program runs under the same limits and the same clock as a Python bot. It
is confined a little less tightly, since it must be executed, and most need threads and the system's libraries.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

import msgspec

from league.games.contract import Game, plain, told
from league.hosts import Reply, Tick, Trouble
from league.hosts.clock import SLICE_MS
from league.hosts.launcher import Launcher
from league.hosts.process import BotProcess, Death
from league.hosts.wire import (
    ESCAPED,
    TAIL_CHARACTERS,
    UNREADABLE,
    UNSTARTED,
    HostSetup,
    clean_line,
    clean_tail,
    not_isolated,
)
from league.tools.text import shorten

PROTOCOL = 1
SEED_BITS = 53
"""JSON numbers are exact up to here in every language."""
ANSWER_BYTES = 1024
"""What the answer for one view may take: a move, or the reason why there is none."""
REPLY_BYTES = 4096
"""What a line may take besides its answers."""
SILENCE = 10
"""How many times to wait for more output of a program that does not say hello."""
READY = f'the answer to hello must be {{"protocol": {PROTOCOL}}}'
MOVES = "its answer is not a list of whole numbers in one line of JSON"
TOO_LONG = "its answer is longer than a line with a move for each view can be"
NO_EXCUSE = "unavailable, which is no excuse in the sandbox, where it depends on nothing: "


class NoMove(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a program may answer in the place of a move: one of the two."""

    error: str | None = None
    unavailable: str | None = None
    """Why it could not decide, if that is no fault of its own: a service that it asks does not answer. The sandbox has
    no network, so there it is a fault."""

    def __post_init__(self) -> None:
        if (self.error is None) == (self.unavailable is None):
            raise ValueError("expected an error or that it is unavailable")


Move = Annotated[int, msgspec.Meta(ge=-(2**31), lt=2**31)]

_OUR_OPTIONS = b"NOTE: Picked up JDK_JAVA_OPTIONS"
_encode = msgspec.json.Encoder().encode
_answers = msgspec.json.Decoder(list[Move | NoMove], strict=True)


class ProgramProcess(BotProcess):
    """A bot that is a program."""

    is_program = True

    def __init__(self, launcher: Launcher, setup: HostSetup, game: Game) -> None:
        super().__init__(launcher, setup, game)
        self._greeting = greeting(setup.name, game)
        self._ahead = b""
        """What was read beyond the last line."""

    def hello(self) -> None:
        try:
            self._write(_encode({"hello": self._greeting}) + b"\n")
            line = self._line(REPLY_BYTES)
            try:
                answer = msgspec.json.decode(line, type=dict[str, Any])
            except UNREADABLE:
                answer = {}
            if answer.get("protocol") != PROTOCOL:
                raise self._unreadable(READY, line)
            self.wants_final_view = answer.get("final_view", False)
            if type(self.wants_final_view) is not bool:
                raise self._dead("import", "final_view in the answer to hello must be true or false")
        except Death as death:
            raise self._explained(death) from None
        self._loaded()

    def send(self, tick: Tick, message: bytes) -> None:
        self._expect(tick)
        self._write(_encode(as_json(tick)) + b"\n")

    def _reply(self) -> Reply:
        slots = self._asked.slots
        line = self._line(REPLY_BYTES + ANSWER_BYTES * len(slots))
        try:
            answers = _answers.decode(line)
        except UNREADABLE:
            raise self._unreadable(MOVES, line) from None
        if len(answers) != len(slots):
            raise self._dead("protocol", f"it answered {len(answers)} moves where {len(slots)} were asked for")
        moveless = [(slot, answer) for slot, answer in zip(slots, answers, strict=True) if isinstance(answer, NoMove)]
        if not moveless:
            return Reply(answers)  # type: ignore[arg-type]
        tail = self._said_on_stderr()
        troubles: list[Trouble] = []
        unavailable: dict[int, str] = {}
        for slot, answer in moveless:
            if answer.error is not None:
                troubles.append(
                    Trouble(slot, "error", clean_line(self._named(answer.error)) or "it gave no reason", tail)
                )
                continue
            reason = clean_line(self._named(answer.unavailable or "")) or "it gave no reason"
            if self._setup.confined:
                troubles.append(Trouble(slot, "error", clean_line(NO_EXCUSE + reason), tail))
            else:
                unavailable[slot] = reason
        moves = [0 if isinstance(answer, NoMove) else answer for answer in answers]
        return Reply(moves, troubles, unavailable)

    def _line(self, most: int) -> bytes:
        """The next line, of at most N bytes. What follows it belongs to the next answer, however early it arrives."""
        parts, size = [self._ahead], len(self._ahead)
        while b"\n" not in parts[-1]:
            if size > most:
                raise self._unreadable(READY if self._serial == 0 else TOO_LONG, b"".join(parts))
            parts.append(self._read_some(most + 1 - size))
            size += len(parts[-1])
        line, _, self._ahead = b"".join(parts).partition(b"\n")
        return line

    def _unreadable(self, expected: str, said: bytes) -> Death:
        """Kill the process for an answer that cannot be read, and keep what it wrote."""
        if self._serial == 0:
            said += b"\n" + self._ahead + self._remaining()
        words = self._named(clean_tail(said.decode("utf-8", "replace")[:TAIL_CHARACTERS]))  # it begins with the reason
        first = shorten(next(filter(None, map(str.strip, words.splitlines())), ""), 80)
        death = self._dead("protocol", f"{expected}, found {first!r}" if self._serial == 0 else expected)
        death.tail = f"It wrote:\n{words.rstrip()}\n{death.tail}"[:TAIL_CHARACTERS]
        return death

    def _remaining(self) -> bytes:
        """What else it writes until it ends or is silent."""
        rest = b""
        with suppress(OSError):
            while len(rest) < REPLY_BYTES and any(self._poll.poll(SLICE_MS) for _ in range(SILENCE)):
                more = self._socket.recv(REPLY_BYTES)
                if not more:
                    break
                rest += more
        return rest

    def _stderr(self) -> bytes:
        lines = super()._stderr().splitlines(keepends=True)
        return b"".join(line for line in lines if not line.startswith(_OUR_OPTIONS))

    def _output(self) -> tuple[int, bytes]:
        written = self._stderr()
        return len(written), written

    def _explained(self, death: Death) -> Death:
        """The death of a program that did not say hello, with the reason that its process left behind."""
        if death.blameless:
            return death
        if death.kind == "timeout":
            print_it = f'Print {{"protocol": {PROTOCOL}}} as a line as soon as it is ready, and flush it'
            death.cause = f"it never answered hello: {death.cause}. {print_it}"
        death.kind = "import"
        _, note = super()._output()
        if note[:1] == ESCAPED:
            raise not_isolated(note[1:])
        if note[:1] == UNSTARTED:
            death.cause = clean_line("its command cannot be started: " + note[1:].decode("utf-8", "replace"))
        lacks = "insufficient memory for the Java Runtime", "Error occurred during initialization of VM"
        if any(words in death.tail for words in lacks):
            most = f"a bot may take {self._limits.memory_mb} MB"
            death.cause = f"Java lacks memory: {most}. Try: java -Xmx64m -XX:+UseSerialGC"
        return death


def greeting(bot: str, game: Game) -> dict[str, Any]:
    """The content of the first message to a program."""
    return {
        "protocol": PROTOCOL,
        "bot": bot,
        "game": game.name,
        "players": game.players,
        "options": plain(game.options),
    }


def as_json(tick: Tick) -> dict[str, Any]:
    """A tick with every field named."""
    return {
        "finish": [
            {"slot": slot, **plain(outcome), **({} if view is None else {"view": told(view)})}
            for slot, outcome, view, _ in tick.ends
        ],
        "start": [
            {"slot": slot, "seat": seat, "seed": seed & ((1 << SEED_BITS) - 1), "fresh": fresh}
            for slot, seat, seed, fresh in tick.begins
        ],
        "choose": [{"slot": slot, "view": told(view)} for slot, view in zip(tick.slots, tick.views, strict=True)],
    }
