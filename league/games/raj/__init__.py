"""Raj: its rules, the words that tell it, and the scenes that show it."""

from league.games.raj.words import Raj

__all__ = ["Raj"]
