"""Magilla't: its rules, and how people see it."""

from league.games.magillat.people import Magillat

__all__ = ["Magillat"]
