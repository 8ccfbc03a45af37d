"""The arena: people hand in bots over the web, a ladder plays on and on, and a final decides.

One folder, one SQLite file beside an ordinary league, three processes. Nothing else in League knows about it.
"""
