"""What sittings and deals of their own save: leagues of many bots, and leagues that should cost what they did.

`BASE=PATH python -m benchmarks sittings` also plays the leagues with another checkout, that of an older version, in
turns with this one; without it there is nothing to compare with, and only the other rows are printed. All figures are
processor time, with all processes of bots and workers, so a busy machine changes them little.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.league import RANDOM_BOT
from league.api.run import LeagueRun
from league.results.standings import Standings
from league.results.store import Store
from league.setup.config import parse
from league.setup.roster import scan

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
ADAPTIVE: Job = {"bots": 1000, "deals": 10_000}
ADAPTIVE_GAMES = 8000, 80_000
"""That the older version and this one play: about what each plays in the first minute or two."""
WIDTHS = {
    "raj-2p": ("raj_nearest raj_habits raj_memory random", 12),
    "raj-3p": ("raj_nearest raj_habits raj_memory random", 12),
    "braverats-2p": ("rats_average rats_mixed rats_prince random", 6),
    "cheese_rescue-2p": ("cheese_chain cheese_greedy cheese_patient random", 3),
    "cheese_rescue-3p": ("cheese_chain cheese_greedy cheese_patient random", 3),
    "magillat-3p": ("tale_collector tale_envy tale_habits tale_mixed random", 12),
}
"""Contests, the bots that play them, and how many leagues, for the width of intervals."""
WIDTH_DEALS = 32


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
    for contest in WIDTHS:
        shared, own = (_width(contest, own_deals=own_deals) for own_deals in (False, True))
        what = f"games for the same interval, shared and own deals: {contest}"
        yield _row(what, f"width {shared:.2f}", f"width {own:.2f}", (own / shared) ** 2, "")


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
    """Games of an adaptive league of 1,000 bots in the same processor time, in its first minutes."""
    each = []
    for checkout, games in zip((base, HERE), ADAPTIVE_GAMES, strict=True):
        more = f"schedule: adaptive\nsettle: {{order: all}}\nstop: {{games: {games}}}"
        spent = _spent(checkout, {**ADAPTIVE, "more": more})
        each.append(1000 * spent["processor"] / spent["games"])
    before, now = each
    what = "1,000 bots, adaptive: games in the same time"
    return _row(what, f"{before:.2f} ms a game", f"{now:.2f} ms a game", before / now, "at least 5.00")


def _width(contest: str, *, own_deals: bool) -> float:
    """The mean width of the bots' intervals, over some leagues."""
    names, leagues = WIDTHS[contest]
    game, _, players = contest.removesuffix("p").rpartition("-")
    bots = ", ".join(str(HERE / "bots" / f"{name}.py") for name in names.split())
    widths = []
    for seed in range(leagues):
        games = f"games: [{{game: {game}, players: {players}, deals: {WIDTH_DEALS}}}]"
        text = f"league: bench\nseed: {seed}\nbots: [{bots}]\nisolation: trusted\n{games}\n"
        with TemporaryDirectory() as name:
            folder = Path(name)
            config = parse(text, folder)
            with Store.create(folder / config.name) as store:
                store.begin(config, scan(config.bots, config.base).bots, own_deals=own_deals)
            with LeagueRun(config, folder, workers=2) as league:
                league.play()
            with Store.open(folder / config.name) as store:
                lines = Standings.of(store).overall
        widths += [line.high - line.low for line in lines]
    return sum(widths) / len(widths)
