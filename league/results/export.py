"""Games as a table with a row for each seat of each game, and tables as files for pandas, Polars, R and spreadsheets.

Rows are written as they come, so memory does not grow with the number of games.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from league.errors import LeagueError
from league.rating.places import place_scores
from league.results.queries import FoundGame
from league.tools.files import drafting
from league.tools.text import safe, shown_path

if TYPE_CHECKING:
    from pandas import DataFrame

CHUNK_ROWS = 1024
"""That are written at once."""
BATCH_ROWS = 65_536
"""That are held in memory at a time, and make up a row group of a Parquet file."""


class TableColumn(NamedTuple):
    """A column of the table."""

    name: str
    type: str
    """As pyarrow calls it; or `json`, a text, or `moves`, a list of them."""
    about: str


Table = Iterable[tuple[Any, ...]]
Writer = Callable[[Path, Sequence[TableColumn], Table], int]

COLUMNS = (
    TableColumn("contest", "string", "The game and the number of players: `raj-2p`."),
    TableColumn("game", "string", "The name of the game: `raj`."),
    TableColumn("players", "int32", "Players at the table."),
    TableColumn("address", "string", "The game's address, for `league replay`; the same in all rows of a game."),
    TableColumn("deal", "int64", "The number of the deal, from 0; the same deal for all lineups."),
    TableColumn("rotation", "int32", "The seat rotation in which the deal was played."),
    TableColumn("seat", "int32", "Where the bot sat, from 1."),
    TableColumn("bot", "string", "The bot."),
    TableColumn("version", "string", "The hash of the bot's source."),
    TableColumn("opponents", "string", "The other bots, by name, joined by `+`."),
    TableColumn("place", "int32", "1 for the first place; bots that share a place have the same number."),
    TableColumn("score", "float64", "1 for the first place, 0 for the last, evenly spaced between, ties averaged."),
    TableColumn("points", "int64", "The game's own points."),
    TableColumn("fault", "bool_", "Whether the bot was at fault in this game, or forfeited it."),
    TableColumn("forfeit", "bool_", "Whether it forfeited the game after too many faults in the match."),
)
NAMES = [column.name for column in COLUMNS]
_IN_WORDS: dict[str, Callable[[Any], str]] = {
    "bool_": {True: "true", False: "false"}.__getitem__,
    "moves": lru_cache(maxsize=65_536)(lambda moves: f"[{','.join(map(str, moves))}]"),
}
"""Values as pandas, Polars and R all read them, by type of column."""


def rows(games: Iterable[FoundGame]) -> Iterator[tuple[Any, ...]]:
    """A row for each seat of each game, with the columns of `COLUMNS`."""
    for series, of_series in groupby(games, key=attrgetter("series")):
        contest, rotation = series.contest, series.rotation
        common = (contest.key, contest.game, contest.players)
        prefix = str(series.address(0)).removesuffix(f"0.{rotation}")
        versions = {entrant.name: entrant.source for entrant in series.lineup}
        for game in of_series:
            where = (*common, f"{prefix}{game.deal}.{rotation}", game.deal, rotation)
            scores = place_scores_of(game.ranks)
            for seat, bot in enumerate(game.bots):
                yield (
                    *where,
                    seat + 1,
                    bot,
                    versions[bot],
                    _opponents(game.bots, seat),
                    game.ranks[seat] + 1,
                    scores[seat],
                    game.points[seat],
                    game.faults[seat],
                    game.forfeits[seat],
                )


def frame(games: Iterable[FoundGame]) -> DataFrame:
    """The table as a DataFrame."""
    import pandas as pd

    return pd.DataFrame(rows(games), columns=NAMES)


def write_games(path: Path, games: Iterable[FoundGame]) -> int:
    """Write the games into a file, and return the number of rows."""
    return write_table(path, COLUMNS, rows(games))


def write_table(path: Path, columns: Sequence[TableColumn], table: Table) -> int:
    """Write rows into a file whose name ends in one of `FORMATS`, and return their number.

    On an error there is no file, or the one from before.
    """
    if path.suffix not in FORMATS:
        *others, last = FORMATS
        raise LeagueError(f"Expected a file that ends in {', '.join(others)} or {last}, found {safe(path.name)!r}.")
    try:
        with drafting(path) as draft:
            return FORMATS[path.suffix](draft, columns, table)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise LeagueError(f"{shown_path(path)} cannot be written: {reason}.") from None


def write_csv(file: IO[str], columns: Sequence[TableColumn], table: Table) -> int:
    """Write rows as CSV, and return their number. Truth values are `true` and `false`, lists are JSON."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    words = [(index, _IN_WORDS[column.type]) for index, column in enumerate(columns) if column.type in _IN_WORDS]
    written = 0
    every = iter(table)
    while batch := [[*row] for row in islice(every, CHUNK_ROWS)]:
        for index, word in words:
            for row in batch:
                row[index] = word(row[index])
        writer.writerows(batch)
        written += len(batch)
    return written


def _write_json(file: IO[str], columns: Sequence[TableColumn], table: Table) -> int:
    """An object for each row, a line each."""
    names = [column.name for column in columns]
    raw = [index for index, column in enumerate(columns) if column.type == "json"]
    encode = msgspec.json.Encoder().encode_lines
    written = 0
    every = iter(table)
    while batch := [[*row] for row in islice(every, CHUNK_ROWS)]:
        for index in raw:
            for row in batch:
                row[index] = msgspec.Raw(row[index].encode())
        file.write(encode([dict(zip(names, row, strict=True)) for row in batch]).decode())
        written += len(batch)
    return written


def _write_parquet(path: Path, columns: Sequence[TableColumn], table: Table) -> int:
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        raise LeagueError(
            "Parquet files need pyarrow: install it with `pip install pyarrow`, or write a .csv file."
        ) from None
    kinds = {"json": pa.string(), "moves": pa.list_(pa.int64())}
    schema = pa.schema([(column.name, kinds.get(column.type) or getattr(pa, column.type)()) for column in columns])
    written = 0
    with ParquetWriter(path, schema, compression="zstd") as writer:
        every = iter(table)
        while batch := list(islice(every, BATCH_ROWS)):
            values = zip(*batch, strict=True)
            arrays = [
                _lists(pa, column) if pa.types.is_list(field.type) else pa.array(column, field.type)
                for column, field in zip(values, schema, strict=True)
            ]
            writer.write_batch(pa.record_batch(arrays, schema=schema))
            written += len(batch)
    return written


def _as_text(write: Callable[[IO[str], Sequence[TableColumn], Table], int]) -> Writer:
    def write_to(path: Path, columns: Sequence[TableColumn], table: Table) -> int:
        with path.open("w", encoding="utf-8", newline="") as file:
            return write(file, columns, table)

    return write_to


FORMATS: dict[str, Writer] = {".csv": _as_text(write_csv), ".jsonl": _as_text(_write_json), ".parquet": _write_parquet}
"""By how the name of a file ends: what writes a table into it, and returns the number of rows."""


def _lists(pa: Any, column: Sequence[Sequence[int]]) -> Any:
    """A column of lists of numbers: pyarrow is much slower with lists of Python's own."""
    ends = np.cumsum([0, *map(len, column)], dtype=np.int32)
    values = np.fromiter(chain.from_iterable(column), dtype=np.int64, count=int(ends[-1]))
    return pa.ListArray.from_arrays(pa.array(ends), pa.array(values))


@lru_cache(maxsize=4096)
def place_scores_of(ranks: tuple[int, ...]) -> list[float]:
    """The place scores of a game."""
    scores: list[float] = place_scores(np.array([ranks]))[0].tolist()
    return scores


@lru_cache(maxsize=4096)
def _opponents(bots: tuple[str, ...], seat: int) -> str:
    return "+".join(sorted([*bots[:seat], *bots[seat + 1 :]]))
