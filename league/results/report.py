"""Standings for people who read them in a terminal: tables, and sentences about them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from league.results.columns import COLUMNS, IDENTITY, Line, terminal_columns
from league.results.leaders import Leaders, leaders_of, overall_comes_first, placed
from league.tools.text import counted, first_few, fitted_table, folded, listed, safe, shown_path, table, width
from league.values.settings import PERCENT

if TYPE_CHECKING:
    from league.results.standings import ContestStandings, Standings

LEADERS = 20
"""Bots that are shown after a run; the files have all."""
SHOWN_NOTICES = 12
SHOWN_CYCLES = 5
SHOWN_EQUALS = 3
WITHOUT_PLACE = "overall: without a place, since they do not play every game"
"""How the notice begins that is left out where few bots play every game."""
SMALLEST_SHARE = 0.005
"""Of the equilibrium: bots below this are not named."""


def leaders(standings: Standings, folder: Path, most: int | None = None) -> str:
    """Who is good at what, for the terminal: the leaders of each contest, the overall places, and notices.

    The overall places are left out where few bots play every game. `folder` is the league's, for those who want to
    see more, and `most` the number of columns of the terminal.
    """
    parts = [winners_table(standings, most)] if len(standings.contests) > 1 else []
    lines = placed(standings.overall)
    see = f"league standings {shown_path(folder)}"
    if overall_comes_first(standings):
        shown = lines if lines else standings.overall
        parts.append(lines_table(shown[:LEADERS], folder, most))
        left = len(standings.overall) - len(shown[:LEADERS])
        if left > 0:
            parts[-1] += "\n" + folded(f"… and {counted(left, 'bot')} more: see them all by `{see}`.", most)
    elif lines:
        few = f"Only {counted(len(lines), 'bot')} of {len(standings.overall)} play every game: `{see}` has them overall"
        parts.append(folded(f"{few}, and `{see} --game {next(iter(standings.contests))}` shows all of one game.", most))
    known = () if overall_comes_first(standings) else (WITHOUT_PLACE,)  # from the line above
    notices = [text for text in standings.notices if not text.startswith(known)]
    below = [folded(line, most) for line in notice_lines(notices, folder)]
    return "\n\n".join(filter(None, [*parts, "\n".join(below)]))


def winners_table(standings: Standings, most: int | None = None) -> str:
    """For each contest the best bot with its rating, and whether the games separate it from the others.

    In a narrow terminal it does without the numbers of bots and games, and how sure it is continues below.
    """
    rows = []
    for one in leaders_of(standings):
        rating, interval = f"{one.best.rating:.2f}", COLUMNS["interval"].text(one.best)
        rows.append((one.contest, one.best.bot, rating, interval, str(one.bots), f"{one.games:,}", _how_sure(one)))
    if not rows:
        return ""
    header = ("best at", "bot", "rating", PERCENT, "bots", "games", "how sure")
    numbers = header[2:6]
    shown = table(header, rows, numbers)
    if most is None or max(map(width, shown.split("\n"))) <= most:
        return shown
    narrow = table((*header[:4], header[-1]), [(*row[:4], row[-1]) for row in rows], numbers)
    return folded(narrow, most)


def _how_sure(one: Leaders) -> str:
    """'level with ann, bob and 2 more', where intervals do not separate them; 'ahead of ann', where they do."""
    equals = [name for name in one.first if name != one.best.bot]
    parts = []
    if equals:
        parts.append(f"level with {first_few(equals, SHOWN_EQUALS)}")
    if one.unbeaten:
        parts.append(f"not ahead of {listed(one.unbeaten)}")
    elif one.behind and not equals:
        parts.append(f"ahead of {listed(one.behind)}")
    return ", ".join(parts) or "alone"


def lines_table(lines: Sequence[Line], folder: Path, most: int | None = None, sort: str = "place") -> str:
    """Standings in columns, for the terminal: as many as it has room for, and always the one that was sorted by."""
    shown = terminal_columns(lines, sort)
    rows = [(line.place, line.bot, *(column.text(line) for column in shown)) for line in lines]
    numbers = [column.shown_heading for column in shown]
    spare = sorted((column for column in shown if column.spare and column.name != sort), key=lambda one: one.spare)
    return fitted_table(
        (*IDENTITY, *numbers),
        rows,
        numbers,
        most=most,
        spare=[column.shown_heading for column in spare],
        elsewhere=f"`league standings {shown_path(folder)} --format csv` has every column.",
    )


def notice_lines(texts: Sequence[str], folder: Path, *, everything: bool = False) -> list[str]:
    """What a reader should know, a line each, safe to print; many are cut short with their number."""
    left = 0 if everything else len(texts) - SHOWN_NOTICES
    see = f"see them all by `league standings {shown_path(folder)} --notices`."
    cut = [f"! … and {counted(left, 'notice')} more: {see}"] if left > 0 else []
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
