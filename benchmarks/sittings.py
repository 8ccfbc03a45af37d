"""What sittings and deals of their own save: leagues of many bots, and leagues that should cost what they did.

`BASE=PATH python -m benchmarks sittings` also plays the leagues with another checkout, that of an older version, in
turns with this one; without it there is nothing to compare with, and only the other rows are printed. All figures are
processor time, with all processes of bots and workers, unless they are said to be games or seconds of a clock.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import combinations
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.league import RANDOM_BOT
from league import games
from league.play.worker import Team, Worker
from league.rating.table import Floats
from league.results.games import games_of
from league.setup.roster import scan
from league.tools.seeds import stretched
from league.values.block import Block, BlockResult, Series
from league.values.settings import Contest, Isolation, Limits

HERE = Path(__file__).resolve().parents[1]
BASE = os.environ.get("BASE")
TIMES = 3
"""How often leagues are played that should cost the same, in turns; the median counts."""
Job = dict[str, object]
MANY: dict[str, tuple[Job, int, str]] = {
    "50 bots, 8 deals": ({"bots": 50, "deals": 8}, 1, "at most 0.25"),
    "100 bots, a round of 2 deals": ({"bots": 100, "deals": 2}, 1, "at most 0.20"),
    "2 bots, 4,000 deals": ({"bots": 2, "deals": 4000}, TIMES, "0.97 to 1.03"),
    "30 bots, 8 deals, trusted": ({"bots": 30, "deals": 8, "isolation": "trusted"}, TIMES, "0.97 to 1.03"),
    "4 slow bots (5 ms a decision), 2 deals": ({"bots": 4, "deals": 2, "burn": 0.005}, TIMES, "0.97 to 1.03"),
}
"""Leagues that are played with both versions: what `play_league` is told, how often, and the aim."""
ADAPTIVE_SECONDS = int(os.environ.get("ADAPTIVE_SECONDS", "75"))
"""That an adaptive league is played; 600 for the first ten minutes."""
DEALS = {
    "raj-2p": ("raj_nearest raj_habits raj_memory random", 400),
    "raj-3p": ("raj_nearest raj_habits raj_memory random", 400),
    "braverats-2p": ("rats_average rats_mixed rats_prince random", 200),
    "cheese_rescue-2p": ("cheese_greedy cheese_patient random", 400),
    "cheese_rescue-3p": ("cheese_chain cheese_greedy cheese_patient random", 100),
    "magillat-3p": ("tale_collector tale_envy tale_habits tale_mixed random", 400),
}
"""Contests, the bots that play them, and how many deals of each lineup."""
SHIFTS = 8


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    if BASE:
        for what, (job, times, aim) in MANY.items():
            before, now = _both(job, times)
            each = [1000 * spent["processor"] / spent["games"] for spent in (before, now)]
            yield _row(what, f"{each[0]:.2f} ms a game", f"{each[1]:.2f} ms a game", each[1] / each[0], aim)
        yield _whole_command()
        yield _adaptive(Path(BASE))
    sandboxed, trusted = (_least({"bots": 30, "deals": 8, "isolation": level}) for level in ("sandbox", "trusted"))
    what = "30 bots, 8 deals: trusted, sandboxed"
    yield _row(what, f"{trusted:.1f} s", f"{sandboxed:.1f} s", sandboxed / trusted, "at most 2.00")
    for contest, (names, deals) in DEALS.items():
        ratio = _games_needed(contest, names.split(), deals)
        yield _row(f"games for intervals as wide, shared and own deals: {contest}", "1", f"{ratio:.2f}", ratio, "")


def _row(what: str, before: str, now: str, ratio: float, aim: str) -> dict[str, object]:
    return {"what": what, "before": before, "now": now, "ratio": ratio, "aim": aim}


def _both(job: Job, times: int) -> list[dict[str, float]]:
    """What a league costs in the other checkout and in this one: the medians of so many leagues in turns."""
    spent = [[_spent(checkout, job) for checkout in (Path(BASE or HERE), HERE)] for _ in range(times)]
    return [{key: median(one[side][key] for one in spent) for key in ("games", "processor")} for side in range(2)]


def _least(job: Job) -> float:
    return min(_spent(HERE, job)["processor"] for _ in range(2))


def _spent(checkout: Path, job: Job) -> dict[str, float]:
    """What playing a league costs in a checkout."""
    script = str(HERE / "benchmarks" / "play_league.py")
    done = _call(checkout, ["-P", script, json.dumps(job)], checkout)
    answer: dict[str, float] = json.loads(done.splitlines()[-1])
    return answer


def _call(checkout: Path, arguments: list[str], folder: Path) -> str:
    own = checkout / ".venv" / "bin" / "python"
    python = str(own) if own.exists() else sys.executable
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    done = subprocess.run(
        [python, *arguments], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def _whole_command() -> dict[str, object]:
    """The whole command, with checks of the bots, audit, standings and page."""
    spent = []
    for checkout in (Path(BASE or HERE), HERE):
        with TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "bots").mkdir()
            for number in range(50):
                (folder / "bots" / f"bot_{number:02}.py").write_text(RANDOM_BOT)
            (folder / "many.yaml").write_text("league: many\nseed: 1\nbots: bots\ngames: [{game: raj, deals: 8}]\n")
            before = os.times()
            _call(checkout, ["-P", "-m", "league", "run", "many.yaml", "--workers", "2", "--quiet"], folder)
            after = os.times()
        spent.append(sum(after[2:4]) - sum(before[2:4]))
    before_all, now_all = spent
    what = "50 bots, 8 deals, league run"
    return _row(what, f"{before_all:.1f} s", f"{now_all:.1f} s", now_all / before_all, "at most 0.25")


def _adaptive(base: Path) -> dict[str, object]:
    """Games of an adaptive league of 1,000 bots in its first minutes. Other programs should not be busy then."""
    each = []
    for checkout in (base, HERE):
        more = f"schedule: adaptive\nsettle: {{order: all}}\nstop: {{after: {ADAPTIVE_SECONDS}s}}"
        each.append(_spent(checkout, {"bots": 1000, "deals": 10_000, "more": more})["games"])
    before, now = each
    what = f"1,000 bots, adaptive, {ADAPTIVE_SECONDS} s"
    return _row(what, f"{before:,.0f} games", f"{now:,.0f} games", now / before, "at least 5.00")


def _games_needed(contest: str, names: list[str], deals: int) -> float:
    """How many games it takes with own deals to know a bot's score as well as with one game of shared deals.

    It is the variance of the bots' scores in leagues of two deals, own deals beside shared ones: the width of an
    interval is as its square root. All lineups play the same deals; as own deals, each lineup has other ones of them.
    """
    game, _, players = contest.removesuffix("p").rpartition("-")
    bots = scan([f"bots/{name}.py" for name in names], HERE).bots
    rules = Contest.of(games.make(game, int(players)))
    tables = []
    with closing(Worker(Team(bots, Isolation.TRUSTED, Limits()))) as worker:
        for lineup in combinations(sorted(bot.entrant() for bot in bots), int(players)):
            scores = np.zeros((deals, len(names)))
            for rotation in range(int(players)):
                series = Series(rules, lineup, rotation, stretched(1), Limits())
                _add(scores, worker.play(Block(series, 0, deals)), names)
            tables.append(scores.reshape(-1, 2, len(names)).sum(axis=1))
    shared = sum(tables).var(axis=0).sum()
    own = [
        sum(np.roll(table, (number + 1) * shift, axis=0) for number, table in enumerate(tables)).var(axis=0).sum()
        for shift in range(1, SHIFTS + 1)
    ]
    return float(np.mean(own) / shared)


def _add(scores: Floats, result: BlockResult, names: list[str]) -> None:
    """Add the place scores of every game, by deal and bot."""
    for deal, ranks in enumerate(games_of(result).ranks.tolist()):
        for entrant, rank in zip(result.block.series.lineup, ranks, strict=True):
            behind = sum((other > rank) + (other == rank) / 2 for other in ranks) - 0.5
            scores[deal, names.index(entrant.name)] += behind
