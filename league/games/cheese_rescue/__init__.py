"""Cheese Rescue: its rules, and how people see it."""

from league.games.cheese_rescue.people import CheeseRescue

__all__ = ["CheeseRescue"]
