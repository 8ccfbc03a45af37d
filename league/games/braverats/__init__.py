"""BraveRats: its rules, and how people see it."""

from league.games.braverats.people import BraveRats

__all__ = ["BraveRats"]
