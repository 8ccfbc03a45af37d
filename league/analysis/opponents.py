"""Opponents for the two bots of a duel: the best ones that leagues on this machine have rated at that game."""

from __future__ import annotations

import csv
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from league.errors import RosterError
from league.setup.roster import RANDOM, Bot, find, told_apart
from league.tools.text import counted, listed, safe, shown_path
from league.values.settings import Contest, file_word

PREFIX = "standings-"
"""What the name of a contest's file of standings begins with."""


class Opponents(NamedTuple):
    """Bots for the other seats of a table."""

    bots: list[Bot]
    reason: str
    """Why these, in one sentence; empty if they were named."""


def strongest(contest: Contest, count: int, results: Path, bots_dir: str | Path, taken: Collection[str]) -> Opponents:
    """The best bots of a folder at a game, by the standings of leagues in `results`; `random` where there are too few.

    Standings of the same table size come first, then those of other sizes, the latest first.
    """
    found: dict[str, Bot] = {}
    places: dict[str, None] = {}
    for file in _standings(contest, results):
        for name in _names(file):
            if len(found) == count:
                break
            bot = _playing(name, contest, bots_dir)
            if bot is not None and name not in found and name not in taken:
                found[name] = bot
                places[shown_path(file.parent)] = None
    missing = count - len(found)
    bots = told_apart([*found.values(), *[find(RANDOM, bots_dir)] * missing], taken)
    if not found:
        reason = f"No league in {shown_path(results)} has rated other bots at {contest.game}, so random ones sit there"
    else:
        names = listed([safe(name) for name in found])
        filled = f", and {counted(missing, 'random bot')}" if missing else ""
        reason = f"The best others at {contest.game} in {listed([*places])} sit there: {names}{filled}"
    return Opponents(bots, f"{reason}.")


def _standings(contest: Contest, results: Path) -> list[Path]:
    """The files of standings of a game, those of the same contest first, then the latest first."""
    own = f"{PREFIX}{contest.key}.csv"
    files = results.glob(f"*/{PREFIX}{file_word(contest.game)}-*p.csv")
    sized = [file for file in files if file.stem.removeprefix(f"{PREFIX}{file_word(contest.game)}-")[:-1].isdigit()]
    return sorted(sized, key=lambda file: (file.name != own, -os.stat(file).st_mtime, file))


def _names(file: Path) -> Iterator[str]:
    """The bots of a file of standings that have played, the best first."""
    with file.open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            if row.get("bot") and row.get("games") not in (None, "0"):
                yield row["bot"]


def _playing(name: str, contest: Contest, bots_dir: str | Path) -> Bot | None:
    try:
        bot = find(name, bots_dir)
    except RosterError:
        return None  # it is not in this folder, or cannot be read any more
    return bot if bot.takes_part(contest) else None
