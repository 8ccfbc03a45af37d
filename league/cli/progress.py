"""A bar on a terminal for work that is counted, and nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(what: str, unit: str = "positions") -> Iterator[tuple[Callable[[int], None], Callable[[int], None]]]:
    """A bar on a terminal: hears of how many units of work there are, and how many more are done."""
    if not sys.stderr.isatty():
        yield _ignore, _ignore
        return
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # its thread would be there when hosts are started
    with tqdm(desc=what, unit=f" {unit}", unit_scale=True, dynamic_ncols=True, leave=False) as bar:
        yield bar.reset, bar.update  # type: ignore[misc] # their results are not used


def _ignore(count: int) -> None:
    """There is no bar."""
