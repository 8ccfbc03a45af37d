"""How a league's standings were after earlier runs, for the page."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from league.page.data import Past, PastRow
from league.results.history import change_lines, changes, read_history

if TYPE_CHECKING:
    from league.results.store import Store

ROWS = 6000
"""Standings of all earlier runs together; of more, only the last runs are on the page."""


def past_of(store: Store, index: Mapping[str, int]) -> tuple[tuple[Past, ...], tuple[str, ...]]:
    """The standings after each run, the oldest first, and what changed in the last one; nothing if there was one."""
    entries = read_history(store)
    if len(entries) < 2:
        return (), ()
    rows = sum(len(board) for board in entries[-1].boards.values())
    shown = entries[-max(2, ROWS // max(rows, 1)) :]
    found = []
    for before, entry in zip([None, *shown], shown, strict=False):
        boards = {
            key: tuple(
                PastRow(index[bot], one.place, one.rating, one.low, one.high)
                for bot, one in board.items()
                if bot in index and one.games
            )
            for key, board in entry.boards.items()
        }
        edited = changes(before, entry).edited if before else ()
        ended = f"{datetime.fromtimestamp(entry.ended).astimezone():%-d %B %Y, %H:%M}"
        found.append(Past(ended, boards, tuple(index[bot] for bot in edited if bot in index)))
    return tuple(found), tuple(line[:1].upper() + line[1:] + "." for line in change_lines(changes(*entries[-2:])))
