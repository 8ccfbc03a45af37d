"""Whether a bot may load numpy, as far as its files tell: a process that has numpy takes longer to fork.

The guess is made so that a bot has numpy if it wants it. One that hides what it imports can still load numpy, but then
numpy counts as the bot's own memory, and what it draws from `numpy.random` is not reproducible.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import lru_cache

from league.setup.bot_folder import BotFile

_IMPORTS = re.compile(rb"\bfrom\s+([\w.]+)\s+import\b|\bimport\s+([^\n;#]+)")
_ANYTHING = re.compile(rb"numpy|pickle|import_module|__import__|\bexec\b|\beval\b")
"""What may load numpy without an import of it."""
_WITHOUT = re.compile(rb"league\.games\b")
"""Of this package, what bots may import without numpy."""


@lru_cache(maxsize=256)
def may_load_numpy(source: bytes, files: tuple[BotFile, ...] = ()) -> bool:
    """Whether a bot's source, or a file of its folder, names numpy, or another package, which may load it."""
    modules = [file for file in files if file.path.endswith(".py")]
    known = sys.stdlib_module_names | {file.path.removesuffix(".py").split("/")[0] for file in modules} | {""}
    return any(b"numpy" in file.content for file in files) or any(
        _ANYTHING.search(text) or not known.issuperset(_imported(text))
        for text in (source, *(file.content for file in modules))
    )


def _imported(source: bytes) -> Iterator[str]:
    """The first names of what is imported; in prose, some words more."""
    for place, several in _IMPORTS.findall(source):
        for path in (place or several).split(b","):
            if not _WITHOUT.match(path.strip()):
                yield path.strip().partition(b".")[0].partition(b" ")[0].decode("utf-8", "replace")
