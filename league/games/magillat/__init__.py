"""Magilla't: its rules, its words for people, and its scenes for the viewer."""

from league.games.magillat.words import Magillat

__all__ = ["Magillat"]
