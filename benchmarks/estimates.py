"""Whether a run knows before its first game how long its first round takes.

`python -m benchmarks estimates` makes a class of copies of shipped bots, plays the first round of configs/class.yaml
with them, and prints what was estimated before beside what it took. `CLASS_BOTS=40` is the number of bots.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from league.api.forecast import Forecast, forecast
from league.loop import LeagueRun
from league.setup.config import load
from league.values.settings import Stop

BOTS = int(os.environ.get("CLASS_BOTS", "40"))
ROOT = Path(__file__).parent.parent
SHIPPED = ("random", "stubborn", "raj_nearest", "raj_habits", "rats_mixed", "cheese_greedy", "tale_mixed")
"""Those that are copied."""


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    with TemporaryDirectory() as folder:
        config = load(class_config(Path(folder), BOTS))
        with LeagueRun(config, Path(folder) / "results", read_only=True) as planned:
            started = monotonic()
            foreseen = forecast(planned)
            trial = monotonic() - started
        with LeagueRun(config, Path(folder) / "results") as played:
            played.check_bots()
            summary = played.play(Stop(rounds=1))
        yield _row(foreseen, trial, summary.games, summary.seconds)


def _row(foreseen: Forecast, trial: float, games: int, seconds: float) -> dict[str, object]:
    expected = foreseen.rounds[0].expected
    return {
        "bots": BOTS,
        "games": games,
        "trial, s": trial,
        "estimate, s": f"{expected.low:.0f} to {expected.high:.0f}",
        "likely, s": expected.likely,
        "took, s": seconds,
        "took / likely": seconds / expected.likely,
    }


def class_config(folder: Path, bots: int) -> Path:
    """The config of a class with so many bots: those that configs/class.yaml names, and copies of shipped ones."""
    text = (ROOT / "configs" / "class.yaml").read_text(encoding="utf-8")
    named = text.count("  - ../bots/") - 1
    (folder / "students").mkdir()
    for number, name in enumerate(islice(cycle(SHIPPED), bots - named)):
        source = (ROOT / "bots" / f"{name}.py").read_text(encoding="utf-8")
        (folder / "students" / f"s{number:02}_{name}.py").write_text(f"{source}\n# {number}\n", encoding="utf-8")
    text = text.replace("../bots/_class", str(folder / "students")).replace("../bots/", f"{ROOT / 'bots'}/")
    path = folder / "class.yaml"
    path.write_text(text, encoding="utf-8")
    return path
