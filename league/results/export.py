"""Games as a table with a row for each seat of each game, for pandas, Polars, R and spreadsheets.

Rows are written as they come, so memory does not grow with the number of games.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from league.errors import LeagueError
from league.rating.places import place_scores
from league.results.queries import FoundGame
from league.tools.files import drafting
from league.tools.text import safe, shown_path

if TYPE_CHECKING:
    from pandas import DataFrame

BATCH_ROWS = 65_536
"""That are held in memory at a time, and make up a row group of a Parquet file."""


class GameColumn(NamedTuple):
    """A column of the table."""

    name: str
    type: str
    """As pyarrow calls it."""
    about: str


COLUMNS = (
    GameColumn("contest", "string", "The game and the number of players: `raj-2p`."),
    GameColumn("game", "string", "The name of the game: `raj`."),
    GameColumn("players", "int32", "Players at the table."),
    GameColumn("address", "string", "The game's address, for `league replay`; the same in all rows of a game."),
    GameColumn("deal", "int64", "The number of the deal, from 0; the same deal for all lineups."),
    GameColumn("rotation", "int32", "The seat rotation in which the deal was played."),
    GameColumn("seat", "int32", "Where the bot sat, from 1."),
    GameColumn("bot", "string", "The bot."),
    GameColumn("version", "string", "The hash of the bot's source."),
    GameColumn("opponents", "string", "The other bots, by name, joined by `+`."),
    GameColumn("place", "int32", "1 for the first place; bots that share a place have the same number."),
    GameColumn("score", "float64", "1 for the first place, 0 for the last, evenly spaced between, ties averaged."),
    GameColumn("points", "int64", "The game's own points."),
    GameColumn("fault", "bool_", "Whether the bot was at fault in this game, or forfeited it."),
    GameColumn("forfeit", "bool_", "Whether it forfeited the game after too many faults in the match."),
)
NAMES = [column.name for column in COLUMNS]
_TRUTH = {True: "true", False: "false"}
"""As pandas, Polars and R all read them."""


def rows(games: Iterable[FoundGame]) -> Iterator[tuple[Any, ...]]:
    """A row for each seat of each game, with the columns of `COLUMNS`."""
    for series, of_series in groupby(games, key=attrgetter("series")):
        contest, rotation = series.contest, series.rotation
        common = (contest.key, contest.game, contest.players)
        prefix = str(series.address(0)).removesuffix(f"0.{rotation}")
        versions = {entrant.name: entrant.source for entrant in series.lineup}
        for game in of_series:
            where = (*common, f"{prefix}{game.deal}.{rotation}", game.deal, rotation)
            scores = _scores(game.ranks)
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
    """Write the table into a file whose name ends in .csv or .parquet, and return the number of rows.

    On an error there is no file, or the one from before.
    """
    if path.suffix not in (".csv", ".parquet"):
        raise LeagueError(f"Expected a file that ends in .csv or .parquet, found {safe(path.name)!r}.")
    try:
        with drafting(path) as draft:
            if path.suffix == ".parquet":
                return _write_parquet(draft, games)
            with draft.open("w", encoding="utf-8", newline="") as file:
                return write_csv(file, games)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise LeagueError(f"{shown_path(path)} cannot be written: {reason}.") from None


def write_csv(file: IO[str], games: Iterable[FoundGame]) -> int:
    """Write the table as CSV, and return the number of rows. Truth values are `true` and `false`."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(NAMES)
    written = 0
    for row in rows(games):
        writer.writerow([*row[:-2], *(_TRUTH[value] for value in row[-2:])])
        written += 1
    return written


def _write_parquet(path: Path, games: Iterable[FoundGame]) -> int:
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        raise LeagueError(
            "Parquet files need pyarrow: install it with `pip install pyarrow`, or write a .csv file."
        ) from None
    schema = pa.schema([(column.name, getattr(pa, column.type)()) for column in COLUMNS])
    written = 0
    with ParquetWriter(path, schema, compression="zstd") as writer:
        every = rows(games)
        while batch := list(islice(every, BATCH_ROWS)):
            columns = zip(*batch, strict=True)
            arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
            writer.write_batch(pa.record_batch(arrays, schema=schema))
            written += len(batch)
    return written


@lru_cache(maxsize=4096)
def _scores(ranks: tuple[int, ...]) -> list[float]:
    """The place scores of a game."""
    scores: list[float] = place_scores(np.array([ranks]))[0].tolist()
    return scores


@lru_cache(maxsize=4096)
def _opponents(bots: tuple[str, ...], seat: int) -> str:
    return "+".join(sorted([*bots[:seat], *bots[seat + 1 :]]))
