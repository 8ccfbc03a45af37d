"""The kit for authors of games: `check_game` proves that a game keeps the contract of `league.games.contract`.

    from league.testing import check_game

    def test_goof():
        check_game(Goof)

It plays at random with every player count and option, checks every step, and raises `ContractError` at the first
mistake, with a message that says where it is, what it is and how to fix it.
"""

from league.testing.checks import ContractError
from league.testing.kit import Report, changed_alone, check_game, option_values, setups

__all__ = ["ContractError", "Report", "changed_alone", "check_game", "option_values", "setups"]
