"""Games and decisions as pandas frames, and frames as files for pandas, Polars and R.

Games have a row for each seat of each game. A decision is who saw what, which moves were legal, and which one was
played: it is read from stored moves, and only the rules run. Frames are written as they come, so memory does not grow
with the number of games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from league.errors import LeagueError
from league.games.contract import view_json
from league.plan.seating import dealt, seating_of, seatings
from league.rating.places import place_scores
from league.rating.table import changes
from league.results.find import Query, find_columns
from league.results.games import GameColumns
from league.results.moves import GROUP
from league.results.recorded import moves_of, rules_of
from league.results.schema import FILE, explained
from league.results.store import Store
from league.results.untrusted import expect
from league.tools.files import drafting
from league.tools.forked import in_order
from league.tools.system import cores
from league.tools.text import safe, shown_path
from league.values.block import BlockResult

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = {
    "contest": "The game and the number of players: `raj-2p`.",
    "game": "The name of the game: `raj`.",
    "players": "Players at the table.",
    "address": "The game's address, for `league replay`; the same in all rows of a game.",
    "deal": "The number of the deal, from 0; every lineup has deals of its own.",
    "rotation": "The seat rotation in which the deal was played.",
    "seat": "Where the bot sat, from 1.",
    "bot": "The bot.",
    "version": "The hash of the bot's source.",
    "opponents": "The other bots, by name, joined by `+`.",
    "place": "1 for the first place; bots that share a place have the same number.",
    "score": "1 for the first place, 0 for the last, evenly spaced between, ties averaged.",
    "points": "The game's own points.",
    "fault": "Whether the bot was at fault in this game, or forfeited it.",
    "forfeit": "Whether it forfeited the game after too many faults in the match.",
}
"""By name what a column holds."""
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


def frame(part: GameColumns) -> DataFrame:
    """A row for each seat of each game, with the columns of `COLUMNS`."""
    import pandas as pd

    contest, players = part.contest, part.contest.players
    entrants = np.array([way.entrants for way in seatings(players)])[part.seating]
    by_seat = partial(np.take_along_axis, indices=entrants, axis=1)
    by_game = partial(np.repeat, repeats=players)
    fresh = changes(part.lineup)
    lineup = np.cumsum(fresh) - 1
    names = [[part.bots[bot].name for bot in members] for members in part.lineup[fresh].tolist()]
    tables = [f"{contest.key}:{'+'.join(members)}:" for members in names]
    opponents = [["+".join(sorted({*members} - {name})) for name in members] for members in names]
    places = zip(lineup.tolist(), part.deal.tolist(), part.rotation.tolist(), strict=True)
    addresses = [f"{tables[number]}{deal}.{rotation}" for number, deal, rotation in places]
    bots = by_seat(part.lineup).ravel()
    columns: dict[str, Any] = {
        "contest": contest.key,
        "game": contest.game,
        "players": players,
        "address": by_game(np.array(addresses, dtype=object)),
        "deal": by_game(part.deal),
        "rotation": by_game(part.rotation),
        "seat": np.tile(np.arange(1, players + 1), part.size),
        "bot": np.array([bot.name for bot in part.bots], dtype=object)[bots],
        "version": np.array([bot.source for bot in part.bots], dtype=object)[bots],
        "opponents": np.array(opponents, dtype=object)[lineup[:, None], entrants].ravel(),
        "place": by_seat(part.ranks).ravel() + 1,
        "score": by_seat(place_scores(part.ranks)).ravel(),
        "points": by_seat(part.points).ravel(),
        "fault": by_seat(part.at_fault).ravel(),
        "forfeit": by_seat(part.forfeited).ravel(),
    }
    return pd.DataFrame(columns)


def frames(parts: Iterable[GameColumns], most: int | None = None, bot: str | None = None) -> Iterator[DataFrame]:
    """Games as frames, all or the first N of them; an empty frame comes first, so that there always are columns.

    With `bot`, the rows are those of this bot alone: nobody wants to count its opponents too.
    """
    import pandas as pd

    yield pd.DataFrame(columns=[*COLUMNS])
    for part in parts:
        if most is not None:
            part = part.part(np.arange(part.size)[:most])
            most -= part.size
        if part.size:
            rows = frame(part)
            yield rows if bot is None else rows[rows["bot"] == bot]


def together(every: Iterable[DataFrame]) -> DataFrame:
    """Frames as one."""
    import pandas as pd

    empty, *others = every
    return pd.concat(others, ignore_index=True) if others else empty


def write(path: Path, every: Iterable[DataFrame]) -> int:
    """Write frames with the same columns, the first of which may be empty, into a file; returns the number of rows.

    On an error there is no file, or the one from before.
    """
    if path.suffix not in WRITERS:
        *others, last = WRITERS
        raise LeagueError(f"Expected a file that ends in {', '.join(others)} or {last}, found {safe(path.name)!r}.")
    rows = 0

    def counted() -> Iterator[DataFrame]:
        nonlocal rows
        for part in every:
            rows += len(part)
            yield part

    try:
        with drafting(path) as draft:
            WRITERS[path.suffix](draft, counted())
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise LeagueError(f"{shown_path(path)} cannot be written: {reason}.") from None
    return rows


def _write_csv(path: Path, every: Iterator[DataFrame]) -> None:
    """Truth values are `true` and `false`, which pandas, Polars and R all read; lists are JSON."""
    with path.open("w", encoding="utf-8", newline="") as file:
        for number, part in enumerate(every):
            words = {str(name): part[name].map({True: "true", False: "false"}) for name in part.select_dtypes(bool)}
            part.assign(**words).to_csv(file, index=False, header=not number, lineterminator="\n")


def _write_json(path: Path, every: Iterator[DataFrame]) -> None:
    """An object for each row, a line each; views are JSON already."""
    encode = msgspec.json.Encoder().encode_lines
    with path.open("wb") as file:
        for part in every:
            columns = [
                [msgspec.Raw(text.encode()) for text in part[name]] if name == "view" else part[name].tolist()
                for name in part
            ]
            file.write(encode([dict(zip(part, row, strict=True)) for row in zip(*columns, strict=True)]))


def _write_parquet(path: Path, every: Iterator[DataFrame]) -> None:
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        raise LeagueError(
            "Parquet files need pyarrow: install it with `pip install pyarrow`, or write a .csv file."
        ) from None
    empty = next(every)
    first = next(every, empty)  # which tells the types of the columns
    schema = pa.Schema.from_pandas(first, preserve_index=False)
    with ParquetWriter(path, schema, compression="zstd") as writer:
        for part in chain([first], every):
            writer.write_table(pa.Table.from_pandas(part, schema, preserve_index=False))


WRITERS: dict[str, Callable[[Path, Iterator[DataFrame]], None]] = {
    ".csv": _write_csv,
    ".jsonl": _write_json,
    ".parquet": _write_parquet,
}
"""By how the name of a file ends."""


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

    def _pieces(self) -> Iterator[tuple[BlockResult, GameColumns]]:
        """Some games at a time, with the block that they are in."""
        self.without_moves = 0
        for part in find_columns(self._store, self._query):
            starts = np.flatnonzero(changes(part.block[:, None])).tolist()
            for start, end in pairwise([*starts, part.size]):
                kept = self._store.record_of(part.series(start), int(part.deal[start]))
                if kept is None or not kept.moves:
                    self.without_moves += end - start
                    continue
                for first in range(start, end, PIECE):
                    yield kept, part.part(np.arange(first, min(first + PIECE, end)))


def _frame(database: Path, bot: str | None, piece: tuple[BlockResult, GameColumns]) -> DataFrame:
    """The decisions of some games of a block, which follow each other."""
    with explained(database):
        return _decided(bot, *piece)


def _decided(bot: str | None, kept: BlockResult, part: GameColumns) -> DataFrame:
    series, first = kept.block.series, kept.block.first
    moves, rules = moves_of(kept), rules_of(series.contest)
    lapses = {(index, entrant): step for index, entrant, step in moves.lapses}
    rows: list[int] = []
    found: dict[str, list[Any]] = {"step": [], "view": [], "legal": [], "move": [], "random": []}
    steps, views, legals, played, random = found.values()
    begin = int(part.deal[0]) - first
    for index in range(begin - begin % GROUP, begin + part.size):
        if index % GROUP == 0:
            reader = moves.group(index // GROUP)
        state = rules.start(dealt(series, first + index))
        if index < begin:
            reader.steps(state)
            continue
        seating = seating_of(series, first + index)
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
                views.append(view_json(view).decode())
                legals.append(list(legal))
                played.append(move)
                rows.append((index - begin) * len(wanted) + seat)
                steps.append(number)
                random.append(number >= since[seat])
            state.step(chosen)
        reader.end_of_game()
        agree = [*seating.by_entrant(state.outcome().scores)] == part.points[index - begin].tolist()
        expect(agree, f"expected moves of {series.address(first + index)} that lead to its outcome, found others")
    return frame(part).iloc[rows].reset_index(drop=True).assign(**found)[[*DECISION_COLUMNS]]
