"""Plays blocks, matches and whole leagues."""
