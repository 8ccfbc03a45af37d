"""Every decision of a league as a row of a table: who saw what, which moves were legal, and which one was played.

They are read from stored moves: only the rules run. Rows come piece by piece, so that memory stays flat.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec

from league.games.contract import plain
from league.plan.seating import dealt, seating_of
from league.results.export import COLUMNS, TableColumn, place_scores_of, write_pieces
from league.results.moves import GROUP
from league.results.outcomes import endings_of
from league.results.queries import Query
from league.results.recorded import moves_of, rules_of
from league.results.schema import FILE, explained
from league.results.store import BlockRecord, Store
from league.results.untrusted import expect
from league.tools.system import cores

Row = tuple[Any, ...]
PIECE = 8 * GROUP
"""Games whose rows are made at once."""

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
        for piece in self.pieces():
            yield from zip(*self.values_of(piece), strict=True)

    def write(self, path: Path) -> int:
        """Write them into a file, by as many processes as there are processors; returns the number of rows."""
        return write_pieces(path, DECISION_COLUMNS, self.pieces(), self.values_of, cores())

    def pieces(self) -> Iterator[BlockRecord]:
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

    def values_of(self, piece: BlockRecord) -> list[list[Any]]:
        """The rows of a piece, column by column: much quicker than row by row, since most values are a whole game's."""
        with explained(self._store.folder / FILE):
            return _values(piece, self._query.bot)


def _values(kept: BlockRecord, bot: str | None) -> list[list[Any]]:
    block, series = kept.block, kept.block.series
    contest, rotation = series.contest, series.rotation
    prefix = str(series.address(0)).removesuffix(f"0.{rotation}")
    names = [entrant.name for entrant in series.lineup]
    sources = [entrant.source for entrant in series.lineup]
    endings = endings_of(kept.result)
    moves = moves_of(kept.result)
    lapses: dict[int, dict[int, int]] = {}
    for index, entrant, step in moves.lapses:
        lapses.setdefault(index, {})[entrant] = step
    rules = rules_of(contest)
    json_of = writer_of(rules.view_type).json
    columns: dict[str, list[Any]] = {column.name: [] for column in DECISION_COLUMNS}
    views, legals, played = columns["view"], columns["legal"], columns["move"]
    first, stop = kept.span[0] - block.first, kept.span[1] - block.first
    for index in range(first - first % GROUP, stop):
        if index % GROUP == 0:
            reader = moves.group(index // GROUP)
        deal = block.first + index
        state = rules.start(dealt(series, deal))
        if index < first:
            reader.steps(state)
            continue
        ending, seating = endings[index], seating_of(series, deal)
        bots = seating.by_seat(names)
        wanted = [seat for seat, name in enumerate(bots) if bot in (None, name)]
        seats: list[int] = []
        steps: list[int] = []
        number = 0
        while turn := state.turn:
            number += 1
            chosen = []
            for seat in turn:
                if seat not in wanted:
                    chosen.append(reader.move(state.legal(seat)))
                    continue
                view = state.view(seat)
                legal = view.legal
                move = reader.move(legal)
                chosen.append(move)
                views.append(json_of(view).decode())
                legals.append(legal)
                played.append(move)
                seats.append(seat)
                steps.append(number)
            state.step(chosen)
        reader.end_of_game()
        agree = seating.by_entrant(state.outcome().scores) == ending.points
        expect(agree, f"expected moves of {series.address(deal)} that lead to its outcome, found others")
        since = {seating.seats[entrant]: step for entrant, step in lapses.get(index, {}).items()}
        of_game = {
            "contest": contest.key,
            "game": contest.game,
            "players": contest.players,
            "address": f"{prefix}{deal}.{rotation}",
            "deal": deal,
            "rotation": rotation,
        }
        of_seats: dict[str, Sequence[Any]] = {
            "seat": range(1, contest.players + 1),
            "bot": bots,
            "version": seating.by_seat(sources),
            "place": [rank + 1 for rank in seating.by_seat(ending.ranks)],
            "score": seating.by_seat(place_scores_of(ending.ranks)),
            "points": seating.by_seat(ending.points),
        }
        for name, value in of_game.items():
            columns[name] += [value] * len(seats)
        for name, values in of_seats.items():
            columns[name] += map(values.__getitem__, seats)
        columns["step"] += steps
        columns["random"] += [seat in since and step >= since[seat] for seat, step in zip(seats, steps, strict=True)]
    return [*columns.values()]


class StructWriter:
    """Writes views of one type, or values in them, as JSON with named fields, by a plan that follows from the fields.

    Most of a view is what was there a step before: of a field such as the past rounds, only what is new is encoded.
    """

    def __init__(self, struct_type: type[msgspec.Struct]) -> None:
        fields = msgspec.structs.fields(struct_type)
        self._growing = [field.name for field in fields if _is_row_of_structs(field.type)]
        self._others = [field.name for field in fields if field.name not in self._growing and not _is_plain(field.type)]
        self._before: dict[str, tuple[tuple[Any, ...], bytes, msgspec.Raw]] = {}
        """By field: the items of the view before, their text, and the text of all."""

    def json(self, value: msgspec.Struct) -> bytes:
        """A value of the type as JSON."""
        values = msgspec.structs.asdict(value)
        for name in self._growing:
            if values[name]:
                values[name] = self._grown(name, values[name])
        for name in self._others:
            values[name] = plain(values[name])
        return _encode(values)

    def _grown(self, name: str, items: tuple[Any, ...]) -> msgspec.Raw:
        before, text, whole = self._before.get(name, _NOTHING)
        if items is before:  # the seats that decide at once share it
            return whole
        if before and items[:-1] == before:
            text += b"," + _item_text(items[-1])
        else:
            text = b",".join(map(_item_text, items))
        whole = msgspec.Raw(b"[%b]" % text)
        self._before[name] = items, text, whole
        return whole


_NOTHING: tuple[tuple[Any, ...], bytes, msgspec.Raw] = ((), b"", msgspec.Raw(b"[]"))


@lru_cache(maxsize=16_384)
def _item_text(item: msgspec.Struct) -> bytes:
    """What is in the views of several seats, and comes again in other games, is encoded once."""
    return writer_of(type(item)).json(item)


writer_of = lru_cache(maxsize=64)(StructWriter)
"""The writer of a type of views: it knows the view before."""


def _is_plain(kind: Any) -> bool:
    """Whether values of a type are encoded as they are: numbers, texts, and tuples of them."""
    if kind in (int, str, bool, float, type(None)):
        return True
    return get_origin(kind) in (tuple, Union, UnionType) and all(
        part is Ellipsis or _is_plain(part) for part in get_args(kind)
    )


def _is_row_of_structs(kind: Any) -> bool:
    item, *rest = get_args(kind) or (None,)
    is_struct = isinstance(item, type) and issubclass(item, msgspec.Struct)
    return get_origin(kind) is tuple and is_struct and rest == [Ellipsis]


_encode = msgspec.json.Encoder().encode
