"""What places are worth, and which places intervals leave open."""

from __future__ import annotations

from league.rating.table import Floats, Ints


def place_scores(ranks: Ints) -> Floats:
    """For each rank of each row: 1 for the first place, 0 for the last, evenly between, ties averaged."""
    players = ranks.shape[1]
    scores: Floats = 1 - (ranks + (sharing(ranks) - 1) / 2) / (players - 1)
    return scores


def sharing(ranks: Ints) -> Ints:
    """For each rank of each row: how many share it."""
    found: Ints = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)
    return found


def place_ranges(low: Floats, high: Floats, *, apart: bool = True) -> list[str]:
    """The range of places of each bot: below all whose intervals lie above its own.

    Without `apart` all share one range: a single match does not show how much luck is in it.
    """
    ranges = []
    for one in range(len(low)):
        best = 1 + apart * int((low > high[one]).sum())
        worst = len(low) - apart * int((high < low[one]).sum())
        ranges.append(str(best) if best == worst else f"{best}-{worst}")
    return ranges
