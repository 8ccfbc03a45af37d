"""Small leagues that are really played, to be shown on pages."""

from __future__ import annotations

from pathlib import Path

from league.play.run import LeagueRun
from league.setup.config import parse

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


class Quiet:
    """Hears of a run and keeps silent."""

    def planned(self, preview: object) -> None:
        pass

    def played(self, result: object, store: object) -> None:
        pass


def play(folder: Path, bots: dict[str, str] = BOTS, config: str = CONFIG, blocks: int | None = None) -> Path:
    """Play a league, or only the first few blocks of it; gives the folder of its results."""
    (folder / "bots").mkdir()
    for name, source in bots.items():
        (folder / "bots" / f"{name}.py").write_text(source)
    played = 0

    def stopping() -> bool:
        return blocks is not None and played >= blocks

    class Counting(Quiet):
        def played(self, result: object, store: object) -> None:
            nonlocal played
            played += 1

    league = LeagueRun(parse(config, folder), folder / "results")
    league.play(1, "local", Counting(), stopping)
    return league.folder
