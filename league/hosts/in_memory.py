"""A bot's folder in a sealed process, where no file can be opened: it is read before, and then comes from memory."""

from __future__ import annotations

import builtins
import io
import os
import sys
from importlib.abc import SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

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
        return spec_from_file_location(fullname, found, loader=self) if (found := self._file(fullname)) else None

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
