"""League: pit bots against each other at card games, and learn which one is really better."""

__version__ = "0.1.0"
