"""Every decision of a league as a row of a table: who saw what, which moves were legal, and which one was played.

They are read from stored moves: only the rules run. Rows come one by one, so memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec

from league.games.contract import View, plain
from league.plan.seating import dealt, seating_of
from league.results.export import COLUMNS, TableColumn, place_scores_of
from league.results.moves import GROUP
from league.results.outcomes import unpack
from league.results.queries import Query
from league.results.recorded import moves_of, rules_of
from league.results.schema import FILE, explained
from league.results.store import BlockRecord, Store
from league.results.untrusted import expect

Row = tuple[Any, ...]

_OF_GAMES = {column.name: column for column in COLUMNS}
DECISION_COLUMNS = (
    *(_OF_GAMES[name] for name in ("contest", "game", "players", "address", "deal", "rotation")),
    TableColumn("step", "int32", "The step of the game, from 1."),
    *(_OF_GAMES[name] for name in ("seat", "bot", "version")),
    TableColumn("view", "json", "What the bot saw, as JSON: the same that a program is sent."),
    TableColumn("legal", "moves", "The legal moves, as a list."),
    TableColumn("move", "int64", "The move that was played."),
    TableColumn("random", "bool_", "Whether it was chosen at random, because the bot was at fault before."),
    *(_OF_GAMES[name] for name in ("place", "score", "points")),
)
_PLAIN = {int, str, bool, float, type(None)}


class Decisions:
    """The decisions of the games that count, in canonical order, with the columns of `DECISION_COLUMNS`.

    Its rules must be loaded. With a `bot` only its decisions, with a `game` (or a contest) only those of that.
    """

    def __init__(self, store: Store, bot: str | None = None, game: str | None = None) -> None:
        self._store = store
        self._query = Query(bot=bot, game=game)
        self._query.check(store)
        self.without_moves = 0
        """Games whose moves were not kept, so that they were left out."""

    def __iter__(self) -> Iterator[Row]:
        self.without_moves = 0
        for kept in self._store.records(wanted=self._query.wants):
            if not kept.moves:
                self.without_moves += kept.span[1] - kept.span[0]
                continue
            with explained(self._store.folder / FILE):
                yield from _rows(kept, self._query.bot)


def _rows(kept: BlockRecord, bot: str | None) -> Iterator[Row]:
    block, series = kept.block, kept.block.series
    contest, rotation = series.contest, series.rotation
    common = (contest.key, contest.game, contest.players)
    prefix = str(series.address(0)).removesuffix(f"0.{rotation}")
    names = [entrant.name for entrant in series.lineup]
    sources = [entrant.source for entrant in series.lineup]
    endings = unpack(kept.outcomes, contest.players, block.games)
    moves = moves_of(kept)
    lapses: dict[int, dict[int, int]] = {}
    for index, entrant, step in moves.lapses:
        lapses.setdefault(index, {})[entrant] = step
    rules = rules_of(contest)
    first, stop = kept.span[0] - block.first, kept.span[1] - block.first
    for index in range(first - first % GROUP, stop):
        if index % GROUP == 0:
            reader = moves.group(index // GROUP)
        deal = block.first + index
        state = rules.start(dealt(series, deal))
        if index < first:
            reader.steps(state)
            continue
        ending = endings[index]
        seating = seating_of(series, deal)
        order = seating.entrants
        where = (*common, f"{prefix}{deal}.{rotation}", deal, rotation)
        scores = place_scores_of(ending.ranks)
        ends = [(ending.ranks[entrant] + 1, scores[entrant], ending.points[entrant]) for entrant in order]
        since = {seating.seats[entrant]: step for entrant, step in lapses.get(index, {}).items()}
        who = [(seat + 1, names[entrant], sources[entrant]) for seat, entrant in enumerate(order)]
        step = 0
        while turn := state.turn:
            step += 1
            played = []
            for seat in turn:
                view = state.view(seat)
                legal = view.legal
                move = reader.move(legal)
                played.append(move)
                if bot is None or names[order[seat]] == bot:
                    lapsed = seat in since and step >= since[seat]
                    yield (*where, step, *who[seat], view_json(view), legal, move, lapsed, *ends[seat])
            state.step(played)
        reader.end_of_game()
        agree = seating.by_entrant(state.outcome().scores) == ending.points
        expect(agree, f"expected moves of {series.address(deal)} that lead to its outcome, found others")


def view_json(view: View) -> str:
    """A view as a program is sent it."""
    return _encode({name: _quick(getattr(view, name)) for name in view.__struct_fields__}).decode()


def _quick(value: Any) -> Any:
    """The same as `plain`, for the encoder. What comes again and again, such as past rounds, is encoded once."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, tuple | list):
        return value if {*map(type, value)} <= _PLAIN else [*map(_quick, value)]
    try:
        return _encoded(value)
    except TypeError:  # it cannot be hashed
        return plain(value)


@lru_cache(maxsize=65_536)
def _encoded(value: Any) -> msgspec.Raw:
    return msgspec.Raw(_encode(plain(value)))


_encode = msgspec.json.Encoder().encode
