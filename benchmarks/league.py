"""What a league costs beyond its games: schedule, lockstep, store, workers, memory, resuming."""

from __future__ import annotations

import multiprocessing
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from league.games.raj import Raj
from league.games.raj.rules import RajView
from league.loop import LeagueRun
from league.results.export import frames, write
from league.results.find import Query, find_columns, top
from league.results.store import Store
from league.setup.config import parse

RANDOM_BOT = """
class Bot:
    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        return self.rng.choice(view.legal)
"""
ROUNDS = 3
DECISIONS_OF_RAJ = 30


class Bot:
    """The same random bot, without a league around it."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def choose(self, view: RajView) -> int:
        return self.rng.choice(view.legal)


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    yield from _overhead()
    yield from _speed_up()
    yield from _scale()


def _overhead() -> Iterator[dict[str, object]]:
    games = 20_480
    bare, league = _best(lambda: _bare(games), lambda: _league("raj", games, workers=1))
    yield _row("Raj, random bots: bare game loop", f"{1e6 * bare / games / DECISIONS_OF_RAJ:.2f} µs a decision", "")
    figure = f"{1e6 * league / games / DECISIONS_OF_RAJ:.2f} µs a decision"
    yield _row("  in a league: schedule, play, store", figure, f"{league / bare:.2f} of the bare loop (aim 1.3)")


def _speed_up() -> Iterator[dict[str, object]]:
    games = 61_440
    one, two = _best(lambda: _league("raj", games, workers=1), lambda: _league("raj", games, workers=2))
    figure = f"{games / one:,.0f} and {games / two:,.0f} games/s"
    yield _row("1 worker and 2 workers", figure, f"{one / two:.2f} times (aim 1.8)")


def _scale() -> Iterator[dict[str, object]]:
    with TemporaryDirectory() as folder:
        small = in_a_child(lambda: _play(Path(folder) / "small", "braverats", 100_000, workers=2))
        large = in_a_child(lambda: _play(Path(folder) / "large", "braverats", 1_000_000, workers=2))
        again = in_a_child(lambda: _play(Path(folder) / "large", "braverats", 1_000_000, workers=2))
        size = (Path(folder) / "large" / "bench" / "league.db").stat().st_size / 1e6
        worst = in_a_child(lambda: _find(Path(folder) / "large" / "bench"))
        little = in_a_child(lambda: _export(Path(folder) / "small" / "bench"))
        much = in_a_child(lambda: _export(Path(folder) / "large" / "bench"))
    ratio = f"{large.peak_mb / small.peak_mb:.2f} (aim 1.1)"
    yield _row("memory at its peak, 10^5 and 10^6 games", f"{small.peak_mb:.0f} and {large.peak_mb:.0f} MB", ratio)
    yield _row("database of 10^6 games", f"{size:.1f} MB, {size:.1f} bytes a game", "(aim 8 MB)")
    yield _row("finding the 10 worst games of a bot among 10^6", f"{worst.seconds:.2f} s", "(aim 3 s)")
    ratio = f"{much.peak_mb / little.peak_mb:.2f} of the memory of 10^5 (aim 1.1)"
    yield _row("exporting 10^6 games as CSV", f"{much.seconds:.1f} s, {much.peak_mb:.0f} MB", ratio)
    yield _row("resuming when all 10^6 games are there", f"{again.seconds:.2f} s", "(aim 2 s)")


def _row(what: str, figure: str, ratio: str) -> dict[str, object]:
    return {"what": what, "figure": figure, "ratio": ratio}


def _best(*jobs: Callable[[], None]) -> list[float]:
    """The best time of each job, taken in turns so that a busy moment of the machine hits them alike."""
    best = [float("inf")] * len(jobs)
    for _ in range(ROUNDS):
        for at, job in enumerate(jobs):
            started = perf_counter()
            job()
            best[at] = min(best[at], perf_counter() - started)
    return best


def _bare(games: int) -> None:
    game = Raj(2)
    for number in range(games):
        state = game.start(game.deal(Random(number)))
        bots = [Bot(Random(2 * number)), Bot(Random(2 * number + 1))]
        while state.turn:
            state.step([bots[seat].choose(state.view(seat)) for seat in state.turn])
        state.outcome()


def _league(game: str, games: int, workers: int) -> None:
    with TemporaryDirectory() as folder:
        _play(Path(folder), game, games, workers)


def _play(folder: Path, game: str, games: int, workers: int) -> None:
    bots = folder / "bots"
    bots.mkdir(parents=True, exist_ok=True)
    for name in ("ann", "bob"):
        (bots / f"{name}.py").write_text(RANDOM_BOT)
    text = f"league: bench\nbots: bots\nisolation: trusted\ngames: [{{game: {game}, deals: {games // 2}}}]\n"
    with LeagueRun(parse(text, folder), folder, workers=workers) as league:
        league.play()


def _find(folder: Path) -> None:
    with Store.open(folder) as store:
        assert len(top(store, Query("ann"), "worst", 10)) == 10


def _export(folder: Path) -> None:
    with Store.open(folder) as store:
        write(folder / "games.csv", frames(find_columns(store)))


class Child:
    """How long a job took in a process of its own, with all that it started, and the memory of one at its peak."""

    def __init__(self, seconds: float, processor: float, peak_mb: float) -> None:
        self.seconds = seconds
        self.processor = processor
        """Seconds of processor time."""
        self.peak_mb = peak_mb


def in_a_child(job: Callable[[], None]) -> Child:
    """Run a job in a process of its own."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()

    def work() -> None:
        started = perf_counter()
        job()
        passed = perf_counter() - started
        unit = 1 if sys.platform == "darwin" else 1024
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        processor = sum(usage.ru_utime + usage.ru_stime for usage in used)
        theirs.send((passed, processor, unit * max(usage.ru_maxrss for usage in used) / 1e6))

    process = context.Process(target=work)
    process.start()
    child = Child(*ours.recv())
    process.join()
    return child
