"""What a league's standings were after earlier runs, for the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from league.page.data import Past, PastRow
from league.results.history import HistoryEntry, changes, entry_lines, read_history

if TYPE_CHECKING:
    from league.results.store import Store

ROWS = 6000
"""Standings of all earlier runs together; of more, only the last runs are on the page."""


class Earlier(NamedTuple):
    """What a page shows of earlier runs."""

    runs: tuple[Past, ...] = ()
    """The oldest first; nothing if there was only one."""
    before: Past | None = None
    """The run before the one whose standings are shown."""
    changes: tuple[str, ...] = ()
    """What changed in the last run, a sentence each."""


def earlier_runs(store: Store, index: Mapping[str, int], games: int) -> Earlier:
    """The runs before standings that count this number of games."""
    entries = read_history(store)
    if not entries:
        return Earlier()
    rows = sum(len(board) for board in entries[-1].boards.values())
    first = max(0, len(entries) - max(2, ROWS // max(rows, 1)))
    runs = tuple(_past(entries, at, index) for at in range(first, len(entries)))
    finished = entries[-1].games == games
    before = runs[-2:-1] if finished else runs[-1:]
    texts = entry_lines(changes(*entries[-2:])) if finished and len(entries) > 1 else []
    return Earlier(
        runs=runs if len(runs) > 1 else (),
        before=before[0] if before else None,
        changes=tuple(f"{text[:1].upper()}{text[1:]}." for text in texts),
    )


def _past(entries: Sequence[HistoryEntry], at: int, index: Mapping[str, int]) -> Past:
    entry = entries[at]
    boards = {
        key: tuple(
            PastRow(index[bot], one.place if one.has_place else "", one.rating, one.low, one.high)
            for bot, one in board.items()
            if bot in index and one.games
        )
        for key, board in entry.boards.items()
    }
    edited = changes(entries[at - 1], entry).edited if at else ()
    ended = f"{datetime.fromtimestamp(entry.ended).astimezone():%-d %B %Y, %H:%M}"
    return Past(ended, boards, tuple(index[bot] for bot in edited if bot in index))
