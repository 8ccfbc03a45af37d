"""What a user reads after the first run of a league: what the numbers mean, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from league import games
from league.results.leaders import leaders_of
from league.tools.text import safe, shown_path
from league.values.settings import LEVEL, PERCENT

if TYPE_CHECKING:
    from league.results.standings import Standings

NUMBERS = (
    "The average rating is 25, and a lead of 4 wins about three games in four. In "
    f"{100 * LEVEL:g} of 100 leagues, the true rating lies within the {PERCENT} interval."
)
TIES = " Bots are level as long as their intervals overlap: more deals separate them."
TIES_IF_ADAPTIVE = " Bots are level as long as 0 is in the interval of their difference: further rounds separate them."


def first_run_lines(standings: Standings, folder: Path) -> list[str]:
    """The numbers in words, and three commands to go on with, a line each; nothing if there are no results."""
    leaders = leaders_of(standings)
    if not leaders:
        return []
    best = leaders[0]
    played = [standings.contests[leader.contest].contest.game for leader in leaders]
    where = " --to bots" if Path("bots").is_dir() else ""
    league, bot = shown_path(folder), safe(best.best.bot)
    steps = [
        (f"league serve {league}", "the standings in a browser"),
        (f"league replay {league} {bot} --closest", "its closest game"),
        (f"league new mine --game {_game_for_a_bot(played)}{where}", "a bot of your own"),
    ]
    width = max(len(command) for command, _ in steps)
    ties = TIES if standings.goal is None else TIES_IF_ADAPTIVE
    return ["", NUMBERS + ties, "", "Next:", *(f"  {command:<{width}}  {what}" for command, what in steps)]


def _game_for_a_bot(played: Sequence[str]) -> str:
    """How `league new` is told a game: of those played the first that it finds by its name, or by a file beside us."""
    known = games.names()
    here = [game if game in known else f"./{game}.py" for game in played]
    return next((game for game in here if game in known or Path(game).is_file()), known[-1])
