"""Checks a league that somebody else has played: its games, its standings and its page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from league.analysis.verify import SHARE, Verified
from league.analysis.verify import verify as verify_results
from league.page.check import page_problems
from league.values.settings import Isolation


def verify(
    folder: str | Path,
    *,
    share: float = SHARE,
    seed: int | None = None,
    isolation: str = Isolation.SANDBOX,
    on_games: Callable[[int, int], object] | None = None,
) -> Verified:
    """Play a share of a league's games again, and compute its standings again from the stored outcomes.

    Without a `seed` the games are chosen at random. Of the result, `good` says whether all is well, `proven` what that
    proves, `changed` what does not follow from the outcomes, and `differing` which games end differently.
    """
    return verify_results(Path(folder), share, seed, Isolation(isolation), on_games, page_problems)
