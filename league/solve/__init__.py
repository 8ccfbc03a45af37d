"""Solves games outright, and measures how far a bot is from perfect play. `docs/solve.md` tells how to read it."""
