"""OpenSpiel: its games for leagues (`game: openspiel:kuhn_poker`), and our games for its algorithms (`league_raj`).

import pyspiel
import league.extensions.openspiel  # registers league_braverats, league_cheese_rescue, league_magillat, league_raj

game = pyspiel.load_game("league_raj(players=3,deals=20)")
"""

from league.extensions.openspiel.ours import LeagueGame, LeagueState

__all__ = ["LeagueGame", "LeagueState"]
