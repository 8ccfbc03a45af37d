"""One progress bar on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from tqdm import tqdm


MANY = 100_000
"""From so many games on, the bar writes them like 1.25M."""


class GamesBar:
    """Counts games, of a number that may be unknown. Unless it is asked to, it draws nothing without a terminal."""

    def __init__(self, games: float | None, *, shown: bool | None = None, **look: Any) -> None:
        self._bar: tqdm[Any] | None = None
        if sys.stderr.isatty() if shown is None else shown:
            from tqdm import tqdm

            tqdm.monitor_interval = 0  # its thread would be there when workers and hosts are forked
            many = games is not None and games >= MANY
            self._bar = tqdm(total=games, dynamic_ncols=True, **{"unit": " games", "unit_scale": many, **look})

    @property
    def drawn(self) -> bool:
        """Whether there is a bar to be seen."""
        return self._bar is not None

    def played(self, games: int) -> None:
        """N more games are over."""
        if self._bar is not None:
            self._bar.update(games)

    def reach(self, total: float) -> None:
        """So much of the whole is over, of a bar that counts something else than games."""
        if self._bar is not None:
            self._bar.update(max(min(total, self._bar.total or total) - self._bar.n, 0))

    def note(self, text: str) -> None:
        """Show a text behind the bar, from when it is drawn next."""
        if self._bar is not None:
            self._bar.set_postfix_str(text, refresh=False)

    def expect(self, games: int | None) -> None:
        """There are this many games in all, as is known by now."""
        if self._bar is not None:
            self._bar.total = games
            self._bar.refresh()

    def say(self, text: str) -> None:
        """Print a text above the bar, on standard error."""
        if self._bar is None:
            click.echo(text, err=True)
        else:
            self._bar.write(text, file=sys.stderr)

    def clear(self) -> None:
        """Make room for text on standard output; the next game draws the bar again."""
        if self._bar is not None:
            self._bar.clear()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


@contextmanager
def counting_bar(what: str, unit: str = "positions") -> Iterator[tuple[Callable[[int], None], Callable[[int], None]]]:
    """A bar on a terminal: is called with how many units of work there are, and with how many more are done."""
    with closing(GamesBar(None, desc=what, unit=f" {unit}", unit_scale=True, leave=False)) as bar:
        yield bar.expect, bar.played
