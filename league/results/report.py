"""Standings for people who read them in a terminal: tables, and sentences about them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from league.results.lines import COLUMNS, ON_REQUEST, SPARE, TERMINAL, Line
from league.tools.text import counted, first_few, fitted_table, folded, listed, safe, shown_path

if TYPE_CHECKING:
    from league.results.standings import ContestStandings, Standings

LEADERS = 20
"""So many bots are shown after a run; the files have all."""
SHOWN_NOTICES = 12
SHOWN_CYCLES = 5
SHOWN_FIRSTS = 4
SMALLEST_SHARE = 0.005
"""Of the equilibrium: bots below this are not named."""


def leaders(standings: Standings, folder: Path, most: int | None = None) -> str:
    """The first places as a table for the terminal, with what a reader should know about them.

    `folder` is the league's, for whoever wants to see more, and `most` how many columns the terminal has.
    """
    boards = {"overall": standings.overall}
    if sum(line.place[0].isdigit() for line in standings.overall) < 2:  # nearly all play some of the games only
        boards = {key: contest.lines for key, contest in standings.contests.items()}
    parts = []
    for key, lines in boards.items():
        left = len(lines) - LEADERS
        see = f"league standings {shown_path(folder)}{'' if key == 'overall' else f' --game {key}'}"
        more = [f"… and {counted(left, 'bot')} more: see them all by `{see}`."] if left > 0 else []
        shown = lines_table(lines[:LEADERS], folder, most)
        parts += [*([key] if len(boards) > 1 else []), shown, *(folded(line, most) for line in more), ""]
    below = notice_lines(standings.notices, folder)
    if len(standings.contests) > len(boards):
        below = [*firsts(standings), *below]
    return "\n".join([*parts[:-1], *(folded(line, most) for line in below)])


def firsts(standings: Standings) -> list[str]:
    """'first in raj-2p: ann or bob', for each contest: who may deserve the first place."""
    found = []
    for key, contest in standings.contests.items():
        names = [line.bot for line in contest.lines if line.place.split("-")[0] == "1"]
        if names:
            found.append(safe(f"first in {key}: {first_few(names, SHOWN_FIRSTS, 'or')}"))
    return found


def lines_table(lines: Sequence[Line], folder: Path, most: int | None = None, sort: str = "place") -> str:
    """Standings in columns, for the terminal: as many as it has room for, and always the one that was sorted by."""
    shown = [COLUMNS[name] for name in TERMINAL if name != ON_REQUEST or name == sort]
    rows = [(line.place, line.bot, *(column.text(line) if line.games else "-" for column in shown)) for line in lines]
    numbers = [column.heading for column in shown]
    spare = [COLUMNS[name].heading for name in SPARE if name != sort]
    elsewhere = f"`league standings {shown_path(folder)} --format csv` has every column."
    return fitted_table(("place", "bot", *numbers), rows, numbers, most=most, spare=spare, elsewhere=elsewhere)


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
