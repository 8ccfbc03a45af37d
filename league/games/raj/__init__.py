"""Raj: its rules, and how people see it."""

from league.games.raj.people import Raj

__all__ = ["Raj"]
