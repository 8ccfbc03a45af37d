"""Solves games outright, and measures how far a bot is from perfect play: see `docs/solve.md`."""
