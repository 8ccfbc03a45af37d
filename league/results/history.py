"""What a league's standings were after each finished run, and what changed from one to the next.

    for entry in read_history(store):
        print(entry.ended, entry.boards["overall"]["amy"].rating)

The history grows by a line when a run ends with other standings, bots or settings than the one before.
"""

from __future__ import annotations

from time import time
from typing import NamedTuple

import msgspec

from league.results.lines import Line
from league.results.schema import FILE, explained
from league.results.standings import Standings
from league.results.store import Store
from league.results.untrusted import LAST_TIME, expect, name, number
from league.tools.text import first_few, safe
from league.values.block import hashed

OVERALL = "overall"
"""The board of all contests together; the others are called by the keys of their contests."""
SHOWN = 5
"""Bots that are named in one line about changes."""


Boards = dict[str, dict[str, Line]]


class HistoryEntry(msgspec.Struct, frozen=True):
    """A finished run. A field that is added later needs a default, so that older entries can be read."""

    ended: float
    """Seconds since 1970."""
    config: str
    """Hash of the config's text."""
    versions: dict[str, str]
    """Bot to the hash of its source."""
    boards: Boards
    """`OVERALL` and every contest: bot to what is kept of its line, the best first."""
    games: int
    """That counted, over all contests."""

    def of(self, bot: str) -> HistoryEntry:
        """The part that is about one bot."""
        boards = {key: {bot: board[bot]} for key, board in self.boards.items() if bot in board}
        return msgspec.structs.replace(self, versions={bot: self.versions[bot]}, boards=boards)


class StandingChange(NamedTuple):
    """A bot whose standing changed."""

    board: str
    bot: str
    before: Line
    after: Line


class Changes(NamedTuple):
    """What is different in a run, compared with an earlier one."""

    new: tuple[str, ...]
    """Bots that were not there."""
    edited: tuple[str, ...]
    """Bots whose source changed."""
    gone: tuple[str, ...]
    moved: tuple[StandingChange, ...]
    """In place or rating, board by board, the best first."""
    config: bool
    """Whether the config changed."""


def entry_of(store: Store, standings: Standings, ended: float | None = None) -> HistoryEntry:
    """What the history would keep of standings."""
    boards = {OVERALL: standings.overall} | {key: contest.lines for key, contest in standings.contests.items()}
    return HistoryEntry(
        ended=time() if ended is None else ended,
        config=hashed(store.settings().text),
        versions={bot.name: bot.hash for bot in store.bots()},
        boards={key: {line.bot: kept_of(line) for line in lines} for key, lines in boards.items()},
        games=standings.games,
    )


def remember(store: Store, standings: Standings, ended: float | None = None) -> bool:
    """Add the standings after a finished run to the history, unless they are the same as after the last one.

    Returns whether they were added.
    """
    entry = entry_of(store, standings, ended)
    last = read_history(store)[-1:]
    if last and msgspec.structs.replace(last[0], ended=entry.ended) == entry:
        return False
    store.remember(msgspec.json.encode(entry).decode())
    return True


def read_history(store: Store) -> list[HistoryEntry]:
    """Every finished run, the oldest first."""
    with explained(store.folder / FILE):
        return [_checked(_decoder.decode(text)) for text in store.history()]


def _checked(entry: HistoryEntry) -> HistoryEntry:
    number(entry.ended, LAST_TIME)
    for bot in entry.versions:
        name(bot)
    for board in entry.boards.values():
        fits = all(bot in entry.versions and bot == line.bot for bot, line in board.items())
        expect(fits, "expected standings of its bots, found others")
    return entry


def changes(before: HistoryEntry, after: HistoryEntry) -> Changes:
    """What changed from one run to another."""
    old, new = before.versions, after.versions
    return Changes(
        new=tuple(sorted(new.keys() - old.keys())),
        edited=tuple(sorted(name for name in new.keys() & old.keys() if new[name] != old[name])),
        gone=tuple(sorted(old.keys() - new.keys())),
        moved=tuple(_moved(before.boards, after.boards)),
        config=before.config != after.config,
    )


def last_changes(store: Store) -> Changes | None:
    """What changed in the last finished run; None if it is the only one."""
    last = read_history(store)[-2:]
    return changes(*last) if len(last) == 2 else None


def change_lines(changed: Changes) -> list[str]:
    """What changed in a run, in words: the bots, then the places, a line for each kind of change."""
    places: dict[str, list[str]] = {}
    for moved in changed.moved:
        if moved.before.place != moved.after.place and moved.after.has_place:
            before = moved.before.place if moved.before.has_place else "no place"
            places.setdefault(moved.board, []).append(f"{moved.bot} {before} → {moved.after.place}")
    of_boards = [
        f"{board} places since the run before: {safe(first_few(texts, SHOWN))}" for board, texts in places.items()
    ]
    return [*entry_lines(changed), *of_boards]


def entry_lines(changed: Changes) -> list[str]:
    """Which bots are new, edited or gone, and whether the config changed."""
    lines = [
        f"{what} since the run before: {safe(first_few(names, SHOWN))}"
        for what, names in (("new", changed.new), ("edited", changed.edited), ("gone", changed.gone))
        if names
    ]
    return [*lines, "the config changed since the run before"] if changed.config else lines


def _moved(before: Boards, after: Boards) -> list[StandingChange]:
    return [
        StandingChange(key, bot, before[key][bot], standing)
        for key, board in after.items()
        for bot, standing in board.items()
        if bot in before.get(key, {}) and before[key][bot].counts == standing.counts
        if (before[key][bot].place, before[key][bot].shown_rating) != (standing.place, standing.shown_rating)
    ]


def kept_of(line: Line) -> Line:
    """What the history keeps of a bot's line: where it stood."""
    kept = ("place", "bot", "games", "rating", "sigma", "low", "high", "counts")
    return Line(**{name: getattr(line, name) for name in kept})


_decoder = msgspec.json.Decoder(HistoryEntry)
