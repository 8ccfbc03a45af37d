"""BraveRats: its rules, the words that tell it, and the scenes that show it."""

from league.games.braverats.words import BraveRats

__all__ = ["BraveRats"]
