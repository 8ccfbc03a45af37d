"""Standings for people: who leads each contest, tables for the terminal, and sentences about them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from league.results.lines import Line, board, placed
from league.tools.table import Table
from league.tools.text import counted, folded, listed, safe, shown_path, width
from league.values.settings import PERCENT

if TYPE_CHECKING:
    from league.results.contest_standings import ContestStandings
    from league.results.standings import Standings
    from league.values.block import Fault

LEADERS = 20
"""Bots that are shown after a run; the files have all."""
SHOWN_NOTICES = 12
SHOWN_CYCLES = 5
WITHOUT_PLACE = "overall: without a place, since they do not play every game"
"""How the notice begins that is left out where few bots play every game."""
WORTH_NAMING = 0.05
"""A bot is named if its chance of being the best is at least this."""
NAMED = 3
RATINGS_MEAN = "The average rating is 25, and a lead of 4 wins about three games in four."
ANCHORED_MEAN = "Ratings are beside those of the anchors, and a lead of 4 wins about three games in four."
DIFFERENT_CAUSES = 1000
"""Different faults of one bot that are counted separately: a bot may have a new cause in each game."""
OTHER_CAUSES = "other causes"
POINTS_MEAN = "Points count: a rating is the mean number of points a game against the whole field."


def overall_comes_first(standings: Standings) -> bool:
    """Whether the overall standings are shown before the contests: enough bots play every game."""
    complete = len(placed(standings.overall))
    played = sum(line.games > 0 for line in standings.overall)
    return len(standings.contests) == 1 or (complete > 1 and complete >= 0.75 * played)


def likely(lines: Sequence[Line]) -> str:
    """'ann 78 %, bob 20 %': who probably is best; nothing without rivals."""
    known = sorted((line for line in placed(lines) if line.best >= WORTH_NAMING), key=lambda line: -line.best)[:NAMED]
    if len(placed(lines)) == 1:
        return ""
    return ", ".join(f"{line.bot} {shown_chance(line.best)}" for line in known)


def who_is_best(lines: Sequence[Line], within: float) -> str:
    """'probably the best: ann 78 %, bob 20 %', or nothing; or who is at most so much worse than the best."""
    return f"{best_means(within)}: {named}" if (named := likely(lines)) else ""


def best_means(within: float) -> str:
    """What the chance of being the best means."""
    return f"probably the best, or within {within:g} of it" if within else "probably the best"


def shown_chance(chance: float) -> str:
    """'78 %', or 'more than 99 %'."""
    return "more than 99 %" if chance > 0.99 else f"{100 * chance:.0f} %"


def leaders(standings: Standings, folder: Path, most: int | None = None, known: Collection[str] = ()) -> str:
    """Who is good at what, for the terminal: the leaders of each contest, the overall places, and notices.

    The overall places are left out where few bots play every game. `folder` is the league's, for those who want to
    see more, and `most` the number of columns of the terminal. Notices whose kind is `known` are left out.
    """
    parts = [winners_table(standings, most)] if len(standings.contests) > 1 else []
    lines = placed(standings.overall)
    see = f"league standings {shown_path(folder)}"
    if overall_comes_first(standings):
        shown = lines if lines else standings.overall
        parts.append(lines_table(shown[:LEADERS], folder, most))
        left = len(standings.overall) - len(shown[:LEADERS])
        if left > 0:
            parts[-1] += "\n" + folded(f"… and {counted(left, 'bot')} more: see all with `{see}`.", most)
        if best := who_is_best(standings.overall, standings.within):
            parts.append(folded(f"{safe(best[0].upper() + best[1:])}.", most))
    elif lines:
        parts.append(folded(f"`{see} --game {next(iter(standings.contests))}` shows all of one game.", most))
    said = () if overall_comes_first(standings) else (WITHOUT_PLACE,)  # there are no overall places
    notices = [text for text in standings.notices if not text.startswith(said) and notice_kind(text) not in known]
    below = [folded(line, most) for line in notice_lines(notices, folder)]
    return "\n\n".join(filter(None, [*parts, "\n".join(below)]))


def winners_table(standings: Standings, most: int | None = None) -> str:
    """For each contest who probably is its best bot, and the rating of the one that is named first.

    A narrow terminal leaves out the numbers of bots and games, and continues the last column below.
    """
    rows = []
    for contest in standings.contests.values():
        if lines := placed(contest.lines):
            best = max(lines, key=lambda line: line.best)
            named = likely(lines) or best.bot
            rows.append(
                (contest.contest.title, best.shown_rating, best.shown_interval, len(lines), f"{contest.games:,}", named)
            )
    header = ("contest", "rating", PERCENT, "bots", "games", best_means(standings.within))
    shown = Table.of(header, rows, header[1:5]).text()
    if most is None or max(map(width, shown.split("\n"))) <= most:
        return shown if rows else ""
    narrow = Table.of((*header[:3], header[-1]), [(*row[:3], row[-1]) for row in rows], header[1:3])
    return folded(narrow.text(), most) if rows else ""


def lines_table(lines: Sequence[Line], folder: Path, most: int | None = None, sort: str = "place") -> str:
    """Standings in columns, for the terminal: as many as it has room for, and always the one that was sorted by."""
    see = f"`league standings {shown_path(folder)} --format csv` has every column."
    return board(lines, sort).text(most, see)


def notice_lines(texts: Sequence[str], folder: Path, *, everything: bool = False) -> list[str]:
    """What a reader should know, a line each, safe to print; many are cut short with their number."""
    left = 0 if everything else len(texts) - SHOWN_NOTICES
    see = f"see all with `league standings {shown_path(folder)} --notices`."
    cut = [f"! … and {counted(left, 'notice')} more: {see}"] if left > 0 else []
    return [f"! {safe(text)}" for text in (texts[:SHOWN_NOTICES] if left > 0 else texts)] + cut


def _score(contest: ContestStandings, winner: str, loser: str) -> str:
    score = contest.pairs.score[contest.bots.index(winner), contest.bots.index(loser)]
    return contest.shown_score(float(score))


def fault_kinds(faults: Iterable[Fault]) -> list[tuple[Fault, int]]:
    """Faults with the same bot, contest, kind and cause as the first of them and how many there are, most first."""
    counts: Counter[tuple[str, ...]] = Counter()
    first: dict[tuple[str, ...], Fault] = {}
    different: Counter[str] = Counter()
    for fault in faults:
        alike = (fault.bot, fault.contest, fault.kind, fault.cause)
        if alike not in first:
            different[fault.bot] += 1
            if different[fault.bot] > DIFFERENT_CAUSES:
                alike = (*alike[:3], OTHER_CAUSES)
                fault = replace(fault, cause=OTHER_CAUSES)
        counts[alike] += 1
        first.setdefault(alike, fault)
    return [(first[alike], count) for alike, count in counts.most_common()]


def notice_kind(text: str) -> str:
    """A notice without its numbers: the same one a minute later has others."""
    return re.sub(r"\d[\d.,]*", "", text)


def story(contest: ContestStandings, *, nash: bool = False) -> list[str]:
    """What one number for each bot leaves out: who is probably best, cycles, and the equilibrium if it is asked for."""
    best = who_is_best(contest.lines, contest.within)
    lines = [f"{best}."] if best else []
    for cycle in contest.cycles[:SHOWN_CYCLES]:
        steps = [
            f"{winner} beats {loser} ({_score(contest, winner, loser)})"
            for winner, loser in pairwise((*cycle, cycle[0]))
        ]
        lines.append(f"a cycle: {', '.join(steps)}.")
    left = len(contest.cycles) - SHOWN_CYCLES
    if left > 0:
        lines.append(f"… and {counted(left, 'cycle')} more.")
    if nash and contest.nash is not None:
        weights = sorted(zip((-contest.nash).round(6), contest.bots, strict=True))
        shares = [f"{bot} {-weight:.0%}" for weight, bot in weights[:SHOWN_CYCLES] if -weight >= 0.005]
        lines.append(f"Nash average: {listed(shares)}.")
    return [safe(line) for line in lines]
