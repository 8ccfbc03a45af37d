"""One progress bar on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm

MANY = 100_000
"""From so many games on, the bar writes them like 1.25M."""


def games_bar(games: float | None, *, shown: bool | None = None, **look: Any) -> tqdm[Any]:
    """A bar that counts games, of a number that may be unknown; unless `shown`, it is drawn on a terminal only."""
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # its thread would be there when workers and hosts are forked
    hidden = not (sys.stderr.isatty() if shown is None else shown)
    many = games is not None and games >= MANY
    return tqdm(total=games, disable=hidden, dynamic_ncols=True, **{"unit": " games", "unit_scale": many, **look})


def reach(bar: tqdm[Any], total: float) -> None:
    """So much of the whole is over, of a bar that counts something else than games."""
    bar.update(max(min(total, bar.total or total) - bar.n, 0))


@contextmanager
def counting_bar(what: str, unit: str = "positions") -> Iterator[tuple[Callable[[int], None], Callable[[int], None]]]:
    """A bar on a terminal: is called with how many units of work there are, and with how many more are done."""
    with games_bar(None, desc=what, unit=f" {unit}", unit_scale=True, leave=False) as bar:

        def done(count: int) -> None:
            bar.update(count)

        yield bar.reset, done
