"""What a league's standings were after each finished run, and what changed from one to the next.

    for entry in read_history(store):
        print(entry.ended, entry.boards["overall"]["amy"].rating)

The history grows by a line when a run ends with other standings, bots or settings than the one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import time
from typing import TYPE_CHECKING

import msgspec

from league.results.lines import Line
from league.results.schema import FILE, explained
from league.results.store import Store
from league.results.untrusted import Time, expect
from league.tools.text import first_few, safe
from league.values.block import hashed
from league.values.settings import LeagueName

if TYPE_CHECKING:
    from league.results.standings import Standings

OVERALL = "overall"
"""The board of all contests together; the others are called by the keys of their contests."""
SHOWN = 5
"""Bots that are named in one line about changes."""


class HistoryEntry(msgspec.Struct, frozen=True):
    """A finished run. A field that is added later needs a default, so that older entries can be read."""

    ended: Time
    config: str
    """Hash of the config's text."""
    versions: dict[LeagueName, str]
    """Bot to the hash of its source."""
    boards: dict[str, dict[str, Line]]
    """`OVERALL` and every contest: bot to what is kept of its line, the best first."""
    games: int
    """That counted, over all contests."""

    def of(self, bot: str) -> HistoryEntry:
        """The part that is about one bot."""
        boards = {key: {bot: board[bot]} for key, board in self.boards.items() if bot in board}
        return msgspec.structs.replace(self, versions={bot: self.versions[bot]}, boards=boards)


def entry_of(store: Store, standings: Standings, ended: float | None = None) -> HistoryEntry:
    """What the history would keep of standings."""
    boards = {OVERALL: standings.overall} | {key: contest.lines for key, contest in standings.contests.items()}
    return HistoryEntry(
        ended=time() if ended is None else ended,
        config=hashed(store.settings().text),
        versions={bot.name: bot.hash for bot in store.bots()},
        boards={key: {line.bot: _kept_of(line) for line in lines} for key, lines in boards.items()},
        games=standings.games,
    )


def _kept_of(line: Line) -> Line:
    """What the history keeps of a bot's line: where it stood."""
    kept = ("place", "bot", "games", "rating", "sigma", "low", "high", "counts")
    return Line(**{name: getattr(line, name) for name in kept})


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
        entries = [_decoder.decode(text) for text in store.history()]
        for entry in entries:
            for board in entry.boards.values():
                fits = all(bot in entry.versions and bot == line.bot for bot, line in board.items())
                expect(fits, "expected standings of its bots, found others")
        return entries


def last_changes(store: Store) -> tuple[str, ...]:
    """What changed in the last finished run, a line for each kind of change; nothing if it is the only one."""
    last = read_history(store)[-2:]
    if len(last) < 2:
        return ()
    return *entry_changes(*last), *_place_changes(store.settings().titles(), *last)


def edited(before: HistoryEntry, after: HistoryEntry) -> list[str]:
    """The bots whose source changed from one run to another."""
    both = before.versions.keys() & after.versions.keys()
    return sorted(name for name in both if before.versions[name] != after.versions[name])


def entry_changes(before: HistoryEntry, after: HistoryEntry) -> Iterator[str]:
    """Which bots are new, edited or gone since an earlier run, and whether the config changed."""
    old, new = before.versions.keys(), after.versions.keys()
    for what, names in (("new", sorted(new - old)), ("edited", edited(before, after)), ("gone", sorted(old - new))):
        if names:
            yield f"{what} since the run before: {safe(first_few(names, SHOWN))}"
    if before.config != after.config:
        yield "the config changed since the run before"


def _place_changes(titles: Mapping[str, str], before: HistoryEntry, after: HistoryEntry) -> Iterator[str]:
    """Which bots have another place, a line for each board, as far as it counts the same."""
    for key, board in after.boards.items():
        known = before.boards.get(key, {})
        pairs = [(known[bot], line) for bot, line in board.items() if bot in known and line.has_place]
        texts = [
            f"{new.bot} {old.place if old.has_place else 'no place'} → {new.place}"
            for old, new in pairs
            if old.counts == new.counts and old.place != new.place
        ]
        if texts:
            yield f"{titles.get(key, key)}: places since the run before: {safe(first_few(texts, SHOWN))}"


_decoder = msgspec.json.Decoder(HistoryEntry)
