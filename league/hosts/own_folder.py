"""A bot's own folder while its code runs: its modules can be imported, its files read, and it is the current folder.

In a sealed process no file can be opened: there the folder is read beforehand, and then comes from memory.
"""

from __future__ import annotations

import builtins
import io
import os
import sys
from importlib.abc import SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from inspect import getmodulename
from pathlib import Path
from types import ModuleType
from typing import Any, Self

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


_open = io.open


def contents_of(folder: str) -> dict[str, bytes]:
    """The files of a folder, by path."""
    return {str(path): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def serve_from_memory(folder: str, contents: dict[str, bytes]) -> None:
    """From now on, modules and files of this folder come from memory, for as long as the process lives."""

    def opened(file: Any, mode: str = "r", buffering: int = -1, *encoding: Any, **more: Any) -> Any:
        path = os.path.normpath(os.path.join(folder, os.fspath(file))) if not isinstance(file, int) else ""
        if path not in contents or set(mode) - set("rbt"):
            return _open(file, mode, buffering, *encoding, **more)
        content = io.BytesIO(contents[path])
        return content if "b" in mode else io.TextIOWrapper(content, *encoding, **more)

    builtins.open = io.open = opened
    sys.meta_path.insert(0, _Memory(folder, contents))


class _Memory(SourceLoader):
    """Imports modules from the contents of files."""

    def __init__(self, folder: str, contents: dict[str, bytes]) -> None:
        self._folder = folder
        self._contents = contents

    def find_spec(self, fullname: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        return spec_from_file_location(fullname, file, loader=self) if (file := self._file(fullname)) else None

    def get_filename(self, fullname: str) -> str:
        return self._file(fullname)

    def get_data(self, path: str | bytes) -> bytes:
        if path in self._contents:
            return self._contents[str(path)]
        raise FileNotFoundError(path)

    def _file(self, fullname: str) -> str:
        """The file of a module; empty if there is none."""
        path = os.path.join(self._folder, *fullname.split("."))
        return next((file for file in (os.path.join(path, "__init__.py"), f"{path}.py") if file in self._contents), "")
