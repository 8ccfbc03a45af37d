"""The standings page, and the pages on which games can be watched.

data        all that the pages of a league show, as plain values
build       fills it from a league's results
privacy     decides what is hidden, and under which names bots are shown
charts      the charts, drawn as SVG with the scales and axes of `svg`
render      makes HTML of it
bots        makes the page of one bot, and of two that are compared
viewer      makes HTML of one game
samples     chooses games to watch, and writes their pages
live        a league's folder as a server shows it
server      serves it on this machine
inline      templates, data and scripts that cannot break out of where they are put
"""

from __future__ import annotations

import os
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from league.page.data import FIRST_TAGS, PAGE
from league.results.lock import last_change
from league.tools.files import read_inside
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.results.standings import Standings
    from league.results.store import Store
    from league.values.settings import PageSettings

FIRST_LINES = 4096
"""Bytes of a page that hold its policy."""


def is_up_to_date(folder: Path, *, running: bool) -> bool:
    """Whether a league's page is as new as its results, and its scripts are those of this version.

    While it is `running`, it is renewed now and then. What was written then is not the page of its end.
    """
    from league.page.inline import script_hashes
    from league.page.render import LIVE, page_scripts

    try:
        start = read_inside(folder, PAGE, most=FIRST_LINES)
        written = os.lstat(folder / PAGE).st_mtime
    except OSError:
        return False
    if not all(mark.encode() in start for mark in script_hashes(page_scripts())):
        return False  # nothing lets these scripts run
    return running or (last_change(folder) <= written and LIVE.encode() not in start[:FIRST_TAGS])


def write_page(
    store: Store,
    standings: Standings,
    *,
    running: bool = False,
    isolation: Isolation = Isolation.SANDBOX,
    settings: PageSettings | None = None,
    folder: Path | None = None,
    seconds: float = inf,
) -> Path:
    """Write a league's page, a page for each of its bots and, unless it is being played, the pages of some games.

    It goes into the league's folder and is made as the config says, unless `folder` and `settings` say otherwise. The
    games to watch are played again at this level of isolation, for this many seconds at most.
    """
    from league.page.bots import write_bots
    from league.page.build import gather
    from league.page.privacy import Privacy
    from league.page.render import render
    from league.page.samples import write_samples
    from league.tools.files import make_folder, write_text

    folder = folder or store.folder
    make_folder(folder)
    privacy = Privacy.of(store, settings, keep=True)
    samples = () if running else write_samples(store, standings, privacy, folder, isolation, seconds)
    page = gather(store, standings, privacy, samples, running=running)
    write_bots(page, folder)
    write_text(folder / PAGE, render(page))
    return folder / PAGE
