"""The standings page, and the pages on which games can be watched.

data        all that the standings page shows, as plain values
gather      fills it from a league's results (with the help of `matrices`)
charts      the pictures, as Vega-Lite specs
render      makes HTML of it
scenes      what a playing looks like, as plain values, for each game
viewer      makes HTML of that
samples     chooses games to watch, and writes their pages
server      shows all of it on this machine, live
inline      templates, data and scripts that cannot break out of where they are put
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.results.standings import Standings
    from league.results.store import Store
    from league.values.settings import Isolation

PAGE = "standings.html"


def write_page(store: Store, standings: Standings, *, running: bool = False, isolation: Isolation = "sandbox") -> Path:
    """Write a league's page into its folder, whole or not at all.

    If it is not running, some games to watch are played again at this level of isolation.
    """
    from league.page.gather import gather
    from league.page.render import render
    from league.page.samples import write_samples
    from league.tools.files import write_text

    samples = () if running else write_samples(store, standings, isolation)
    page = gather(store, standings, samples, running=running)
    write_text(store.folder / PAGE, render(page))
    return store.folder / PAGE
