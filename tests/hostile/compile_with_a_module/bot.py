"""Has Python load a module of the bot's own while it compiles a name of a character."""

EXPECT = "contained"

DASH = "\N{EN DASH}"


def attack(view):
    import unicodedata

    assert unicodedata.name(DASH) == "EN DASH"
