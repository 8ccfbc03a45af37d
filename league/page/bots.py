"""The page of one bot, and the page that compares two: what a `Page` and a `Comparison` say, as HTML.

The page of a bot answers first: how good it is, then where it loses, its most telling games, and its faults.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from itertools import count
from math import hypot
from pathlib import Path
from typing import TYPE_CHECKING, Any

from league.page.data import FIRST_TAGS, Board, Meeting, Page, Row, Sample, Spread
from league.page.inline import chance, place, render_template, share
from league.page.render import BOTS, bot_link, bots_with_pages, page_scripts, rated, scored, titles_of
from league.page.svg import RunRating, Scale, history, ranged
from league.results.lines import Line, rating_digits
from league.tools.files import make_folder, refuse_link, write_text
from league.tools.text import counted

if TYPE_CHECKING:
    from league.results.compare import Comparison

MARK = "data-league-bot"
"""Stands in the first tag of the page of a bot."""
TELLING = ("worst loss", "closest game", "upset")
OPPONENTS = 40
"""Opponents in each contest that are shown, the hardest first; head_to_head.csv has all."""
BARS = 40
"""The most bars of one histogram."""
SIGNS = {"reached": "✓", "not reached": "✕", "undecided": "?"}
KINDS = {
    "lost": "Lost games",
    "won": "Won games",
    "drawn": "Drawn games",
    "closest": "Closest games",
    "fault": "Games with faults",
}
PARAGRAPH = re.compile(r"(\S)\n(?=[^\s\d*+-])")
"""The end of a line inside a paragraph; lists and code stay as they are."""


def render_bot(page: Page, bot: int) -> str:
    """The page of a bot."""
    linked = bots_with_pages(page)
    ranked = [(board, row) for board in page.boards for row in board.rows if row.bot == bot]
    played = [(board, row) for board, row in ranked if row.line.games]
    own = [sample for sample in page.samples if bot in sample.bots]
    telling = _telling(own, bot)
    titles = titles_of(page)
    return render_template(
        "bot.html.j2",
        page_scripts(),
        mark=MARK,
        page=page,
        bot=bot,
        card=page.bots[bot],
        doc=PARAGRAPH.sub(r"\1 ", page.bots[bot].doc),
        ranked=ranked,
        played=played,
        fields={board.key: sum(other.line.games > 0 for other in board.rows) for board in page.boards},
        notes=[f"{board.title}: {', '.join(row.notes)}." for board, row in ranked if row.notes],
        marks=[(SIGNS[mark.state], mark) for mark in page.milestones.get(bot, ())],
        against=[(board, *_opponents(board, bot)) for board, _ in played],
        telling=telling,
        others=[sample for sample in own if sample not in telling and _reasons(sample, bot)],
        reasons=lambda sample: ", ".join(_reasons(sample, bot)),
        faults=[fault for fault in page.faults if fault.bot == bot],
        pasts=[past for board, _ in played if (past := _past(page, board, bot))],
        seats=[(board, seat) for board in page.boards for seat in board.own_seats.get(bot, ())],
        histograms=[
            _histogram(board.title, spread) for board in page.boards for spread in board.spreads if spread.bot == bot
        ],
        titles=titles,
        standing=standing,
        kinds=KINDS,
        link=lambda other, contest="": bot_link(page, other, linked, contest, folder=""),
        number=lambda board, value: f"{value:.{rating_digits(board.counts)}f}",
    )


def write_bots(page: Page, folder: Path) -> None:
    """Write the pages of the bots beside the page, and remove those of bots that are not there any more."""
    pages = {f"{page.bots[bot].name}.html": bot for bot in bots_with_pages(page)}
    refuse_link(folder / BOTS)
    make_folder(folder / BOTS)
    forget(folder / BOTS, MARK, kept=pages)
    for name, bot in pages.items():
        write_text(folder / BOTS / name, render_bot(page, bot))


def forget(folder: Path, mark: str, kept: Container[str] = ()) -> None:
    """Remove pages of ours, by what stands in their first tags: they may show what is hidden, or what is gone."""
    for path in folder.glob("*.html"):
        if path.name in kept or path.is_symlink():
            continue
        with path.open("rb") as file:
            ours = mark.encode() in file.read(FIRST_TAGS)
        if ours:
            path.unlink()


def render_comparison(compared: Comparison) -> str:
    """The page that compares two bots: the answer of `league compare`, with a picture of the differences."""
    from league.results.compare import meetings_table, ratings_table, verdict

    leads = [(part.title, part.rating, part.counts) for part in compared.contests]
    reach = 1.05 * max([abs(end) for _, lead, _ in leads for end in (lead.low, lead.high)] + [0.01])
    scale = Scale(-reach, reach)
    pictures = [
        (
            title,
            ranged(scale, lead.low, lead.high, lead.value, expected=0.0),
            f"{lead.value:+.{rating_digits(counts)}f}",
            lead.settled,
        )
        for title, lead, counts in leads
    ]
    every = {"minus": ratings_table(compared), "against": meetings_table(compared)}
    tables = [
        (
            f"{compared.a} {how} {compared.b}",
            [column.name for column in table.columns],
            table.rows,
        )
        for how, table in every.items()
        if table.rows
    ]
    return render_template(
        "compare.html.j2",
        page_scripts(),
        mark=MARK,
        compared=compared,
        verdict=verdict(compared),
        pictures=pictures,
        tables=tables,
        notices=compared.notices,
        kinds=KINDS,
    )


def _opponents(board: Board, bot: int) -> tuple[list[dict[str, Any]], int]:
    """The opponents of a bot on a board, the hardest first, and how many are left out."""
    unit = Scale(0.0, 1.0)
    met = sorted(
        (_seen_by(bot, meeting) for meeting in board.meetings if bot in meeting[:2]), key=lambda one: one.score
    )
    shown = [
        {
            "bot": one.b,
            "picture": ranged(unit, one.low, one.high, one.score, expected=one.expected),
            "score": scored(board, one.score),
            "between": f"{scored(board, one.low)} to {scored(board, one.high)}",
            "expected": scored(board, one.expected),
            "games": one.games,
        }
        for one in met[:OPPONENTS]
    ]
    return shown, len(met) - len(shown)


def _seen_by(bot: int, met: Meeting) -> Meeting:
    """A meeting from the side of one of its bots."""
    if met.a == bot:
        return met
    return Meeting(met.b, met.a, met.games, 1 - met.score, 1 - met.high, 1 - met.low, 1 - met.expected)


def _reasons(sample: Sample, bot: int) -> list[str]:
    """Why a game was chosen, for a bot; "worst loss" includes "worst loss against bob"."""
    own = [sample.surprise if reason == "upset" else reason for of, reason in sample.reasons if of == bot]
    return [reason for reason in own if not any(reason.startswith(f"{other} against ") for other in own)]


def _telling(samples: Sequence[Sample], bot: int) -> list[Sample]:
    """The most telling games of a bot: one of each kind, or any if there is none."""
    firsts = [next((one for one in samples if (bot, reason) in one.reasons), None) for reason in TELLING]
    return [*dict.fromkeys(filter(None, firsts))] or list(samples[: len(TELLING)])


def _past(page: Page, board: Board, bot: int) -> dict[str, Any] | None:
    """How a bot did over the runs of a league on one board; None after a single one."""
    digits = rating_digits(board.counts)
    runs: list[tuple[str, Line, bool, int]] = [
        (past.ended, line, bot in past.edited, past.anchors.get(board.key, 0))
        for past in page.past
        if (line := past.boards.get(board.key, {}).get(bot))
    ]
    if len(runs) < 2:
        return None
    numbers = count(2)
    moments = [
        RunRating(
            *(ended, row.rating, row.low, row.high),
            f"version {next(numbers)}" if edited else "",
            f"place {place(row.place)}",
        )
        for ended, row, edited, _ in runs
    ]
    rows = [
        (ended, place(row.place), rated(board, row.rating, row.low, row.high), "new version" if edited else "")
        for ended, row, edited, _ in reversed(runs)
    ]
    return {
        "title": board.title,
        "picture": history(moments, digits),
        "verdict": _versions(board, runs),
        "anchors": min(run[3] for run in runs),
        "rows": rows,
    }


def _versions(board: Board, runs: Sequence[tuple[str, Line, bool, int]]) -> str:
    """The version of a bot that plays against the one before, in a sentence; nothing if there was only one."""
    last = max((number for number, run in enumerate(runs) if run[2]), default=0)
    if last < 1:
        return ""
    before, now = runs[last - 1][1], runs[-1][1]
    gain, half = now.rating - before.rating, hypot(now.high - now.low, before.high - before.low) / 2
    if abs(gain) > half:
        verdict = f"This version is {'better' if gain > 0 else 'worse'} than the one before"
    else:
        verdict = "It is not settled whether this version is better than the one before"
    low, value, high = (f"{number:+z.{rating_digits(board.counts)}f}" for number in (gain - half, gain, gain + half))
    ratings = [rated(board, row.rating, row.low, row.high) for row in (now, before)]
    return f"{verdict}: {' after '.join(ratings)}, a change of {value} ({low} … {high})."


def _histogram(title: str, spread: Spread) -> dict[str, Any]:
    """The points of a bot as at most `BARS` bars: for each its height in per cent, and what it says."""
    first, last = spread.histogram[0][0], spread.histogram[-1][0]
    width = (last - first) // BARS + 1
    bars = [0] * ((last - first) // width + 1)
    for value, games in spread.histogram:
        bars[(value - first) // width] += games
    said = []
    for number, games in enumerate(bars):
        start = first + number * width
        what = f"{start} to {start + width - 1}" if width > 1 else f"{start}"
        said.append((100 * games / max(bars), f"{what} points: {counted(games, 'game')}"))
    end = first + width * len(bars) - 1
    return {"title": f"{title}, {spread.mean:.2f} on average", "first": first, "last": end, "bars": said}


def standing(board: Board, row: Row) -> dict[str, Any]:
    """What the page of a bot says about it on one board."""
    line = row.line
    return {
        "place": place(row.place),
        "rating": rated(board, line.rating, line.low, line.high),
        "best": chance(line.best),
        "score": share(line.mean_score),
        "record": f"{line.wins:,} · {line.draws:,} · {line.losses:,}",
        "games": f"{line.games:,}",
    }
