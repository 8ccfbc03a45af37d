"""Leagues whose standings must stay as they are, to the last byte, whatever is rebuilt inside.

`python -m tests.pins` plays them and writes their CSV files again, a folder for each below `tests/pins/`. Read the
difference before you commit it: it is what users will notice. Games, and so most of these figures, may change only
where a rule, a bot or the mathematics of ratings was changed on purpose.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

from tests.commands import WITHOUT_PAGE, command
from tests.leagues import CHANCE, DICE, FIRST, LAST, LEARNER
from tests.play.real_league import RESULTS, RealLeague

FOLDER = Path(__file__).parent
SHIPPED = Path(__file__).parents[2] / "bots"
RAISES = DICE.replace("return", "if self.rng.random() < 0.1: raise ValueError('out of luck')\n        return")
CHEATS = FIRST.replace("view.legal[0]", "len(view.legal) * 1000")
LOOPS = FIRST.replace("return view.legal[0]", "while True: pass")
UNLOADABLE = "raise RuntimeError('not today')\n"
MORTAL = """
import os
import signal

class Bot:
    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        if self.rng.random() < 0.1:
            self.obey()
        return self.rng.choice(view.legal)

    def obey(self):
        try:
            order = min(name for name in os.listdir(".") if name.startswith("kill-"))
            os.unlink(order)
        except (OSError, ValueError):
            return
        os.kill(os.getpid() if "worker" in order else os.getppid(), signal.SIGKILL)
"""
"""Kills the process that plays, or the one that runs the league, where a file in the current folder orders it."""
TEXTS = {"chance": CHANCE, "dice": DICE, "first": FIRST, "last": LAST, "learner": LEARNER}


def shipped(*names: str) -> dict[str, str]:
    """The texts of bots of the project, by name."""
    return {name: (SHIPPED / f"{name}.py").read_text(encoding="utf-8") for name in names}


def run(league: RealLeague, *options: str) -> None:
    """Play a league, or what is missing of it."""
    league.run_in_a_copy("--quiet", *options)


def in_one_go(league: RealLeague) -> None:
    """One worker plays it all."""
    run(league, "--workers", "1")


def by_two_workers(league: RealLeague) -> None:
    """Two workers share it."""
    run(league, "--workers", "2")


def in_sandboxes(league: RealLeague) -> None:
    """Bots are confined by the kernel, or in processes of their own where it cannot do that."""
    run(league, "--workers", "2", "--isolation", "sandbox")


def stopped_and_resumed(league: RealLeague) -> None:
    """It ends early some times, at other places in a round each time."""
    for games in (17, 40, 3):
        run(league, "--workers", "1", "--games", str(games))
    run(league, "--workers", "2")


def with_workers_killed(league: RealLeague) -> None:
    """Some worker processes are killed while they play; the run goes on without them. A third one would be too many."""
    for at in range(2):
        (league.folder / f"kill-worker-{at}").touch()
    run(league, "--workers", "2")
    assert not [*league.folder.glob("kill-*")]


def with_runs_killed(league: RealLeague) -> None:
    """The process that runs the league is killed, and started again."""
    for at in range(3):
        (league.folder / f"kill-run-{at}").touch()
        with chdir(league.folder):
            ended = command(["run", "config.yaml", "--quiet", "--workers", "2"], before=WITHOUT_PAGE)
        assert ended.returncode == -signal.SIGKILL, ended.stderr
    run(league, "--workers", "2")
    assert not [*league.folder.glob("kill-*")]


class Pin(NamedTuple):
    """A league, and how it is played."""

    config: str
    bots: dict[str, str]
    how: Callable[[RealLeague], None] = in_one_go
    like: str = ""
    """The pin with the same standings; its own if it is left out."""


ALL_GAMES = """\
games:
  - {game: raj, deals: 6}
  - {game: braverats, deals: 8, games_per_match: 4}
  - {game: cheese_rescue, deals: 2}
  - {game: magillat, deals: 4}
"""
FIELD = {
    "mortal": MORTAL,
    **shipped("random", "stubborn", "raj_habits", "rats_average", "cheese_greedy", "tale_habits"),
}
ADAPTIVE = """\
games: [{game: raj, deals: 8}, {game: braverats, deals: 8}]
schedule: adaptive
settle: {places: 2}
"""
STRONG = {"dice": DICE, "first": FIRST, "last": LAST, **shipped("raj_nearest", "rats_prince")}
SIX = {**TEXTS, "raises": RAISES}

PINS = {
    "all-games": Pin(ALL_GAMES, FIELD),
    "two-workers": Pin(ALL_GAMES, FIELD, by_two_workers, like="all-games"),
    "sandboxed": Pin(ALL_GAMES, FIELD, in_sandboxes, like="all-games"),
    "resumed": Pin(ALL_GAMES, FIELD, stopped_and_resumed, like="all-games"),
    "killed-workers": Pin(ALL_GAMES, FIELD, with_workers_killed, like="all-games"),
    "killed-runs": Pin(ALL_GAMES, FIELD, with_runs_killed, like="all-games"),
    "sample": Pin(
        "games:\n"
        "  - {game: raj, players: 3, deals: 4, max_lineups: 8}\n"
        "  - {game: magillat, players: 4, deals: 2, opponents: 4}\n"
        "  - {game: braverats, deals: 4, opponents: 3}\n",
        {**SIX, **shipped("random", "stubborn")},
    ),
    "adaptive": Pin(ADAPTIVE, STRONG),
    "adaptive-resumed": Pin(ADAPTIVE, STRONG, stopped_and_resumed, like="adaptive"),
    "gauntlet": Pin(
        "games: [{game: raj, players: [2, 3], deals: 6}, {game: cheese_rescue, players: 3, deals: 2}]\n"
        "schedule: {gauntlet: learner}\n",
        SIX,
    ),
    "points": Pin(
        "games:\n"
        "  - {game: raj, players: [2, 3], deals: 8, count: points}\n"
        "  - {game: magillat, deals: 4, count: points}\n"
        "  - {game: braverats, deals: 4, options: {mime: true}}\n",
        SIX,
    ),
    "matches": Pin(
        "games:\n"
        "  - {game: braverats, deals: 16, games_per_match: 4, count: match}\n"
        "  - {game: raj, players: 3, deals: 6, games_per_match: 3, count: match}\n",
        SIX,
    ),
    "anchors": Pin(
        "games: [{game: raj, deals: 10}, {game: braverats, deals: 10}]\n"
        "anchors: {random: 25.0, stubborn: 21.5}\nrating: {sigma: auto}\n",
        {**SIX, **shipped("random", "stubborn")},
    ),
    "milestones": Pin(
        "games: [{game: raj, deals: 20}, {game: braverats, deals: 10}]\n"
        "milestones:\n"
        "  - {bot: stubborn, title: A start, points: 20}\n"
        "  - {bot: random, points: 30, margin: 1}\n"
        "  - {bot: raj_nearest, game: raj, points: 50}\n"
        "rating: {mode: online}\nmoves: none\n",
        {**TEXTS, **shipped("random", "stubborn", "raj_nearest")},
    ),
    "bad-bots": Pin(
        "games:\n"
        "  - {game: raj, deals: 2, games_per_match: 2}\n"
        "  - {game: magillat, players: 4, deals: 2, games_per_match: 2}\n"
        "limits: {move_ms: 50, max_faults: 2}\n",
        {"cheats": CHEATS, "dice": DICE, "loops": LOOPS, "raises": RAISES, "unloadable": UNLOADABLE},
        in_sandboxes,
    ),
    "copies": Pin(
        "games:\n"
        "  - {game: magillat, players: 4, deals: 6, fill: random}\n"
        "  - {game: raj, players: 5, deals: 4, fill: dice}\n",
        {"dice": DICE, "learner": LEARNER, "raises": RAISES},
    ),
}


def played(name: str, folder: Path) -> dict[str, str]:
    """The CSV files of a pinned league, which is played in this folder."""
    pin = PINS[name]
    league = RealLeague(
        folder, f"league: small\nseed: 2026\nbots: bots\nisolation: trusted\n{pin.config}", pin.bots, WITHOUT_PAGE
    )
    pin.how(league)
    return texts(folder / RESULTS)


def stored(name: str) -> dict[str, str]:
    """Its CSV files as they are to be."""
    return texts(FOLDER / (PINS[name].like or name))


def texts(folder: Path) -> dict[str, str]:
    """The CSV files of a folder, by name."""
    return {path.name: path.read_bytes().decode() for path in sorted(folder.glob("*.csv"))}
