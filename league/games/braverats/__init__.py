"""BraveRats: its rules, its words for people, and its scenes for the viewer."""

from league.games.braverats.words import BraveRats

__all__ = ["BraveRats"]
