"""What League has beside its core: each folder can be deleted, and the rest works. See `league.commands`."""
