"""Reads what a user writes: the config file and the bots."""
