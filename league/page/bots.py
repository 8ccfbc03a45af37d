"""The page of one bot, and the page that compares two: what a `Page` and a `Comparison` say, as HTML.

The page of a bot answers first: how good it is, then where it loses, its most telling games, and its faults.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from itertools import count, pairwise
from math import hypot
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from league.page.charts import mean_of, pair_scale
from league.page.data import FIRST_TAGS, Board, Page, Sample, date_of
from league.page.inline import place, render_template, share
from league.page.render import BOTS, bot_link, bots_with_pages, page_scripts, rated, warning
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


def render_bot(page: Page, bot: str) -> str:
    """The page of a bot."""
    linked = bots_with_pages(page)
    ranked = [(board, line) for board in page.boards for line in board.lines if line.bot == bot]
    played = [(board, line) for board, line in ranked if line.games]
    own = [sample for sample in page.samples if bot in sample.bots]
    telling = _telling(own, bot)
    return render_template(
        "bot.html.j2",
        page_scripts(),
        mark=MARK,
        page=page,
        bot=bot,
        doc=PARAGRAPH.sub(r"\1 ", page.docs[bot]),
        ranked=ranked,
        played=played,
        notes=[f"{board.title}: {text}." for board, line in ranked if (text := warning(line))],
        marks=[(SIGNS[mark.state], mark) for mark in page.milestones.get(bot, ())],
        against=[(board, *_opponents(board, bot)) for board, _ in played if board.pairs],
        telling=telling,
        others=[sample for sample in own if sample not in telling and _reasons(sample, bot)],
        reasons=lambda sample: ", ".join(_reasons(sample, bot)),
        faults=[(fault, count) for fault, count in page.faults if fault.bot == bot],
        pasts=[past for board, _ in played if (past := _past(page, board, bot))],
        seats=[(board, seat) for board in page.boards for seat in board.own_seats.get(bot, ())],
        histograms=[_histogram(board.title, found) for board in page.boards if (found := board.histograms.get(bot))],
        rated=rated,
        kinds=KINDS,
        link=lambda other, contest="": bot_link(other, linked, contest, folder=""),
    )


def write_bots(page: Page, folder: Path) -> None:
    """Write the pages of the bots beside the page, and remove those of bots that are not there any more."""
    pages = {f"{bot}.html": bot for bot in bots_with_pages(page)}
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

    leads = [part.rating for part in compared.contests]
    reach = 1.05 * max([abs(end) for lead in leads for end in (lead.low, lead.high)] + [0.01])
    pictures = [ranged(Scale(-reach, reach), lead.low, lead.high, lead.value, expected=0.0) for lead in leads]
    values = [f"{part.rating.value:+.{rating_digits(part.counts)}f}" for part in compared.contests]
    every = {"minus": ratings_table(compared), "against": meetings_table(compared)}
    return render_template(
        "compare.html.j2",
        page_scripts(),
        mark=MARK,
        compared=compared,
        verdict=verdict(compared),
        leads=zip(compared.contests, pictures, values, strict=True),
        tables={f"{compared.a} {how} {compared.b}": table for how, table in every.items() if table.rows},
        kinds=KINDS,
    )


def _opponents(board: Board, bot: str) -> tuple[list[tuple[Any, ...]], int]:
    """The opponents of a bot on a board, the hardest first, and how many are left out."""
    pairs, expected, at = board.pairs, board.expected, board.bots.index(bot)
    if pairs is None or expected is None:
        return [], 0
    met = np.flatnonzero(pairs.met[at]).tolist()
    hardest = sorted(met, key=lambda other: (pairs.score[at, other], board.bots[other]))
    shown, scale = [], pair_scale(board)
    for other in hardest[:OPPONENTS]:
        low, value, high, guess = (float(table[at, other]) for table in (pairs.low, pairs.score, pairs.high, expected))
        picture = ranged(scale, low, high, value, expected=guess)
        score, least, most, due = (_scored(board, number) for number in (value, low, high, guess))
        shown.append((board.bots[other], picture, score, f"{least} to {most}", due, int(pairs.games[at, other])))
    return shown, len(hardest) - len(shown)


def _scored(board: Board, score: float) -> str:
    """How a bot did against another: per cent, or the lead in points if these count."""
    return f"{score:+z.2f} points" if board.counts == "points" else share(score)


def _reasons(sample: Sample, bot: str) -> list[str]:
    """Why a game was chosen, for a bot."""
    return [sample.surprise if reason == "upset" else reason for of, reason in sample.reasons if of == bot]


def _telling(samples: Sequence[Sample], bot: str) -> list[Sample]:
    """The most telling games of a bot: one of each kind, or any if there is none."""
    firsts = [next((one for one in samples if (bot, reason) in one.reasons), None) for reason in TELLING]
    return [*dict.fromkeys(filter(None, firsts))] or list(samples[: len(TELLING)])


def _past(page: Page, board: Board, bot: str) -> dict[str, Any] | None:
    """How a bot did over the runs of a league on one board; None after a single one."""
    runs = [
        (date_of(entry.ended), line, entry.versions[bot], anchors.get(board.key, 0))
        for entry, anchors in page.past
        if (line := entry.boards.get(board.key, {}).get(bot))
    ]
    if len(runs) < 2:
        return None
    edited = [False, *(run[2] != before[2] for before, run in pairwise(runs))]
    numbers = count(2)
    moments = [
        RunRating(
            *(ended, line.rating, line.low, line.high),
            f"version {next(numbers)}" if is_new else "",
            f"place {place(line.place)}",
        )
        for (ended, line, *_), is_new in zip(runs, edited, strict=True)
    ]
    rows = [
        (ended, place(line.place), rated(line), "new version" if is_new else "")
        for (ended, line, *_), is_new in zip(runs, edited, strict=True)
    ]
    last = max((number for number, is_new in enumerate(edited) if is_new), default=0)
    return {
        "title": board.title,
        "picture": history(moments, rating_digits(board.counts)),
        "verdict": _versions(runs[last - 1][1], runs[-1][1]) if last else "",
        "anchors": min(anchors for *_, anchors in runs),
        "rows": rows[::-1],
    }


def _versions(before: Line, now: Line) -> str:
    """The version of a bot that plays against the one before, in a sentence."""
    gain, half = now.rating - before.rating, hypot(now.high - now.low, before.high - before.low) / 2
    if abs(gain) > half:
        verdict = f"This version is {'better' if gain > 0 else 'worse'} than the one before"
    else:
        verdict = "It is not settled whether this version is better than the one before"
    low, value, high = (f"{number:+z.{rating_digits(now.counts)}f}" for number in (gain - half, gain, gain + half))
    return f"{verdict}: {rated(now)} after {rated(before)}, a change of {value} ({low} … {high})."


def _histogram(title: str, games_with: Mapping[int, int]) -> dict[str, Any]:
    """The points of a bot as at most `BARS` bars: for each its height in per cent, and what it says."""
    first, last = min(games_with), max(games_with)
    width = (last - first) // BARS + 1
    bars = [0] * ((last - first) // width + 1)
    for value, games in games_with.items():
        bars[(value - first) // width] += games
    said = []
    for number, games in enumerate(bars):
        start = first + number * width
        what = f"{start} to {start + width - 1}" if width > 1 else f"{start}"
        said.append((100 * games / max(bars), f"{what} points: {counted(games, 'game')}"))
    end = first + width * len(bars) - 1
    return {"title": f"{title}, {mean_of(games_with):.2f} on average", "first": first, "last": end, "bars": said}
