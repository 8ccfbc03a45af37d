"""What a league's standings were after each finished run, and what changed from one to the next.

    for entry in read_history(store):
        print(entry.ended, entry.boards["overall"]["amy"].rating)

The history grows by a line when a run ends with other standings, bots or settings than the one before.
"""

from __future__ import annotations

from time import time
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta

from league.results.columns import Line, rating_digits
from league.results.schema import FILE, explained
from league.results.standings import Standings
from league.results.store import Store
from league.results.untrusted import LAST_TIME, expect, name, number
from league.tools.text import first_few, safe
from league.values.block import Count, hashed
from league.values.settings import Counting

OVERALL = "overall"
"""The board of all contests together; the others are called by the keys of their contests."""
SHOWN = 5
"""Bots that are named in one line about changes."""


Number = Annotated[float, Meta(ge=-1e15, le=1e15)]


class Standing(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a bot stood after a run."""

    place: Annotated[str, Meta(pattern=r"\A[\w-]{1,32}\Z")]
    """As in the standings: '1', '1-3', 'partial' or 'unplayed'."""
    rating: Number
    sigma: Number
    low: Number
    high: Number
    games: Count
    counts: Literal[Counting, "mixed"] = "games"
    """What was counted: numbers of a rating in points cannot be compared with others."""

    @property
    def shown_rating(self) -> str:
        """For people; in points if these counted."""
        return f"{self.rating:.{rating_digits(self.counts)}f}{' points' if self.counts == 'points' else ''}"

    @property
    def shown_interval(self) -> str:
        """For people."""
        digits = rating_digits(self.counts)
        return f"{self.low:.{digits}f} … {self.high:.{digits}f}"

    @property
    def has_place(self) -> bool:
        """Whether the bot could be compared with the others of its board."""
        return self.place[:1].isdigit()


Boards = dict[str, dict[str, Standing]]


class HistoryEntry(msgspec.Struct, frozen=True):
    """A finished run. A field that is added later needs a default, so that older entries can be read."""

    ended: float
    """Seconds since 1970."""
    config: str
    """Hash of the config's text."""
    versions: dict[str, str]
    """Bot to the hash of its source."""
    boards: Boards
    """`OVERALL` and every contest: bot to its standing, the best first."""
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
    before: Standing
    after: Standing


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


def remember(store: Store, standings: Standings, ended: float | None = None) -> bool:
    """Add the standings after a finished run to the history, unless they are the same as after the last one.

    Returns whether they were added.
    """
    boards = {OVERALL: standings.overall} | {key: contest.lines for key, contest in standings.contests.items()}
    entry = HistoryEntry(
        ended=time() if ended is None else ended,
        config=hashed(store.meta("config")),
        versions={bot.name: bot.hash for bot in store.bots()},
        boards={key: {line.bot: standing_of(line) for line in lines} for key, lines in boards.items()},
        games=standings.games,
    )
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
    for bot in {*entry.versions, *(bot for board in entry.boards.values() for bot in board)}:
        name(bot)
    for board in entry.boards.values():
        expect(board.keys() <= entry.versions.keys(), "expected standings of its bots, found others")
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


def standing_of(line: Line) -> Standing:
    """What the history keeps of a bot's line."""
    return Standing(line.place, line.rating, line.sigma, line.low, line.high, line.games, line.counts)


_decoder = msgspec.json.Decoder(HistoryEntry)
