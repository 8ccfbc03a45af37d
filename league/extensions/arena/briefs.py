"""What each author is told about their bot on the ladder: written by the player after a round, read by the web server.

So the server computes no standings, and shows the same to everybody until the next round is over.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from league.extensions.arena.folder import RESULTS
from league.results.store import Store
from league.tools.files import write_bytes
from league.values.block import FaultCause, HardOpponent, MilestoneStep
from league.values.settings import Config

if TYPE_CHECKING:
    from league.results.standings import Standings

FILE = "briefs.json"
THINKING_SECONDS = 30.0
"""How long a bot that is much slower than the others may go on in a round when these have played all of their games.
What is left then belongs to the next round: nobody waits for it."""


class Brief(msgspec.Struct, frozen=True):
    """One bot on the ladder."""

    place: str
    field: int
    """How many bots there are."""
    rating: float
    low: float
    high: float
    best: float
    """How probable it is that it is the best of all."""
    games: int
    faults: int
    milestones: tuple[MilestoneStep, ...]
    opponents: tuple[HardOpponent, ...]
    causes: tuple[FaultCause, ...]
    put_off: int = 0
    """Games for which it was too slow in the last round."""
    seconds: float = 0.0
    """That its games have kept a processor busy, of all its versions."""


def write_briefs(folder: Path, standings: Standings, config: Config, put_off: Mapping[str, int]) -> None:
    """Write what every author is told."""
    from league.extensions.course.feedback import (  # the web server does without: it starts sooner
        fault_causes,
        hard_opponents,
    )
    from league.results.csvs import head_to_head
    from league.results.milestones import progress_of

    briefs = {}
    pairs = head_to_head(standings).rows
    with Store.open(folder / RESULTS / config.name) as store:
        seconds: defaultdict[str, float] = defaultdict(float)
        for cost in store.costs():
            seconds[cost.entrant.name] += cost.usage.cost
        for line in standings.overall:
            briefs[line.bot] = Brief(
                place=line.place,
                field=len(standings.overall),
                rating=_number(line.rating),
                low=_number(line.low),
                high=_number(line.high),
                best=_number(line.best),
                games=line.games,
                faults=line.faults,
                milestones=progress_of(standings, config.milestones, line.bot).steps,
                opponents=tuple(hard_opponents(pairs, line.bot)),
                causes=tuple(fault_causes(store, line.bot)),
                put_off=put_off.get(line.bot, 0),
                seconds=seconds[line.bot],
            )
    write_bytes(folder / FILE, msgspec.json.encode(briefs))


def forget_in_briefs(folder: Path, bot: str) -> None:
    """Erase what a bot has said."""
    path = folder / FILE
    if path.exists():
        briefs = msgspec.json.decode(path.read_bytes(), type=dict[str, Brief])
        if bot in briefs:
            briefs[bot] = msgspec.structs.replace(briefs[bot], causes=())
            write_bytes(path, msgspec.json.encode(briefs))


class Briefs:
    """The newest briefs, read again when they have changed."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._changed = 0.0
        self._briefs: dict[str, Brief] = {}

    def of(self, bot: str) -> Brief | None:
        """What the author of a bot is told; None before its first round."""
        try:
            changed = os.stat(self._path).st_mtime
        except OSError:
            return None
        if changed != self._changed:
            self._briefs = msgspec.json.decode(self._path.read_bytes(), type=dict[str, Brief])
            self._changed = changed
        return self._briefs.get(bot)


def _number(value: float) -> float:
    """JSON has no word for what is not a number."""
    return value if value == value else 0.0
