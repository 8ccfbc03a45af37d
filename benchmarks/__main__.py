"""Run the sections of the benchmark, all or those that are named; with MARKDOWN=1, as tables for a page."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from league.tools.table import Table

SECTIONS = {
    "adaptive": "games that an adaptive schedule needs, as a part of what a round robin needs, in simulated leagues",
    "agents": "what learners pay: the example net one by one and at once, and environments beside the bare rules",
    "badbots": "how much one bad bot slows down the games among six others, beside seven honest ones",
    "cluster": "blocks that the coordinator of a cluster hands out, takes in and commits in a second",
    "environments": "games of PettingZoo's environments, beside an older checkout (BASE=PATH)",
    "exploit": "processor time of `league solve GAME BOT` in the sandbox, for bots that draw",
    "export": "how quickly decisions are written from stored moves, for each game and format",
    "field": "processor time of other tools of the field for the nearest work, in microseconds and beside League's",
    "games": "microseconds for one decision of a random bot, and how much of it the rules take; and playouts",
    "isolation": "microseconds for one decision of Raj at each level of isolation",
    "league": "what a league costs beyond its games",
    "million": "a million stored games: counting, standings, searching, resuming, and the size of the database",
    "moves": "bytes that the moves of a game take, and how quickly they are read as rows of an export",
    "page": "seconds to make the standings page, and its size",
    "perfect": "the perfect player of BraveRats against every shipped bot",
    "plan": "seconds to the first block of a league of many sandboxed bots, memory at its peak, and the database",
    "pool": "seconds of processor time for the standings of many bots, part by part",
    "ratings": "order-free ratings from tallies against the trueskill package on a sample of the same games",
    "readers": "live readers of a league that is being played (READERS=50 SECONDS=60): pages, news, processor, memory",
    "sittings": "leagues of many bots beside an older checkout (BASE=PATH), sandboxed and trusted, and own deals",
    "solve": "seconds and memory to solve BraveRats outright",
    "starts": "processor time to start a bot, and of leagues of 50 bots in which that is nearly all",
    "waiting": "decisions a second of a program that waits 300 ms for each, by how many it waits for at once",
}
"""Name of the module in this package, and what it measures. `run()` yields rows: dicts with the same keys."""
ON_REQUEST = {
    "arena": "an arena under load: hand-ins of 300 authors, 1,000 live readers, 500 slow connections",
    "duels": "the searcher against every other shipped bot at every table size",
    "ladder": "the milestones of each game: how far each is ahead of the one before (SECONDS=100 for each game)",
    "budgets": "how long runs with a budget take, with a program that sleeps",
    "estimates": "how long the first round of a class takes, beside what a run says before",
    "efforts": "the strength of the searcher by how much it searches",
    "truth": "whether intervals, orders and chances of real leagues are as right as they say (FULL=1: as documented)",
    "similar": "ranks of five planted copies among the pairs of 40 bots, and of honest ones (GAME=raj or braverats)",
    "widths": "widths of printed intervals with own deals beside shared ones, by the number of deals",
    "strategy": "the figures of docs/strategy.md, and its charts",
}
"""Those that take long, and are run only if they are named."""


def _cell(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def main(wanted: list[str]) -> int:
    """Run the sections that are wanted, all quick ones if none is named; 2 if there is no such section."""
    known = SECTIONS | ON_REQUEST
    unknown = [name for name in wanted if name not in known]
    if unknown:
        print(f"There is no section {unknown[0]!r}; the sections are {', '.join(known)}.", file=sys.stderr)
        return 2
    for name in wanted or SECTIONS:
        print(f"\n{name}: {known[name]}")
        rows = [{key: _cell(value) for key, value in row.items()} for row in import_module(f"benchmarks.{name}").run()]
        first, *others = rows[0]
        if os.environ.get("MARKDOWN"):
            lines = [rows[0].keys(), ["---"] * len(rows[0]), *(row.values() for row in rows)]
            print("\n".join(f"| {' | '.join(line)} |" for line in lines), flush=True)
            continue
        print(Table.of([first, *others], [list(row.values()) for row in rows], others).text(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
