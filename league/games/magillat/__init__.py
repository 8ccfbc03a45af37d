"""Magilla't: its rules, the words that tell it, and the scenes that show it."""

from league.games.magillat.words import Magillat

__all__ = ["Magillat"]
