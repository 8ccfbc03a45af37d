"""What a league shows and what it hides: on its pages, on the pages of its games, and in what a server answers.

    privacy = Privacy.of(store)         # as the config says: page: {public: true} or {anonymous: true}
    page = privacy.page(page)           # without what concerns only one bot's author, and optionally without names
    shown = privacy.game(shown)
    privacy.require_names()             # raises if names are hidden: for what cannot be shown without them
    reader.watch(address.lineup)        # raises if this reader may not watch games of these bots

Nothing else decides it. Pages that hide something say so in their first tag, and `allows` reads it there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from league.errors import LeagueError, StoreError
from league.page.data import FIRST_TAGS, BotCard, FaultNote, Hidden, Page
from league.tools.files import write_text
from league.tools.text import shown_path
from league.values.settings import PageSettings

if TYPE_CHECKING:
    from league.results.recorded import Shown
    from league.results.store import Store

KEY = "aliases.json"
"""The file that maps bots to their aliases."""
SECRET_FACTS = ("seed",)
"""The deals follow from the seed."""
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
    """What a league hides."""

    def __init__(self, bots: Sequence[str], settings: PageSettings, aliases: Aliases | None = None) -> None:
        self.hides: Hidden = "names" if settings.anonymous else "causes" if settings.public else ""
        self._aliases = aliases or Aliases({})
        self.order = self._aliases.order(bots)
        """The bots in an order that tells nothing that is hidden."""

    @classmethod
    def of(cls, store: Store, settings: PageSettings | None = None, *, keep: bool = False) -> Privacy:
        """As the config says, unless there are other settings; with `keep`, new aliases are written to their file."""
        settings = settings or store.settings().page
        bots = [bot.name for bot in store.bots()]
        aliases = Aliases.of(store.folder, bots, keep=keep) if settings.anonymous else None
        return cls(bots, settings, aliases)

    def name(self, bot: str) -> str:
        """The name under which a bot is shown."""
        return self._aliases.name(bot)

    def texts(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Texts without names that are hidden."""
        return self._aliases.texts(texts)

    def page(self, page: Page) -> Page:
        """A standings page without what is hidden."""
        page = replace(page, hides=self.hides)
        if self.hides:
            page = _published(page)
        return _anonymous(page, self._aliases) if self.hides == "names" else page

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


class Aliases:
    """Stable names that replace the bots' names."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        own = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        self._pattern = re.compile(rf"(?<![\w-])(?:{own})(?![\w-])") if names else re.compile("(?!)")

    @classmethod
    def of(cls, folder: Path, bots: Sequence[str], *, keep: bool = True) -> Aliases:
        """The aliases in a league's folder. Bots without one get one at random, which is written there with `keep`."""
        path = folder / KEY
        known = _read(path)
        missing = [name for name in bots if name not in known]
        if missing:
            known |= zip(missing, fresh_names(len(missing), {*known.values(), *bots}), strict=True)
        if missing and keep:
            write_text(path, msgspec.json.format(msgspec.json.encode(known, order="sorted")).decode() + "\n")
        return cls(known)

    def name(self, bot: str) -> str:
        """The alias of a bot, or its own name if it has none."""
        return self.names.get(bot, bot)

    def order(self, bots: Sequence[str]) -> list[str]:
        """The bots in the order of their aliases: the order of their names would tell who is who."""
        return sorted(bots, key=self.name)

    def text(self, text: str) -> str:
        """A text in which every name of a bot is replaced."""
        return self._pattern.sub(lambda match: self.names[match[0]], text)

    def texts(self, texts: Sequence[str]) -> tuple[str, ...]:
        """The same for several texts."""
        return tuple(map(self.text, texts))


def _published(page: Page) -> Page:
    """The page without tracebacks, source lines, remarks on single bots, the config and the seed.

    It does not name the league's folder either: its readers do not have it.
    """
    hidden = "One note is hidden." if len(page.remarks) == 1 else f"{len(page.remarks)} notes are hidden."
    return replace(
        page,
        remarks=(hidden,) if page.remarks else (),
        faults=_without_causes(page.faults),
        facts=tuple(fact for fact in page.facts if fact[0] not in SECRET_FACTS),
        config="",
        folder="",
    )


def _without_causes(faults: Sequence[FaultNote]) -> tuple[FaultNote, ...]:
    """Faults of one kind of a bot in a contest as one note: without their causes they are the same."""
    kinds: dict[tuple[int, str, str], FaultNote] = {}
    for fault in faults:
        kind = fault.bot, fault.contest, fault.kind
        count = fault.count + (kinds[kind].count if kind in kinds else 0)
        kinds[kind] = replace(kinds.get(kind, fault), cause="", tail="", count=count)
    return tuple(kinds.values())


def _anonymous(page: Page, aliases: Aliases) -> Page:
    """The page with an alias for every bot, without docstrings and addresses: who sits where follows from the names."""
    return replace(
        page,
        bots=tuple(
            BotCard(aliases.names[bot.name], baseline=bot.baseline) if bot.name in aliases.names else bot
            for bot in page.bots
        ),
        boards=tuple(replace(board, notes=aliases.texts(board.notes)) for board in page.boards),
        changes=aliases.texts(page.changes),
        milestones={
            bot: tuple(
                replace(
                    step, title=aliases.text(step.title), bot=aliases.text(step.bot), about=aliases.text(step.about)
                )
                for step in steps
            )
            for bot, steps in page.milestones.items()
        },
        facts=tuple((name, aliases.text(value)) for name, value in page.facts),
        faults=tuple(replace(fault, address="") for fault in page.faults),
    )


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
