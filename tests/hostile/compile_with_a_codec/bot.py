# coding: league_hostile
"""Has Python load a codec of the bot's own while it compiles this, before the league knows about the process."""

EXPECT = "import"


def attack(view):
    """It is never loaded."""
