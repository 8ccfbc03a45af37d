"""What a league tells when it has been played: files for programs, a table for people."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from league.text import counted, listed, safe, table

if TYPE_CHECKING:
    from league.standings import ContestStandings, Line, Standings
    from league.store import Store

LEADERS = 20
"""So many bots are shown after a run; the files have all."""
SHOWN_NOTICES = 12
SHOWN_CYCLES = 5
SMALLEST_SHARE = 0.005
"""Of the equilibrium: bots below this are not named."""

HEADER = ("place", "bot", "rating", "95 %", "games", "wins", "draws", "losses", "score", "faults")


def standings_of(store: Store) -> Standings:
    """The standings of a league as it is now."""
    from league.standings import Standings
    from league.tallies import Results

    return Standings(Results.of(store))


def write_reports(store: Store, standings: Standings, *, running: bool = False) -> list[Path]:
    """Write the files of the standings; gives their paths, the most important first."""
    from league.csvs import write_csvs
    from league.page import write_page

    files = write_csvs(store.folder, standings)
    return [write_page(store, standings, running=running), *files]


def leaders(standings: Standings) -> str:
    """The first places as a table for the terminal, with what a reader should know about them."""
    boards = {"overall": standings.overall}
    if sum(line.place[0].isdigit() for line in standings.overall) < 2:  # nearly all play some of the games only
        boards = {key: contest.lines for key, contest in standings.contests.items()}
    parts = []
    for key, lines in boards.items():
        left = len(lines) - LEADERS
        more = [f"… and {counted(left, 'bot')} more."] if left > 0 else []
        parts += [*([key] if len(boards) > 1 else []), lines_table(lines[:LEADERS]), *more, ""]
    return "\n".join([*parts[:-1], *notice_lines(standings.notices)])


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
        if line.games
        else (line.place, line.bot, *["-"] * len(HEADER[2:]))
        for line in lines
    ]
    return table(HEADER, rows, right=HEADER[2:])


def notice_lines(texts: Sequence[str], *, everything: bool = False) -> list[str]:
    """What a reader should know, a line each, safe to print; many are cut short with their number."""
    left = 0 if everything else len(texts) - SHOWN_NOTICES
    cut = [f"! … and {counted(left, 'notice')} more: see them all by `league standings --notices`."] if left > 0 else []
    return [f"! {safe(text)}" for text in (texts[:SHOWN_NOTICES] if left > 0 else texts)] + cut


def story(contest: ContestStandings) -> list[str]:
    """What one number for each bot leaves out: circles, and the bots that make up the equilibrium."""
    key = contest.contest.key
    found = []
    for cycle in contest.cycles[:SHOWN_CYCLES]:
        steps = [
            f"{one} beats {other} ({contest.pairs.score[contest.bots.index(one), contest.bots.index(other)]:.3f})"
            for one, other in pairwise((*cycle, cycle[0]))
        ]
        found.append(f"{key}: a cycle: {', '.join(steps)}.")
    left = len(contest.cycles) - SHOWN_CYCLES
    if left > 0:
        found.append(f"{key}: … and {counted(left, 'cycle')} more.")
    if len(contest.counts.games):
        weights = sorted(zip((-contest.nash.weight).round(6), contest.bots, strict=True))
        shares = [f"{bot} {-weight:.0%}" for weight, bot in weights[:SHOWN_CYCLES] if -weight >= SMALLEST_SHARE]
        found.append(f"{key}: Nash average: {listed(shares)}.")
    return [safe(line) for line in found]
