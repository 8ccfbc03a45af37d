"""Where bots live while a block is played: one small interface, three levels of isolation.

The match player speaks to one host for each entrant at the table. All games of a block advance together, a slot
each; at every tick a host gets one message with all that happened to its bot since, and all views that wait for
its decision. The player sends to all hosts before it reads from any, so that hosts can work in parallel.

A host never raises for what a bot does: misbehaviour comes back as `Trouble` of one slot, and a host that has to
replace a dead process does so by itself, bringing the other slots back to where they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from league.games.contract import Outcome, View
from league.values.block import FaultKind, Usage

ViewT = TypeVar("ViewT", bound=View)


class Begin(NamedTuple):
    """A game begins in a slot. A new match (`fresh`) means a new instance of the bot."""

    slot: int
    seat: int
    seed: int
    """The seed of the match: what the bot's `rng` and its global `random` start from."""
    fresh: bool


class End(NamedTuple, Generic[ViewT]):
    """A game is over in a slot; not sent for a game in which the bot was at fault."""

    slot: int
    outcome: Outcome
    view: ViewT | None = None
    """What the bot's seat sees at the end; None for a bot that does not want it."""
    last: bool = False
    """It was the last game of the match: nothing more happens in this slot."""


class Tick(NamedTuple):
    """One message to a host. The bot's hooks run in this order: finish, then start, then choose."""

    ends: Sequence[End[Any]]
    begins: Sequence[Begin]
    slots: Sequence[int]
    views: Sequence[View]
    """A view for each of `slots`."""


class Trouble(NamedTuple):
    """What a bot did wrong in one slot; it is not asked again in that game."""

    slot: int
    kind: FaultKind
    cause: str
    """One line."""
    tail: str = ""
    """The end of its traceback."""
    over: bool = False
    """It happened in `finish`: the game was over, its result stands, and the bot plays on."""


class Reply(NamedTuple):
    """A host's answer to a tick."""

    moves: Sequence[int]
    """One for each view; meaningless where the slot is in trouble. The player checks that they are legal ints."""
    troubles: Sequence[Trouble] = ()
    unavailable: Mapping[int, str] = MappingProxyType({})
    """Slots for which the bot could not be asked, each with the reason in one line: their matches do not count."""


class Printed(NamedTuple):
    """What a bot has printed. It is not shown while a league is played."""

    size: int = 0
    """In bytes."""
    beginning: str = ""


class Host(Protocol):
    """One bot's side of one block."""

    @property
    def wants_final_view(self) -> bool:
        """Whether the bot's `finish` takes the final view; known when the answer to the first tick has come."""

    def send(self, tick: Tick) -> None:
        """Hand over a tick; does not wait."""

    def receive(self) -> Reply:
        """Wait for the answer to the tick that was sent."""

    def close(self) -> Usage:
        """End the host and all that it started; returns what the bot used."""
