"""The faults of a league, grouped by cause, for the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from league.page.data import FaultNote, cut
from league.values.block import Fault

CAUSES = 10
"""Different faults of one bot that are shown, the most frequent first."""
DIFFERENT_CAUSES = 1000
"""Different faults of one bot that are counted separately: a bot may have a new cause in each game."""
OTHER_CAUSES = "other causes"
LONGEST_CAUSE = 500
LONGEST_TAIL = 4000


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
