"""Raj: its rules, its words for people, and its scenes for the viewer."""

from league.games.raj.words import Raj

__all__ = ["Raj"]
