"""The simplest bot there is. Every bot that learns should beat it."""


class Bot:
    """Always the first legal move, whatever happens: easy to read, and so easy to beat."""

    baseline = True  # rated like any other, but never on a podium

    def choose(self, view):
        return view.legal[0]
