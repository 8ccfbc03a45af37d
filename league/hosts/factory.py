"""Opens hosts at the level of isolation that was asked for. A worker has one factory, and with it its warm zygotes."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from league.errors import IsolationError
from league.games.contract import Game
from league.hosts import Host, Printed, Trouble
from league.hosts.build import BuildError, built
from league.hosts.launcher import Launcher
from league.hosts.process import BotProcess
from league.hosts.process_host import ProcessHost
from league.hosts.program import ProgramProcess
from league.hosts.trusted import TrustedHost, source_of
from league.hosts.unpacked_bots import UnpackedBots
from league.hosts.wire import HostSetup
from league.setup.bot_folder import BotFile
from league.tools import system
from league.values.settings import Isolation, Limits

if TYPE_CHECKING:
    from league.setup.roster import Bot

OnPrint = Callable[[str, Printed], None]


class HostFactory:
    """Where a worker gets its hosts from. Close it, so that nothing it started is left behind.

    `on_print` is called after each answer of a bot with its name and what it has printed, unless it runs in this
    process. `private` are folders that no bot may read, besides those of the bots themselves: where results are.
    """

    def __init__(
        self,
        isolation: Isolation,
        limits: Limits,
        on_print: OnPrint | None = None,
        private: Sequence[str | Path] = (),
    ) -> None:
        self._isolation = isolation
        self._limits = limits
        self._on_print = on_print
        self._checked: dict[bool, set[str]] = {True: set(), False: set()}
        """Folders that are out of reach of programs, and of Python bots."""
        self._private = {tempfile.gettempdir(), *map(os.path.abspath, private)}  # hosts change into other folders
        self._launchers: dict[bool, Launcher] = {}
        self._unpacked = UnpackedBots()
        self._builds: dict[str, tuple[Bot, Trouble | None]] = {}
        """By hash: bots with what their builds made, and why they cannot be built, if so."""

    def open(self, bot: Bot, game: Game) -> Host:
        """A host for one bot and one block."""
        system.tell_if_plain()
        if bot.language == "object":  # whose text, which may come from a stranger's results, is not run
            return TrustedHost(bot.name, source_of(bot.name, bot.hash), game)
        return OPENERS[self._isolation](self, bot, game)

    def open_inside(self, bot: Bot, game: Game) -> Host:
        """A host in this process; a program has a process of its own even so."""
        if bot.command:
            return self.open_outside(bot, game, confined=False)
        return TrustedHost(bot.name, bot.source, game, self.folder_of(bot))

    def open_outside(self, bot: Bot, game: Game, *, confined: bool) -> Host:
        """A host in a process of its own, with limits."""
        self._refuse_lacking()
        if bot.path.is_absolute():
            self._private.add(str(bot.path.parent))
        if confined:
            self._refuse_exposed(bool(bot.command))
        setup = HostSetup(
            name=bot.name,
            source=bot.source,
            limits=self._limits,
            confined=confined,
            command=bot.command,
            folder=self.folder_of(bot),
            private=tuple(self._private) if bot.command else (),
        )
        launcher = self._launcher(not bot.command and may_load_numpy(bot.source, bot.files))

        start = partial(ProgramProcess if bot.command else BotProcess, launcher, setup, game)
        on_print = partial(self._on_print, bot.name) if self._on_print else None
        return ProcessHost(start, game, self._limits, on_print, broken=self._built(bot)[1])

    def folder_of(self, bot: Bot) -> str:
        """Where a bot's folder is unpacked, as long as this is open; empty for a bot that is one file."""
        return self._unpacked.folder_of(self._built(bot)[0])

    def close(self) -> None:
        """End the zygotes, and with them every host."""
        for launcher in self._launchers.values():
            launcher.close()
        self._unpacked.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _built(self, bot: Bot) -> tuple[Bot, Trouble | None]:
        """The bot with what its build makes, which is done once, and why it cannot be built, if so."""
        if not bot.build or bot.made:
            return bot, None
        self._refuse_lacking()
        if bot.hash not in self._builds:
            try:
                self._builds[bot.hash] = built(bot, self._isolation.confines, tuple(self._private)), None
            except BuildError as problem:
                self._builds[bot.hash] = bot, Trouble(0, "import", problem.cause, problem.tail)
        return self._builds[bot.hash]

    def _refuse_lacking(self) -> None:
        """Raise if this system cannot start processes of bots, or cannot confine them as was asked for."""
        if system.PLAIN:
            raise IsolationError(system.NEEDS_LINUX)
        if self._isolation.confines:
            from league.hosts.confine import landlock

            if not landlock.version():
                raise IsolationError(
                    "isolation: sandbox needs Landlock, which this kernel lacks or has switched off. "
                    "Use isolation: process for bots that mean no harm. See: league doctor"
                )

    def _refuse_exposed(self, is_program: bool) -> None:
        """Raise if bots could read other bots or results, since these are where software is."""
        from league.hosts.confine import landlock

        unchecked = self._private - self._checked[is_program]
        granted = [*landlock.library_folders(), *(landlock.system_folders() if is_program else ())]
        if unchecked and (overlap := landlock.exposed(granted, unchecked)):
            path, folder = overlap
            raise IsolationError(
                f"Bots could read {path}, since all software in {folder} can be read. Move bots and results elsewhere."
            )
        self._checked[is_program] |= unchecked

    def _launcher(self, has_numpy: bool) -> Launcher:
        """Hosts have numpy only for bots that may want it: the others are forked sooner."""
        if has_numpy not in self._launchers:
            self._launchers[has_numpy] = Launcher(has_numpy)
        return self._launchers[has_numpy]


OPENERS: dict[Isolation, Callable[[HostFactory, Bot, Game], Host]] = {
    Isolation.SANDBOX: partial(HostFactory.open_outside, confined=True),
    Isolation.PROCESS: partial(HostFactory.open_outside, confined=False),
    Isolation.TRUSTED: HostFactory.open_inside,
}


def pin(worker: int) -> None:
    """Keep this process, and the hosts it will start, on one processor: they take turns, and so share its caches."""
    if hasattr(os, "sched_setaffinity"):
        available = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {available[worker % len(available)]})


_IMPORTS = re.compile(rb"\bfrom\s+([\w.]+)\s+import\b|\bimport\s+([^\n;#]+)")
_ANYTHING = re.compile(rb"numpy|pickle|import_module|__import__|\bexec\b|\beval\b|\bencode\b")
"""What may load numpy without an import of it."""
_WITHOUT = re.compile(rb"league\.games\b")
"""The part of this package that bots may import without numpy."""


@lru_cache(maxsize=256)
def may_load_numpy(source: bytes, files: tuple[BotFile, ...] = ()) -> bool:
    """Whether a bot's source, or a file of its folder, names numpy, or another package, which may load it.

    A process that has numpy takes longer to fork. A bot that hides what it imports can still load numpy, but then numpy
    counts as the bot's own memory, and what it draws from `numpy.random` is not reproducible.
    """
    modules = [file for file in files if file.path.endswith(".py")]
    known = sys.stdlib_module_names | {file.path.removesuffix(".py").split("/")[0] for file in modules} | {""}
    return any(b"numpy" in file.content for file in files) or any(
        _ANYTHING.search(text) or not known.issuperset(_imported(text))
        for text in (source, *(file.content for file in modules))
    )


def _imported(source: bytes) -> Iterator[str]:
    """The first names of what is imported; in prose, also some other words."""
    for place, several in _IMPORTS.findall(source):
        for path in (place or several).split(b","):
            if not _WITHOUT.match(path.strip()):
                yield path.strip().partition(b".")[0].partition(b" ")[0].decode("utf-8", "replace")
