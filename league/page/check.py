"""Whether a page that somebody else wrote shows what the results give."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import msgspec

from league.page import page_of
from league.page.data import PAGE
from league.page.render import page_scripts, render
from league.results.standings import Standings
from league.results.store import Store
from league.tools.files import read_bytes
from league.tools.text import safe

MOST_BYTES = 200_000_000
_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
_ROW = re.compile(r"<tr data-bot=.*?</tr>", re.DOTALL)


def page_problems(store: Store, standings: Standings) -> tuple[list[str], list[str]]:
    """What is wrong with the numbers of a league's page, and why they were not compared if they were not."""
    path = store.folder / PAGE
    if not path.exists():
        return [], [f"{PAGE} is not there"]
    stored = read_bytes(path, MOST_BYTES).decode(errors="replace")
    if [script for kind, script in _SCRIPT.findall(stored) if "json" not in kind] != page_scripts():
        again = f"write it again with `league page` before you open it: {PAGE} runs its scripts"
        return [], [f"{PAGE} has other scripts than this version of League writes, so it was not compared; {again}"]
    made = render(page_of(store, standings, store.settings().page, keep=False))
    for what, theirs, ours in (
        ("bots", _data(stored).get("bots"), _data(made)["bots"]),
        ("boards", _data(stored).get("boards"), _data(made)["boards"]),
        ("tables", _ROW.findall(stored), _ROW.findall(made)),
    ):
        if theirs != ours:
            return [safe(f"{PAGE} has other {what} than the outcomes give")], []
    return [], []


def _data(page: str) -> dict[str, Any]:
    """The data from which a page's script draws."""
    for kind, text in _SCRIPT.findall(page):
        if "json" in kind:
            try:
                return msgspec.json.decode(unescape(text), type=dict[str, Any])
            except msgspec.DecodeError:
                return {}
    return {}
