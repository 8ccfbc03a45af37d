"""Run the sections of the benchmark, all or those that are named."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module

SECTIONS = {
    "league": "what a league costs beyond its games",
    "games": "microseconds for one decision of a random bot, and how much of it the rules take",
}
"""Name of the module in this package, and what it measures. `run()` yields rows: dicts with the same keys."""


def table(rows: Iterable[dict[str, object]]) -> Iterable[str]:
    """Rows as lines of text: words to the left, numbers to the right, columns as wide as they need."""
    found = [{name: _cell(value) for name, value in row.items()} for row in rows]
    names = list(found[0]) if found else []
    width = {name: max(len(name), *(len(row[name]) for row in found)) for name in names}
    for row in ({name: name for name in names}, *found):
        first, *others = names
        yield "  ".join([f"{row[first]:<{width[first]}}", *(f"{row[name]:>{width[name]}}" for name in others)])


def _cell(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def main(wanted: list[str]) -> int:
    """Run the sections that are wanted, all if none is named; 2 if there is no such section."""
    unknown = [name for name in wanted if name not in SECTIONS]
    if unknown:
        print(f"There is no section {unknown[0]!r}; the sections are {', '.join(SECTIONS)}.", file=sys.stderr)
        return 2
    for name in wanted or SECTIONS:
        print(f"\n{name}: {SECTIONS[name]}")
        for line in table(import_module(f"benchmarks.{name}").run()):
            print(f"  {line}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
