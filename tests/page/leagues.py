"""Small leagues that are really played, to be shown on pages."""

from __future__ import annotations

from pathlib import Path

from league.setup.config import parse
from league.values.settings import Stop
from tests.leagues import play_league

NASTY = "</script><script>alert(1)</script>"
FIRST = "class Bot:\n    def choose(self, view):\n        return view.legal[0]\n"
BOTS = {
    "first": f'class Bot:\n    """{NASTY}"""\n    def choose(self, view):\n        return view.legal[0]\n',
    "last": "class Bot:\n    def choose(self, view):\n        return view.legal[-1]\n",
    "rash": f"class Bot:\n    def choose(self, view):\n        raise ValueError({NASTY!r})\n",
    "rats": f'{FIRST}    games = ("braverats",)\n',
}
CONFIG = """
league: small
seed: 1
bots: bots
games:
  - game: raj
    players: [2, 3]
    deals: 4
  - game: braverats
    deals: 3
    options: {mime: true}
isolation: trusted
"""


def play(folder: Path, bots: dict[str, str] = BOTS, config: str = CONFIG, games: int | None = None) -> Path:
    """Play a league, or only the first few games of it; returns the folder of its results."""
    (folder / "bots").mkdir()
    for name, source in bots.items():
        (folder / "bots" / f"{name}.py").write_text(source)
    stop = Stop(games=games)
    return play_league(parse(config, folder), folder / "results", stop, stopping=lambda: games == 0).folder
