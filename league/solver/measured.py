"""A cache of measured exploitabilities, by the content of the bot and the rules.

An edited bot, or other rules, have no old measurement.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

from league.errors import LeagueError
from league.games.contract import Game
from league.tools.files import cache_folder, read_bytes, write_bytes
from league.values.block import hashed
from league.values.settings import Contest

FORMAT = 1
"""The version of the file format."""
MOST_BYTES = 10_000

Kind = Literal["exact", "estimate", "lower_bound"]
KINDS: tuple[Kind, ...] = ("lower_bound", "estimate", "exact")
"""From the weakest to the strongest."""


class Measurement(msgspec.Struct, frozen=True):
    """What the best response gets per game against one bot."""

    value: float
    low: float
    high: float
    kind: Kind


def keep(bot_hash: str, game: Game, measurement: Measurement) -> None:
    """Keep a measurement, unless a stronger kind is known. A cache that cannot be written is ignored."""
    known = recall(bot_hash, Contest.of(game))
    if known and KINDS.index(known.kind) > KINDS.index(measurement.kind):
        return
    path = _file_of(bot_hash, Contest.of(game))
    with suppress(OSError, LeagueError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, msgspec.json.encode(measurement))


def recall(bot_hash: str, contest: Contest) -> Measurement | None:
    """The measurement of a bot, if there is one."""
    try:
        return msgspec.json.decode(read_bytes(_file_of(bot_hash, contest), MOST_BYTES), type=Measurement)
    except (LeagueError, msgspec.DecodeError):
        return None


def _file_of(bot_hash: str, contest: Contest) -> Path:
    rules = (contest.game, contest.players, contest.options, contest.version, contest.source)
    return cache_folder() / "exploit" / f"{hashed((FORMAT, bot_hash, rules))}.json"
