"""Cheese Rescue: its rules, the words that tell it, and the scenes that show it."""

from league.games.cheese_rescue.words import CheeseRescue

__all__ = ["CheeseRescue"]
