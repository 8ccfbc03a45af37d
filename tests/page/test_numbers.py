"""The numbers of the page are those of the CSV files, for a league that was really played; without a browser."""

from __future__ import annotations

import csv
import re
from html import unescape

import pytest

from league.page.build import gather
from league.page.privacy import Privacy
from league.page.reports import write_reports
from league.results.milestones import all_progress
from league.results.standings import Standings
from league.results.store import Store
from league.values.settings import Isolation
from tests.page.leagues import BOTS, CONFIG, FIRST, play

MILESTONES = "milestones: [{bot: last, title: bronze}, {bot: first, title: silver, game: raj}]\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    config = CONFIG.replace("deals: 4", "deals: 12") + MILESTONES
    folder = play(tmp_path_factory.mktemp("league"), {**BOTS, "second": FIRST}, config)
    with Store.open(folder) as store:
        write_reports(store, Standings.of(store), isolation=Isolation.TRUSTED)
    return folder


@pytest.fixture(scope="module")
def html(folder):
    return (folder / "standings.html").read_text()


def table(html, key, kind):
    """A table of a board: the texts and the classes of its cells, row by row."""
    board = re.search(rf'<section class="board" id="{key}".*?</section>', html, re.S)[0]
    found = re.search(rf'<table class="[^"]*{kind}[^>]*>(.*?)</table>', board, re.S)[1]
    rows = re.split(r"<tr[^>]*>", found)[1:]
    return [
        [
            (" ".join(unescape(re.sub(r"<[^>]+>", " ", cell)).split()), attributes)
            for attributes, cell in re.findall(r"<t[hd]\b([^>]*)>(.*?)(?=<t[hd]\b|$)", row, re.S)
        ]
        for row in rows
    ]


def lines_of(folder, name):
    with (folder / name).open(newline="") as file:
        return list(csv.DictReader(file))


def shows(text, value, digits):
    """Whether a text is a number with so many digits; the number of the file was rounded to four digits."""
    assert len(text.partition(".")[2]) == digits
    return abs(float(text) - value) <= 0.5 * 10**-digits + (0.006 if digits == 1 else 0.00006)


@pytest.mark.parametrize("key", ["overall", "raj-2p", "raj-3p", "braverats-2p"])
def test_table_shows_what_the_file_says(html, folder, key):
    lines = lines_of(folder, "standings.csv" if key == "overall" else f"standings-{key}.csv")
    lines = [line for line in lines if line["place"][:1].isdigit()]
    heads, *cells = table(html, key, "ranking")
    titles = [text for text, _ in heads]
    rows = [dict(zip(titles, [text for text, _ in row], strict=True)) for row in cells]
    assert [row["Bot"].split(" ")[0] for row in rows] == [line["bot"] for line in lines]
    assert rows
    for row, line in zip(rows, lines, strict=True):
        assert row["Place"] == line["place"].replace("-", "\N{EN DASH}")
        low, high = row["95 % interval"].split(" … ")
        shown = {"rating": row["Rating"], "low": low, "high": high}
        for name, text in shown.items():
            assert shows(text, float(line[name]), digits=2)
        assert row["Games"].replace(",", "") == line["games"]
        assert shows(row["Score"].removesuffix(" %"), 100 * float(line["mean_score"]), digits=1)
        counts = [number.replace(",", "") for number in re.findall(r"[\d,]+", row["Won · drawn · lost"])]
        assert counts == [line["wins"], line["draws"], line["losses"]]
        assert row["Faults"].replace("\N{EN DASH}", "0") == line["faults"]
        assert abs(float(row["Best"].strip("> %")) - 100 * float(line["best"])) < 1
        if key != "overall":
            assert shows(row["Points"], float(line["mean_points"]), digits=3)
        page = (folder / "bots" / f"{line['bot']}.html").read_text()
        assert f"{row['Rating']} ({low} … {high})" in page, "the page of the bot has the same"


@pytest.mark.parametrize("key", ["raj-2p", "braverats-2p"])
def test_head_to_head_shows_what_the_file_says(html, folder, key):
    lines = {
        (line["bot"], line["opponent"]): line
        for line in lines_of(folder, "head_to_head.csv")
        if f"{line['game']}-{line['players']}p" == key
    }
    heads, *rows = table(html, key, "meetings")
    cells = {
        (row[0][0], head): (text, "class=e" in attributes)
        for row in rows
        for (head, _), (text, attributes) in zip(heads[1:], row[1:], strict=True)
        if text
    }
    assert cells.keys() == lines.keys()
    for (bot, other), (text, settled) in cells.items():
        line = lines[bot, other]
        low, high, score = (float(line[name]) for name in ("low", "high", "score"))
        assert abs(float(text) - 100 * score) <= 0.51
        assert settled == (low > 0.5 or high < 0.5)
        page = unescape((folder / "bots" / f"{bot}.html").read_text())
        part = re.search(rf'id="{key}".*?</section>', page, re.S)[0]
        row = re.search(rf">{other}</a>.*?(<tr>|</tbody>)", part, re.S)[0]
        scores = [float(number) for number in re.findall(r"([\d.]+)\u00a0%", row)]
        assert scores[:3] == pytest.approx([100 * score, 100 * low, 100 * high], abs=0.06)


def test_milestones_are_those_of_the_command(folder):
    with Store.open(folder) as store:
        standings = Standings.of(store)
        made = gather(store, standings, Privacy.of(store))
        wanted = all_progress(standings, store.settings().milestones)
    assert made.milestones == {progress.bot: list(progress.steps) for progress in wanted}
    assert made.milestones.keys() == {"rash", "rats", "second"}
    assert {mark.state for marks in made.milestones.values() for mark in marks} >= {"not reached"}
