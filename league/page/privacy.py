"""Pages to publish: without what concerns only one bot's author, and optionally without names.

    aliases = Aliases.of(folder, ["amy", "bob"])      # kept in the folder, so that the next page has the same ones
    page = anonymous(published(page), aliases)

The key of the aliases is a file that the server does not serve.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from random import SystemRandom

import msgspec
from msgspec.structs import replace

from league.errors import StoreError
from league.page.data import BotCard, Page
from league.tools.files import write_text
from league.tools.text import counted, shown_path

KEY = "aliases.json"
"""The file that maps bots to their aliases."""
SECRET_FACTS = ("seed",)
"""The deals follow from the seed."""
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
            known |= zip(missing, _fresh(len(missing), {*known.values(), *bots}), strict=True)
        if missing and keep:
            write_text(path, msgspec.json.format(msgspec.json.encode(known, order="sorted")).decode() + "\n")
        return cls(known)

    def order(self, bots: Sequence[str]) -> list[str]:
        """The bots in the order of their aliases: the order of their names would tell who is who."""
        return sorted(bots, key=self.names.__getitem__)

    def text(self, text: str) -> str:
        """A text in which every name of a bot is replaced."""
        return self._pattern.sub(lambda found: self.names[found[0]], text)

    def texts(self, texts: Sequence[str]) -> tuple[str, ...]:
        """The same for several texts."""
        return tuple(map(self.text, texts))


def published(page: Page) -> Page:
    """The page without tracebacks, printed text, source lines, remarks on single bots, the config and the seed.

    It does not name the league's folder either: its readers do not have it.
    """
    hidden = counted(len(page.remarks), "remark")
    return replace(
        page,
        remarks=(f"{hidden} on single bots {'is' if len(page.remarks) == 1 else 'are'} not shown here.",)
        if page.remarks
        else (),
        faults=tuple(replace(fault, cause="", tail="") for fault in page.faults),
        facts=tuple(fact for fact in page.facts if fact[0] not in SECRET_FACTS),
        config="",
        folder="",
    )


def anonymous(page: Page, aliases: Aliases) -> Page:
    """The page with an alias for every bot, without docstrings and addresses: who sits where follows from the names."""
    return replace(
        page,
        private=False,
        bots=tuple(BotCard(aliases.names[bot.name], baseline=bot.baseline) for bot in page.bots),
        boards=tuple(replace(board, notes=aliases.texts(board.notes)) for board in page.boards),
        changes=aliases.texts(page.changes),
        facts=tuple((name, aliases.text(value)) for name, value in page.facts),
        faults=tuple(replace(fault, address="") for fault in page.faults),
        comparisons=tuple(
            replace(
                one,
                verdict=aliases.text(one.verdict),
                meetings=tuple(aliases.texts(row) for row in one.meetings),
                notices=aliases.texts(one.notices),
            )
            for one in page.comparisons
        ),
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


def _fresh(number: int, taken: set[str]) -> list[str]:
    """Aliases that are not taken, in random order."""
    words = [f"{first}_{second}" for first in FIRST for second in SECOND]
    free = [word for word in words if word not in taken]
    turn = 2
    while len(free) < number:
        free += [f"{word}_{turn}" for word in words if f"{word}_{turn}" not in taken]
        turn += 1
    return SystemRandom().sample(free, number)
