"""Small tools that know nothing of games or leagues: text, files, seeds, signals, the log."""
