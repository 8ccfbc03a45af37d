"""Deals by their number: what every game of a series begins with."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import Any

import msgspec

from league.games.contract import Game
from league.tools.seeds import Secret, Seeds
from league.values.block import Series
from league.values.settings import Contest


def dealt(series: Series, number: int) -> Any:
    """A deal by its number: the same for every rotation, and for every lineup if they share their deals."""
    return deal_of(packed_contest(series.contest), series.seed, series.luck, number)


def packed_contest(contest: Contest) -> bytes:
    """A contest as a value that can be a key."""
    return msgspec.msgpack.encode(contest, order="deterministic")


@lru_cache(maxsize=4096)
def deal_of(contest: bytes, secret: Secret, luck: tuple[str, ...], number: int) -> Any:
    """A deal, drawn once for all the series that play it one after the other."""
    game, seeds = _drawing(contest, secret, luck)
    return game.deal(Random(seeds.of(number)))


@lru_cache(maxsize=1024)
def _drawing(packed: bytes, secret: Secret, luck: tuple[str, ...]) -> tuple[Game, Seeds]:
    contest, game = _set_up(packed)
    return game, Seeds(secret, "deal", contest.game, contest.players, *luck)


@lru_cache(maxsize=64)
def _set_up(packed: bytes) -> tuple[Contest, Game]:
    contest = msgspec.msgpack.decode(packed, type=Contest)
    return contest, contest.set_up()
