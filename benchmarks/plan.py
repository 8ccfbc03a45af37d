"""What a league of many bots costs before its first game: seconds and memory, all pairs and a sample of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.league import RANDOM_BOT, in_a_child
from league.events import Observer
from league.loop import LeagueRun
from league.setup.config import parse
from league.values.block import BlockResult
from league.values.settings import Stop

CONFIGS = {"all pairs": "", "20 opponents": ", opponents: 20"}


class FirstBlock(Observer):
    """Is notified of a run, and wants it to stop after the first block."""

    def __init__(self) -> None:
        self.started = perf_counter()
        self.seconds = 0.0

    def played(self, result: BlockResult) -> None:
        self.seconds = self.seconds or perf_counter() - self.started


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    for bots in (100, 1000, 3000):
        for what, keys in CONFIGS.items():
            with TemporaryDirectory() as folder:
                _write(Path(folder), bots)
                child = in_a_child(partial(_first_block, Path(folder), keys))
                size = (Path(folder) / "bench" / "league.db").stat().st_size / 1e6
            aim = "(aim 30 s)" if bots == 3000 else ""
            figure = f"{child.seconds:.1f} s {aim}".strip()
            yield {"bots": f"{bots:,}, {what}", "first block": figure, "MB": child.peak_mb, "database MB": size}


def _write(folder: Path, bots: int) -> None:
    (folder / "bots").mkdir()
    for number in range(bots):
        (folder / "bots" / f"bot_{number:04}.py").write_text(RANDOM_BOT)


def _first_block(folder: Path, keys: str) -> None:
    """From reading the bots to the first block that is safe."""
    text = f"league: bench\nbots: bots\ngames: [{{game: raj, deals: 100{keys}}}]\n"
    first = FirstBlock()
    with LeagueRun(parse(text, folder), folder, workers=1, observer=first) as league:
        league.check_bots()
        league.play(Stop(games=100), stopping=lambda: first.seconds > 0)
