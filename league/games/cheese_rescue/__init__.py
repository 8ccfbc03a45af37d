"""Cheese Rescue: its rules, its words for people, and its scenes for the viewer."""

from league.games.cheese_rescue.words import CheeseRescue

__all__ = ["CheeseRescue"]
