"""Exploitabilities that were measured before, found again by the bot's content and the rules.

They are kept in the cache folder. A bot that is edited, or other rules, find no old measurement.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

from league.errors import LeagueError
from league.games.contract import Game
from league.tools.files import cache_folder, read_bytes, write_bytes
from league.values.block import Contest
from league.values.identity import hashed

FORMAT = 1
"""Of the files; raised when they are read in another way."""
MOST_BYTES = 10_000

Kind = Literal["exact", "estimate", "lower_bound"]
KINDS: tuple[Kind, ...] = ("lower_bound", "estimate", "exact")
"""How much a measurement says: the later, the more."""


class Measurement(msgspec.Struct, frozen=True):
    """What the best response gets a game against one bot."""

    value: float
    low: float
    high: float
    kind: Kind


def keep(bot_hash: str, game: Game, found: Measurement) -> None:
    """Keep a measurement, unless a better kind of it is known. Without a cache it is measured again next time."""
    known = recall(bot_hash, Contest.of(game))
    if known and KINDS.index(known.kind) > KINDS.index(found.kind):
        return
    path = _file_of(bot_hash, Contest.of(game))
    with suppress(OSError, LeagueError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, msgspec.json.encode(found))


def recall(bot_hash: str, contest: Contest) -> Measurement | None:
    """What was measured of a bot, if it was."""
    try:
        return msgspec.json.decode(read_bytes(_file_of(bot_hash, contest), MOST_BYTES), type=Measurement)
    except (LeagueError, msgspec.DecodeError):
        return None


def _file_of(bot_hash: str, contest: Contest) -> Path:
    rules = (contest.game, contest.players, contest.options, contest.version, contest.source)
    return cache_folder() / "exploit" / f"{hashed((FORMAT, bot_hash, rules))}.json"
