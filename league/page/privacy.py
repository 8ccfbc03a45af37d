"""What a league shows and what it hides: on its pages, on the pages of its games, and in what a server answers.

    privacy = Privacy.of(store)         # as the config says: page: {public: true} or {anonymous: true}
    privacy.name(bot), privacy.fault(fault), privacy.game(shown)    # all that is read for a page goes through it
    privacy.require_names()             # raises if names are hidden: for what cannot be shown without them
    reader.watch(address.lineup)        # raises if this reader may not watch games of these bots

Nothing else decides it. Pages that hide something say so in their first tag, and `allows` reads it there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from random import SystemRandom
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from league.errors import LeagueError, StoreError
from league.page.data import FIRST_TAGS, Hidden
from league.tools.files import write_text
from league.tools.text import shown_path
from league.values.settings import PageSettings

if TYPE_CHECKING:
    from league.results.history import HistoryEntry
    from league.results.lines import Line
    from league.results.recorded import Shown
    from league.results.store import Store
    from league.values.block import Fault, MilestoneStep

KEY = "aliases.json"
"""The file that maps bots to their aliases."""
NOT_SHOWN = "not shown here"
"""Replaces the cause of a fault."""
NAMES_HIDDEN = (
    "The page of this league hides the names of bots, so only the page and its games to watch are served. "
    "`league find`, `league replay`, `league compare` and the files in its folder have the rest."
)
FIRST = (
    *("amber", "bold", "brave", "brisk", "calm", "clever", "cosy", "crisp", "dapper", "eager", "early", "fair"),
    *("fleet", "fond", "gentle", "glad", "golden", "grand", "happy", "honest", "jolly", "keen", "kind", "late"),
    *("light", "lively", "lucky", "mellow", "merry", "mild", "neat", "nimble", "noble", "plain", "plucky", "proud"),
    *("quick", "quiet", "rapid", "ready", "rosy", "round", "royal", "silent", "silver", "sleek", "smart", "snug"),
    *("solid", "spry", "steady", "still", "stout", "sunny", "swift", "tall", "tidy", "warm", "wise", "young"),
)
SECOND = (
    *("adder", "alpaca", "badger", "bear", "beaver", "bison", "camel", "cobra", "condor", "crane", "crow", "deer"),
    *("dove", "duck", "eagle", "egret", "eland", "elk", "falcon", "ferret", "finch", "fox", "gecko", "goose"),
    *("grouse", "gull", "hare", "hawk", "heron", "horse", "ibex", "ibis", "jackal", "jay", "kestrel", "koala"),
    *("lark", "lemur", "lion", "llama", "lynx", "magpie", "marten", "mole", "moose", "moth", "newt", "otter"),
    *("owl", "panda", "puffin", "quail", "raven", "robin", "seal", "shrew", "stork", "swan", "tapir", "wolf"),
)


class PageReader:
    """Who reads the pages of a league. Every route asks what its reader may see, after it has parsed the address.

    This one may see all that the league shows. An arena brings another one.
    """

    def watch(self, bots: Collection[str]) -> None:
        """Raise an error if this reader may not watch games of these bots; of no bots: any game that is shown."""


EVERYBODY = PageReader()
"""The reader of a server without accounts."""


class Privacy:
    """What a league hides, and the names under which it shows bots."""

    def __init__(self, settings: PageSettings, aliases: Mapping[str, str] = MappingProxyType({})) -> None:
        self.settings = settings
        self.hides: Hidden = "names" if settings.anonymous else "causes" if settings.public else ""
        self._aliases = aliases
        own = "|".join(re.escape(name) for name in sorted(aliases, key=len, reverse=True))
        self._pattern = re.compile(rf"(?<![\w-])(?:{own})(?![\w-])") if aliases else re.compile("(?!)")

    @classmethod
    def of(cls, store: Store, settings: PageSettings | None = None, *, keep: bool = False) -> Privacy:
        """As the config says, unless there are other settings; with `keep`, new aliases are written to their file."""
        settings = settings or store.settings().page
        if not settings.anonymous:
            return cls(settings)
        return cls(settings, aliases_of(store.folder, [bot.name for bot in store.bots()], keep=keep))

    def name(self, bot: str) -> str:
        """The name under which a bot is shown."""
        return self._aliases.get(bot, bot)

    def text(self, text: str) -> str:
        """A text without names that are hidden."""
        return self._pattern.sub(lambda match: self._aliases[match[0]], text)

    def doc(self, text: str) -> str:
        """What a bot's author says about it, which tells who it is."""
        return "" if self.hides == "names" else text

    def facts(self, facts: Mapping[str, str]) -> list[tuple[str, str]]:
        """The settings of a league without the seed: deals follow from it."""
        return [(name, self.text(value)) for name, value in facts.items() if not self.hides or name != "seed"]

    def remarks(self, remarks: Sequence[str]) -> Sequence[str]:
        """Only how many there are: they are about single bots."""
        if not self.hides or not remarks:
            return remarks
        return ["One note is hidden." if len(remarks) == 1 else f"{len(remarks)} notes are hidden."]

    def fault(self, fault: Fault) -> Fault:
        """A fault without its traceback; without its address too, as who sits where follows from the names."""
        if self.hides:
            fault = replace(fault, cause="", tail="")
        if self.hides == "names":
            fault = replace(fault, bot=self.name(fault.bot), address=f"{fault.contest}:")
        return fault

    def step(self, step: MilestoneStep) -> MilestoneStep:
        """A milestone with the names that are shown."""
        texts = {name: self.text(getattr(step, name)) for name in ("title", "bot", "about")}
        return replace(step, **texts)

    def entry(self, entry: HistoryEntry) -> HistoryEntry:
        """A run of the history with the names that are shown; without bots that never had an alias."""
        if self.hides != "names":
            return entry
        boards = {key: self._lines(board) for key, board in entry.boards.items()}
        versions = {self.name(bot): version for bot, version in entry.versions.items() if bot in self._aliases}
        return replace(entry, boards=boards, versions=versions)

    def _lines(self, board: Mapping[str, Line]) -> dict[str, Line]:
        names = {bot: self.name(bot) for bot in board if bot in self._aliases}
        return {name: replace(board[bot], bot=name) for bot, name in names.items()}

    def game(self, shown: Shown) -> Shown:
        """A game without what is hidden."""
        replay = replace(shown.replay, names=tuple(map(self.name, shown.replay.names)))
        if self.hides:
            replay = replace(replay, faults=tuple(replace(lapse, cause=NOT_SHOWN) for lapse in replay.faults))
        return shown._replace(replay=replay)

    def require_names(self) -> None:
        """Raise an error if names are hidden."""
        if self.hides == "names":
            raise LeagueError(NAMES_HIDDEN)

    def allows(self, name: str, content: bytes) -> bool:
        """Whether a file of the league's folder hides what has to be hidden: a page says it, and a table has names."""
        if not self.hides:
            return True
        if not name.endswith(".html"):
            return self.hides != "names"
        return any(f'data-hides="{hides}"'.encode() in content[:FIRST_TAGS] for hides in {self.hides, "names"})


def aliases_of(folder: Path, bots: Sequence[str], *, keep: bool = True) -> dict[str, str]:
    """The aliases in a league's folder. Bots without one get one at random, which is written there with `keep`."""
    path = folder / KEY
    known = _read(path)
    missing = [name for name in bots if name not in known]
    if missing:
        known |= zip(missing, fresh_names(len(missing), {*known.values(), *bots}), strict=True)
    if missing and keep:
        write_text(path, msgspec.json.format(msgspec.json.encode(known, order="sorted")).decode() + "\n")
    return known


def _read(path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError) as problem:
        raise StoreError(
            f"{shown_path(path)} should say which alias means which bot, but cannot be read ({problem})."
            " Put back a copy, or remove it for new aliases."
        ) from None


def fresh_names(number: int, taken: Collection[str]) -> list[str]:
    """Aliases that are not taken, in random order."""
    words = [f"{first}_{second}" for first in FIRST for second in SECOND]
    free = [word for word in words if word not in taken]
    turn = 2
    while len(free) < number:
        free += [f"{word}_{turn}" for word in words if f"{word}_{turn}" not in taken]
        turn += 1
    return SystemRandom().sample(free, number)
