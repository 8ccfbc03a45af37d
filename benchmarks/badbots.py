"""How much one bad bot slows down the games among the others: six honest bots and a bad one, beside seven honest ones.

The bad bots are as bad as the limits allow. Most of them are never at fault. The league of seven honest ones is played
at first, in the middle and at last: if these differ, other programs were busy, and the figures mean little.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.league import RANDOM_BOT
from league.events import Observer
from league.loop import LeagueRun
from league.setup.config import parse
from league.values.block import BlockResult

HONEST = 6
DEALS = 1000
BAD = "bad"
BURN = "end = time.process_time() + {}\n{indent}while time.process_time() < end: pass\n{indent}"
BOTS = {
    "burns 90 ms a decision": ("", BURN.format(0.09, indent=8 * " ")),
    "sleeps 240 ms a decision": ("", "time.sleep(0.24)\n        "),
    "burns 4.5 s at import": (BURN.format(4.5, indent=""), ""),
    "allocates 480 MB each match": ("", "if not hasattr(self, 'size'): self.size = len(b'x' * (480 << 20))\n        "),
    "loops for ever": ("", "while True: pass\n        "),
    "sleeps for ever": ("", "time.sleep(1e9)\n        "),
    "holds 480 MB": ("HELD = b'x' * (480 << 20)\n", ""),
}
"""What a bot does when it is imported, and in each decision."""
ONLY_SLOW = ("burns 90 ms a decision", "allocates 480 MB each match")
"""Those that do nothing but decide slowly."""


class Stopwatch(Observer):
    """Stops the league as soon as the honest bots have played all games among themselves."""

    def __init__(self) -> None:
        self.missing = HONEST * (HONEST - 1) * DEALS
        self.seconds = 0.0
        self._started = perf_counter()

    def played(self, result: BlockResult) -> None:
        if all(entrant.name != BAD for entrant in result.block.series.lineup):
            self.missing -= result.block.games
            self.seconds = perf_counter() - self._started

    def done(self) -> bool:
        """Whether they have."""
        return self.missing == 0


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    names = list(BOTS)
    middle = len(names) // 2
    usual: list[float] = []
    seconds: dict[str, float] = {}
    for number, name in enumerate(names):
        if number in (0, middle):
            usual.append(_seconds("", ""))
        seconds[name] = _seconds(*BOTS[name])
    usual.append(_seconds("", ""))
    for when, taken in zip(("at first", "in the middle", "at last"), usual, strict=True):
        yield _row(f"honest, {when}", taken, taken / mean(usual), "")
    for name, taken in seconds.items():
        yield _row(name, taken, taken / mean(usual), "at most 1.50" if name in ONLY_SLOW else "at most 2.00")


def _row(seventh: str, seconds: float, ratio: float, aim: str) -> dict[str, object]:
    return {"the seventh bot": seventh, "seconds for the others": seconds, "times slower": ratio, "aim": aim}


def _seconds(at_import: str, in_choose: str) -> float:
    """Until six bots have played all games among themselves beside a seventh that is like this."""
    source = RANDOM_BOT.replace("        return", f"        {in_choose}return")
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bots").mkdir()
        for number in range(HONEST):
            (folder / "bots" / f"bot_{number}.py").write_text(RANDOM_BOT)
        (folder / "bots" / f"{BAD}.py").write_text(f"import time\n{at_import}\n{source}")
        text = f"league: bench\nseed: 1\nbots: bots\ngames: [{{game: raj, players: 2, deals: {DEALS}}}]\n"
        stopwatch = Stopwatch()
        with LeagueRun(parse(text, folder), folder, workers=2, observer=stopwatch) as league:
            league.play(stopping=stopwatch.done)
        return stopwatch.seconds
