"""League: pit bots against each other at card games, and learn which one is really better.

    import league

    played = league.run("configs/quick.yaml")
    played.standings()                  # a pandas DataFrame

`docs/python.md` describes every name. Each is loaded when it is first used, so that `import league` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from league.analysis.verify import verify
    from league.api.leagues import League, open, run  # noqa: A004 - called as league.open
    from league.api.matches import PlayedGame, load_game, match
    from league.api.studies import blunders, duel, what_if
    from league.errors import LeagueError
    from league.extensions.solver.studies import exploit, solve
    from league.games.contract import Deal, Game, Options, Outcome, State, View, competition_ranks
    from league.testing import check_game

__version__ = "0.1.0"

_PLACES = {
    "league.errors": ("LeagueError",),
    "league.games.contract": ("Deal", "Game", "Options", "Outcome", "State", "View", "competition_ranks"),
    "league.api.leagues": ("League", "open", "run"),
    "league.api.studies": ("blunders", "duel", "what_if"),
    "league.analysis.verify": ("verify",),
    "league.api.matches": ("PlayedGame", "load_game", "match"),
    "league.testing": ("check_game",),
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names}
"""The places of the names of the core; `league.commands` has those of extensions."""

__all__ = [
    "Deal",
    "Game",
    "League",
    "LeagueError",
    "Options",
    "Outcome",
    "PlayedGame",
    "State",
    "View",
    "blunders",
    "check_game",
    "competition_ranks",
    "duel",
    "exploit",
    "load_game",
    "match",
    "open",
    "run",
    "solve",
    "verify",
    "what_if",
]


def __getattr__(name: str) -> Any:
    if name in _PLACE_OF:
        return getattr(import_module(_PLACE_OF[name]), name)
    from league.commands import NAMES, load

    if name in NAMES:
        return load(f"{NAMES[name]}:{name}")
    raise AttributeError(f"module 'league' has no attribute {name!r}")


def __dir__() -> list[str]:
    return ["__version__", *__all__]
