"""What the pages of bots show: faults by cause, milestones, and the standings after earlier runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from league.page.data import FaultNote, Past, cut, with_capital
from league.results.history import HistoryEntry, changes, entry_lines
from league.results.milestones import progress_of
from league.values.block import Fault, MilestoneStep

if TYPE_CHECKING:
    from league.results.standings import Standings
    from league.values.settings import Milestone

CAUSES = 10
"""Different faults of one bot that are shown, the most frequent first."""
DIFFERENT_CAUSES = 1000
"""Different faults of one bot that are counted separately: a bot may have a new cause in each game."""
OTHER_CAUSES = "other causes"
LONGEST_CAUSE = 500
LONGEST_TAIL = 4000
MILESTONE_RESULTS = 40_000_000
"""Counted results that may be read for all milestones of all bots together."""
PAST_ROWS = 6000
"""Standings of all earlier runs together; of more, only the last runs are on the page."""


def fault_notes(faults: Iterable[Fault], index: dict[str, int]) -> tuple[FaultNote, ...]:
    """Faults with the same bot, contest, kind and cause as one note each, the most frequent first."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    first: dict[tuple[str, str, str, str], Fault] = {}
    different: Counter[str] = Counter()
    for fault in faults:
        alike = (fault.bot, fault.address.partition(":")[0], str(fault.kind), fault.cause)
        if alike not in counts:
            different[fault.bot] += 1
            if different[fault.bot] > DIFFERENT_CAUSES:
                alike = (*alike[:3], OTHER_CAUSES)
        counts[alike] += 1
        first.setdefault(alike, fault)
    notes: list[FaultNote] = []
    shown: Counter[str] = Counter()
    for alike, count in counts.most_common():
        bot, contest, kind, cause = alike
        shown[bot] += 1
        if shown[bot] <= CAUSES:
            tail = cut(first[alike].tail, LONGEST_TAIL, end=True)
            cause = cut(cause, LONGEST_CAUSE)
            notes.append(FaultNote(index[bot], contest, kind, cause, count, first[alike].address, tail))
    return tuple(notes)


def milestone_marks(
    standings: Standings, milestones: Sequence[Milestone], index: Mapping[str, int]
) -> dict[int, tuple[MilestoneStep, ...]]:
    """How far each bot is from the milestones, as many bots as there is time for."""
    results = sum(len(contest.counts.games) for contest in standings.contests.values())
    most = MILESTONE_RESULTS // max(results * len(milestones), 1)
    named = {milestone.bot for milestone in milestones}
    bots = [line.bot for line in standings.overall if line.bot not in named and line.games][:most]
    return {index[bot]: progress_of(standings, milestones, bot).steps for bot in bots if milestones}


def earlier_runs(
    entries: Sequence[HistoryEntry], now: HistoryEntry, index: Mapping[str, int]
) -> tuple[tuple[Past, ...], Past | None, tuple[str, ...]]:
    """The runs of a history, unless it is one alone; the one before the standings of `now`; and what changed in it.

    Ratings are relative: if many bots improve, those that did not change seem to become worse. So earlier ratings are
    moved to where the bots that are there `now` too, and did not change, have the mean rating that they have now.
    """
    if not entries:
        return (), None, ()
    rows = sum(len(board) for board in entries[-1].boards.values())
    first = max(0, len(entries) - max(2, PAST_ROWS // max(rows, 1)))
    runs = tuple(_past(entries, number, index, now) for number in range(first, len(entries)))
    finished = entries[-1].games == now.games
    before = runs[-2:-1] if finished else runs[-1:]
    texts = entry_lines(changes(*entries[-2:])) if finished and len(entries) > 1 else []
    told = tuple(f"{with_capital(text)}." for text in texts)
    return runs if len(runs) > 1 else (), before[0] if before else None, told


def _past(entries: Sequence[HistoryEntry], number: int, index: Mapping[str, int], now: HistoryEntry) -> Past:
    """The standings after a run, as far as they counted what is counted now, on the scale of now."""
    entry, counts = (
        entries[number],
        {key: line.counts for key, board in entries[-1].boards.items() for line in board.values()},
    )
    boards, anchors = {}, {}
    for key, board in entry.boards.items():
        kept = [line for bot, line in board.items() if bot in index and line.games and line.counts == counts.get(key)]
        later = now.boards.get(key, {})
        same = [
            (line, later[line.bot])
            for line in kept
            if line.bot in later and later[line.bot].has_place
            if entry.versions.get(line.bot) == now.versions.get(line.bot)
        ]
        shift = sum(after.rating - line.rating for line, after in same) / len(same) if same else 0.0
        boards[key] = {
            index[line.bot]: replace(
                line,
                place=line.place if line.has_place else "",
                rating=line.rating + shift,
                low=line.low + shift,
                high=line.high + shift,
            )
            for line in kept
        }
        anchors[key] = len(same)
    edited = changes(entries[number - 1], entry).edited if number else ()
    ended = f"{datetime.fromtimestamp(entry.ended).astimezone():%-d %B %Y, %H:%M}"
    return Past(ended, boards, tuple(index[bot] for bot in edited if bot in index), anchors)
