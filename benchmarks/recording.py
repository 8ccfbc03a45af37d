"""What it costs to keep the moves of games, in instructions of the processor.

Timings of the same games with moves and without differ by more than what is to be measured. Instructions do not depend
on what else the machine does. Valgrind counts those of a worker whose trusted bots choose at random: it plays some
sittings or just one, and the difference is that of playing alone. The same is done by a worker that keeps no moves.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import product
from shutil import which

from benchmarks.moves import TABLES, bots_of
from league import games
from league.play.worker import Team, Worker
from league.tools.system import cores
from league.values.block import Block, Series, Sitting
from league.values.settings import Contest, Isolation, Limits

GAMES = 128
"""In a sitting."""
SITTINGS = 16
"""Many, since what is counted before them, such as imports, varies a little."""


def run() -> Iterator[dict[str, object]]:
    """One row for each game and table size."""
    if not which("valgrind"):
        sys.exit("Expected valgrind, which counts instructions; it is not installed here.")
    with ThreadPoolExecutor(cores()) as executor:
        for game, players in TABLES:
            ways = [*product((False, True), (1, SITTINGS))]
            counts = [*executor.map(lambda way, of=(game, players): _instructions(*of, *way), ways)]
            without, kept = ((all_ - one) / GAMES / (SITTINGS - 1) for one, all_ in (counts[:2], counts[2:]))
            yield {
                "contest": f"{game}-{players}p",
                "instructions a game": round(without),
                "with moves": round(kept),
                "more, in %": 100 * (kept / without - 1),
            }


def _instructions(game: str, players: int, keep_moves: bool, sittings: int) -> int:
    """Of a process that plays some sittings."""
    code = f"from benchmarks.recording import play; play({game!r}, {players}, {keep_moves}, {sittings})"
    counting = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={os.devnull}"]
    ended = subprocess.run(
        [*counting, sys.executable, "-c", code],
        check=True, capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": "0"},
    )  # fmt: skip
    return int(re.findall(r"I +refs: +([0-9,]+)", ended.stderr)[0].replace(",", ""))


def play(game: str, players: int, keep_moves: bool, sittings: int) -> None:
    """Play sittings of random bots."""
    bots = bots_of(["random"] * players)
    lineup = tuple(bot.entrant() for bot in bots)
    series = Series(Contest.of(games.make(game, players)), lineup, 0, 1, Limits())
    with closing(Worker(Team(tuple(bots), Isolation.TRUSTED, Limits(), keep_moves=keep_moves))) as worker:
        for _ in range(sittings):
            worker.play_sitting(Sitting((Block(series, 0, GAMES),)))
