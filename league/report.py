"""What a league tells when it has been played: files for programs, a table for people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from league.text import counted, safe, table

if TYPE_CHECKING:
    from league.standings import Line, Standings
    from league.store import Store

LEADERS = 20
"""So many bots are shown after a run; the files have all."""
SHOWN_NOTICES = 12

HEADER = ("place", "bot", "rating", "95 %", "games", "wins", "draws", "losses", "score", "faults")


def standings_of(store: Store) -> Standings:
    """The standings of a league as it is now."""
    from league.standings import Standings
    from league.tallies import Results

    return Standings(Results.of(store))


def write_reports(store: Store) -> list[Path]:
    """Write the files of the standings; gives their paths, the most important first."""
    from league.csvs import write_csvs

    return write_csvs(store.folder, standings_of(store))


def leaders(store: Store) -> str:
    """The first places as a table for the terminal, with what a reader should know about them."""
    standings = standings_of(store)
    shown = standings.overall[:LEADERS]
    left = len(standings.overall) - len(shown)
    more = [f"… and {counted(left, 'bot')} more."] if left > 0 else []
    return "\n".join([lines_table(shown), *more, *notices(standings.notices)])


def lines_table(lines: Sequence[Line]) -> str:
    """Standings in columns, for the terminal."""
    rows = [
        (
            line.place,
            line.bot,
            f"{line.rating:.2f}",
            f"{line.low:.2f} … {line.high:.2f}",
            f"{line.games:,}",
            f"{line.wins:,}",
            f"{line.draws:,}",
            f"{line.losses:,}",
            f"{line.mean_score:.3f}",
            f"{line.faults:,}" if line.faults else "-",
        )
        for line in lines
    ]
    return table(HEADER, rows, right=HEADER[2:])


def notices(texts: Sequence[str]) -> list[str]:
    """What a reader should know, a line each, safe to print; many are cut short with their number."""
    left = len(texts) - SHOWN_NOTICES
    cut = [f"! … and {counted(left, 'notice')} more: see `league standings --notices`."] if left > 0 else []
    return [f"! {safe(text)}" for text in texts[:SHOWN_NOTICES]] + cut
