"""The simplest bot there is. Whoever learns from what others did should beat it."""


class Bot:
    """Always the first legal move, whatever happens: easy to read, and so easy to beat."""

    def choose(self, view):
        return view.legal[0]
