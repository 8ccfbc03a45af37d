"""A bot's own folder while its code runs: its modules can be imported, its files read, and it is the current folder."""

from __future__ import annotations

import os
import sys
from inspect import getmodulename
from types import ModuleType
from typing import Self

from league.values.settings import TAKEN_MODULES


class OwnFolder:
    """Enter it before the bot's code runs. Leave it afterwards, if others run in the same process.

    Without a folder, for a bot that is one file, nothing happens.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._names = {getmodulename(name) or name for name in os.listdir(folder)} - TAKEN_MODULES if folder else set()
        self._inside: dict[str, ModuleType] = {}
        """The bot's own modules, while others run."""
        self._outside: dict[str, ModuleType] = {}
        """Modules of others that have the same names, while the bot runs."""
        self._came_from = ""

    def __enter__(self) -> Self:
        if self._folder:
            self._came_from = os.getcwd()
            os.chdir(self._folder)
            self.show_modules()
        return self

    def show_modules(self) -> None:
        """From now on, the bot's modules can be imported."""
        if self._folder:
            sys.path.insert(0, self._folder)
            self._outside = _take_out(self._names)
            sys.modules.update(self._inside)

    def __exit__(self, *_: object) -> None:
        if self._folder:
            self._inside = _take_out(self._names)
            sys.modules.update(self._outside)
            if self._folder in sys.path:
                sys.path.remove(self._folder)
            os.chdir(self._came_from)


def _take_out(names: set[str]) -> dict[str, ModuleType]:
    """Forget the modules and packages of these names; returns them."""
    taken = {name: module for name, module in sys.modules.items() if name.partition(".")[0] in names}
    for name in taken:
        del sys.modules[name]
    return taken
