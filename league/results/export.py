"""Games as a table with a row for each seat of each game, and tables as files for pandas, Polars, R and spreadsheets.

Rows are written as they come, so memory does not grow with the number of games.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from struct import pack
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
import numpy as np

from league.errors import LeagueError
from league.rating.places import place_scores
from league.results.games import FoundGame
from league.tools.files import drafting
from league.tools.forked import in_order
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


T = TypeVar("T")
Table = Iterable[tuple[Any, ...]]
Values = Sequence[Sequence[Any]]
"""Some rows, column by column; empty if there are none."""

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


def _quoted(text: str) -> str:
    """A value of a CSV file, in quotes if it needs them."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([text, ""])
    return line.getvalue()[:-2]


def _quoted_moves(moves: Sequence[int]) -> str:
    text = _encode(moves).decode()
    return f'"{text}"' if "," in text else text


_encode = msgspec.json.Encoder().encode
_CSV_WORDS: dict[str, Callable[[Any], str]] = {
    "bool_": {True: "true", False: "false"}.__getitem__,
    "float64": lru_cache(maxsize=CHUNK_ROWS)(repr),
    "json": lambda text: '"' + text.replace('"', '""') + '"',
    "moves": _quoted_moves,
    "string": lru_cache(maxsize=CHUNK_ROWS)(_quoted),
}
"""Values as pandas, Polars and R all read them, by type of column. A view in JSON always has quotes."""


def rows(games: Iterable[FoundGame], only: str | None = None) -> Iterator[tuple[Any, ...]]:
    """A row for each seat of each game, with the columns of `COLUMNS`; `only` those of one bot."""
    for series, of_series in groupby(games, key=attrgetter("series")):
        contest, rotation = series.contest, series.rotation
        common = (contest.key, contest.game, contest.players)
        prefix = str(series.address(0)).removesuffix(f"0.{rotation}")
        versions = {entrant.name: entrant.source for entrant in series.lineup}
        for game in of_series:
            where = (*common, f"{prefix}{game.deal}.{rotation}", game.deal, rotation)
            scores = place_scores_of(game.ranks)
            for seat, bot in enumerate(game.bots):
                if only not in (None, bot):
                    continue
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


def frame(games: Iterable[FoundGame], only: str | None = None) -> DataFrame:
    """The table as a DataFrame."""
    import pandas as pd

    return pd.DataFrame(rows(games, only), columns=NAMES)


def write_games(path: Path, games: Iterable[FoundGame], only: str | None = None) -> int:
    """Write the games into a file, and return the number of rows."""
    return write_table(path, COLUMNS, rows(games, only))


def write_table(path: Path, columns: Sequence[TableColumn], table: Table) -> int:
    """Write rows into a file whose name ends in one of `FORMATS`, and return their number."""
    return write_pieces(path, columns, _chunks(table), lambda values: values)


def _chunks(table: Table) -> Iterator[Values]:
    """Some rows at a time, column by column."""
    every = iter(table)
    while values := [*zip(*islice(every, CHUNK_ROWS), strict=True)]:
        yield values


def write_pieces(
    path: Path,
    columns: Sequence[TableColumn],
    pieces: Iterable[T],
    values_of: Callable[[T], Values],
    processes: int = 1,
) -> int:
    """Write the rows of many pieces into a file, by this many processes; the file is the same for any number of them.

    On an error there is no file, or the one from before.
    """
    if path.suffix not in FORMATS:
        *others, last = FORMATS
        raise LeagueError(f"Expected a file that ends in {', '.join(others)} or {last}, found {safe(path.name)!r}.")
    table_format = FORMATS[path.suffix](columns)

    def encoded(piece: T) -> tuple[int, bytes]:
        values = values_of(piece)
        count = len(values[0]) if values else 0
        return count, table_format.encoded(values) if count else b""

    try:
        with drafting(path) as draft:
            return table_format.write(draft, in_order(encoded, pieces, processes))
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise LeagueError(f"{shown_path(path)} cannot be written: {reason}.") from None


class TableFormat:
    """How a table becomes a file: some rows at a time as bytes, and these as a file."""

    head = b""
    """What the file begins with."""

    def encoded(self, values: Values) -> bytes:
        """Some rows, at least one."""
        raise NotImplementedError

    def write(self, path: Path, encoded: Iterable[tuple[int, bytes]]) -> int:
        """Write what `encoded` made of all rows, each with its number of rows; returns the number of all."""
        written = 0
        with path.open("wb") as file:
            file.write(self.head)
            for count, data in encoded:
                file.write(data)
                written += count
        return written


class CsvFormat(TableFormat):
    """Truth values are `true` and `false`, lists are JSON."""

    def __init__(self, columns: Sequence[TableColumn]) -> None:
        self._words = [_CSV_WORDS.get(column.type, str) for column in columns]
        self.head = (",".join([column.name for column in columns]) + "\n").encode()

    def encoded(self, values: Values) -> bytes:
        """Some rows, as `csv.writer` writes them, but several times as fast: column by column."""
        words = [map(word, column) for word, column in zip(self._words, values, strict=True)]
        return ("\n".join(map(",".join, zip(*words, strict=True))) + "\n").encode()


def write_csv(file: IO[str], columns: Sequence[TableColumn], table: Table) -> None:
    """Write rows as CSV to an open file."""
    csv_format = CsvFormat(columns)
    file.write(csv_format.head.decode())
    for values in _chunks(table):
        file.write(csv_format.encoded(values).decode())


class JsonFormat(TableFormat):
    """An object for each row, a line each."""

    def __init__(self, columns: Sequence[TableColumn]) -> None:
        self._row = msgspec.defstruct("Row", [column.name for column in columns], gc=False)
        self._raw = [column.type == "json" for column in columns]
        self._encode = msgspec.json.Encoder().encode_lines

    def encoded(self, values: Values) -> bytes:
        columns = [
            [msgspec.Raw(text.encode()) for text in column] if is_raw else column
            for is_raw, column in zip(self._raw, values, strict=True)
        ]
        return self._encode([*map(self._row, *columns)])


class ParquetFormat(TableFormat):
    """Pieces are encoded as Arrow's streams, and written as row groups of the same size."""

    def __init__(self, columns: Sequence[TableColumn]) -> None:
        try:
            import pyarrow as pa
        except ImportError:
            raise LeagueError(
                "Parquet files need pyarrow: install it with `pip install pyarrow`, or write a .csv file."
            ) from None
        kinds = {"json": pa.string(), "moves": pa.list_(pa.int64())}
        self._schema = pa.schema(
            [(column.name, kinds.get(column.type) or getattr(pa, column.type)()) for column in columns]
        )

    def encoded(self, values: Values) -> bytes:
        import pyarrow as pa

        arrays = [
            _lists(pa, column) if pa.types.is_list(field.type) else pa.array(column, field.type)
            for column, field in zip(values, self._schema, strict=True)
        ]
        stream = pa.BufferOutputStream()
        with pa.ipc.new_stream(stream, self._schema) as writer:
            writer.write_batch(pa.record_batch(arrays, schema=self._schema))
        data: bytes = stream.getvalue().to_pybytes()
        return data

    def write(self, path: Path, encoded: Iterable[tuple[int, bytes]]) -> int:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter

        written, waiting = 0, self._schema.empty_table()
        with ParquetWriter(path, self._schema, compression="zstd") as writer:
            for count, data in encoded:
                if not count:
                    continue
                written += count
                waiting = pa.concat_tables([waiting, pa.ipc.open_stream(data).read_all()])
                while waiting.num_rows >= BATCH_ROWS:
                    writer.write_table(waiting.slice(0, BATCH_ROWS).combine_chunks())
                    waiting = waiting.slice(BATCH_ROWS)
            if waiting.num_rows:
                writer.write_table(waiting.combine_chunks())
        return written


FORMATS: dict[str, Callable[[Sequence[TableColumn]], TableFormat]] = {
    ".csv": CsvFormat,
    ".jsonl": JsonFormat,
    ".parquet": ParquetFormat,
}
"""By how the name of a file ends."""


def _lists(pa: Any, column: Sequence[Sequence[int]]) -> Any:
    """A column of lists of numbers: pyarrow is much slower with lists of Python's own, and numpy with numbers."""
    ends = np.cumsum([0, *map(len, column)], dtype=np.int32)
    numbers = b"".join([pack(f"{len(moves)}q", *moves) for moves in column])
    return pa.ListArray.from_arrays(pa.array(ends), pa.array(np.frombuffer(numbers, dtype=np.int64)))


@lru_cache(maxsize=4096)
def place_scores_of(ranks: tuple[int, ...]) -> list[float]:
    """The place scores of a game."""
    scores: list[float] = place_scores(np.array([ranks]))[0].tolist()
    return scores


@lru_cache(maxsize=4096)
def _opponents(bots: tuple[str, ...], seat: int) -> str:
    return "+".join(sorted([*bots[:seat], *bots[seat + 1 :]]))
