"""The front page of a server of several leagues: who leads, how far each is, and when it was last played."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from io import StringIO
from typing import NamedTuple

from league.errors import LeagueError
from league.page.inline import render_template, static
from league.page.live import LeagueFolder, News
from league.page.privacy import EVERYBODY
from league.results.lock import last_change
from league.results.report import NAMED, WORTH_NAMING

SHOWN_CONTESTS = 4
MOST_BYTES = 1 << 20
"""The largest table; the best bots come first."""


ContestLeaders = tuple[str, str, list[tuple[str, float]]]
"""The key of a contest, its title, and the bots that may be the best, with their chances."""


class Entry(NamedTuple):
    """A league on the front page."""

    name: str
    news: News | None = None
    problem: str = ""
    """Why it cannot be read."""
    played: datetime | None = None
    """When it was last played."""
    leaders: Sequence[ContestLeaders] = ()
    more: int = 0
    """Contests whose leaders are not shown."""


def front_page(leagues: Sequence[LeagueFolder]) -> str:
    """The page, with leagues that are being played first, then those that were played last."""
    entries = sorted(map(_entry, leagues), key=_order)
    return render_template("leagues.html.j2", front_scripts(), leagues=entries)


@cache
def front_scripts() -> list[str]:
    """The scripts of the page."""
    return [static("theme.js"), static("renew.js")]


def _order(entry: Entry) -> tuple[bool, float, str]:
    running = entry.news is not None and entry.news.running
    return not running, -entry.played.timestamp() if entry.played else 0.0, entry.name


def _entry(league: LeagueFolder) -> Entry:
    name = league.folder.name
    try:
        news = league.news()
        changed = last_change(league.folder)
        leaders = list(_leaders(league, news))
    except LeagueError as problem:  # one damaged league hides no other
        return Entry(name, problem=str(problem))
    played = datetime.fromtimestamp(changed).astimezone() if changed else None
    return Entry(name, news, "", played, leaders[:SHOWN_CONTESTS], max(len(leaders) - SHOWN_CONTESTS, 0))


def _leaders(league: LeagueFolder, news: News) -> Iterator[ContestLeaders]:
    """From the tables that the last run wrote; of a league that hides names there are none."""
    for contest in (part.contest for part in news.progress.contests if part.played):
        try:
            table = league.file(EVERYBODY, f"standings-{contest}.csv")[:MOST_BYTES].decode(errors="replace")
        except (OSError, LeagueError):
            continue
        rows = [row for row in csv.DictReader(StringIO(table)) if row.get("bot") not in news.baselines]
        chances = sorted(((_chance(row.get("best")), row.get("bot") or "") for row in rows), reverse=True)
        named = [(bot, chance) for chance, bot in chances[:NAMED] if chance >= WORTH_NAMING]
        if named:
            yield contest, news.titles[contest], named


def _chance(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:
        return 0.0
