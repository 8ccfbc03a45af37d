"""Whether a bot may load numpy, as far as its text tells: a process that has numpy takes longer to fork.

Both kinds of process can load what the other has. A wrong guess costs time, but changes no result of an honest bot.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import lru_cache

_IMPORTS = re.compile(rb"\bfrom\s+([\w.]+)\s+import\b|\bimport\s+([^\n;#]+)")
_KNOWN = sys.stdlib_module_names | {"league", ""}


@lru_cache(maxsize=4096)
def may_load_numpy(sources: tuple[bytes, ...], own: tuple[str, ...] = ()) -> bool:
    """Whether any of the sources names numpy, or another package, which may load it; `own` are the bot's modules."""
    known = _KNOWN | {*own}
    return any(b"numpy" in source or not known.issuperset(_imported(source)) for source in sources)


def _imported(source: bytes) -> Iterator[str]:
    """The first names of what is imported; in prose, some words more."""
    for place, several in _IMPORTS.findall(source):
        for path in (place or several).split(b","):
            yield path.strip().partition(b".")[0].partition(b" ")[0].decode("utf-8", "replace")
