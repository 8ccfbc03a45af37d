"""Every decision of a league as a row of a frame: who saw what, which moves were legal, and which one was played.

They are read from stored moves: only the rules run. Frames come piece by piece, so that memory stays flat.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from league.games.view_writer import writer_of
from league.plan.seating import dealt, seating_of
from league.results.export import COLUMNS, frame
from league.results.find import Query
from league.results.games import games_of
from league.results.moves import GROUP
from league.results.recorded import moves_of, rules_of
from league.results.schema import FILE, explained
from league.results.store import BlockRecord, Store
from league.results.untrusted import expect
from league.tools.forked import in_order
from league.tools.system import cores

if TYPE_CHECKING:
    from pandas import DataFrame

PIECE = 8 * GROUP
"""Games whose decisions are read at once."""
DECISION_COLUMNS = {
    **{name: COLUMNS[name] for name in ("contest", "game", "players", "address", "deal", "rotation")},
    "step": "The step of the game, from 1.",
    **{name: COLUMNS[name] for name in ("seat", "bot", "version")},
    "view": "What the bot saw, as JSON: the fields of its view.",
    "legal": "The legal moves, as a list.",
    "move": "The move that was played.",
    "random": "Whether it was chosen at random, because the bot was at fault before.",
    **{name: COLUMNS[name] for name in ("place", "score", "points")},
}
"""By name what a column holds."""


class Decisions:
    """The decisions of the games that count, in canonical order, as frames with the columns of `DECISION_COLUMNS`.

    Its rules must be loaded. With a `bot` only its decisions, with a `game` (or a contest) only those of that. They are
    read by as many processes as there are processors; an empty frame comes first.
    """

    def __init__(self, store: Store, bot: str | None = None, game: str | None = None) -> None:
        self._store = store
        self._query = Query(bot=bot, game=game)
        self._query.check(store)
        self.without_moves = 0
        """Games whose moves were not kept, so that they were left out."""

    def __iter__(self) -> Iterator[DataFrame]:
        import pandas as pd

        yield pd.DataFrame(columns=[*DECISION_COLUMNS])
        yield from in_order(partial(_frame, self._store.folder / FILE, self._query.bot), self._pieces(), cores())

    def _pieces(self) -> Iterator[BlockRecord]:
        """What is kept of some games at a time."""
        self.without_moves = 0
        for kept in self._store.records(self._query.wants, with_moves=True):
            first, stop = kept.span
            if not kept.result.moves:
                self.without_moves += stop - first
                continue
            while first < stop:
                index = first - kept.block.first
                end = min(stop, first - index % GROUP + PIECE)
                yield kept._replace(span=(first, end))
                first = end


def _frame(database: Path, bot: str | None, kept: BlockRecord) -> DataFrame:
    """The decisions of some games of a block."""
    with explained(database):
        return _decided(kept, bot)


def _decided(kept: BlockRecord, bot: str | None) -> DataFrame:
    block, series = kept.block, kept.block.series
    moves, rules = moves_of(kept.result), rules_of(series.contest)
    json_of = writer_of(rules.view_type).json
    part = games_of(kept.result)
    first, stop = kept.span[0] - block.first, kept.span[1] - block.first
    lapses = {(index, entrant): step for index, entrant, step in moves.lapses}
    rows: list[int] = []
    found: dict[str, list[Any]] = {"step": [], "view": [], "legal": [], "move": [], "random": []}
    steps, views, legals, played, random = found.values()
    for index in range(first - first % GROUP, stop):
        if index % GROUP == 0:
            reader = moves.group(index // GROUP)
        state = rules.start(dealt(series, block.first + index))
        if index < first:
            reader.steps(state)
            continue
        seating = seating_of(series, block.first + index)
        since = [lapses.get((index, entrant), np.inf) for entrant in seating.entrants]
        wanted = [bot in (None, series.lineup[entrant].name) for entrant in seating.entrants]
        number = 0
        while turn := state.turn:
            number += 1
            chosen = []
            for seat in turn:
                if not wanted[seat]:
                    chosen.append(reader.move(state.legal(seat)))
                    continue
                view = state.view(seat)
                legal = view.legal
                move = reader.move(legal)
                chosen.append(move)
                views.append(json_of(view).decode())
                legals.append(list(legal))
                played.append(move)
                rows.append((index - first) * len(wanted) + seat)
                steps.append(number)
                random.append(number >= since[seat])
            state.step(chosen)
        reader.end_of_game()
        agree = [*seating.by_entrant(state.outcome().scores)] == part.points[index].tolist()
        expect(agree, f"expected moves of {series.address(block.first + index)} that lead to its outcome, found others")
    of_seats = frame(part.part(np.arange(first, stop))).iloc[rows].reset_index(drop=True)
    return of_seats.assign(**found)[[*DECISION_COLUMNS]]
