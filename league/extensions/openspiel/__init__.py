"""OpenSpiel: its games for leagues (`game: openspiel:kuhn_poker`), and our games for its algorithms (`league_raj`).

import pyspiel
from league.extensions import openspiel  # registers league_braverats, league_cheese_rescue, league_magillat, league_raj

game = pyspiel.load_game("league_raj(players=3,deals=20)")
game = pyspiel.load_game(openspiel.register("./crown.py"))
"""

from league.extensions.openspiel.ours import LeagueGame, LeagueState, register

__all__ = ["LeagueGame", "LeagueState", "register"]
