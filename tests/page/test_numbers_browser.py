"""The numbers of the page are those of the CSV files, in a real browser, for a league that was really played."""

from __future__ import annotations

import csv
import re

import pytest

from league.page.build import gather
from league.page.reports import write_reports
from league.results.milestones import all_progress
from league.results.standings import Standings
from league.results.store import Store
from league.values.settings import Isolation
from tests.page.leagues import BOTS, CONFIG, FIRST, play

pytestmark = pytest.mark.slow

MILESTONES = "milestones: [{bot: last, title: bronze}, {bot: first, title: silver, game: raj}]\n"
ROWS = """
(key) => [...document.querySelectorAll(`#panel-${key} table.ranking tbody tr`)].map((row) =>
  Object.fromEntries([...row.cells].map((cell) => [cell.className.match(/c-(\\w+)/)[1], cell.innerText])))
"""
CELLS = """
(key) => {
  const table = document.querySelector(`#panel-${key} table.meetings`);
  const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent);
  return [...table.tBodies[0].rows].flatMap((row) => [...row.cells].slice(1).map((cell, at) =>
    [row.cells[0].textContent, heads[at + 1], cell.textContent, cell.classList.contains("s")]));
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    config = CONFIG.replace("deals: 4", "deals: 12") + MILESTONES
    folder = play(tmp_path_factory.mktemp("league"), {**BOTS, "second": FIRST}, config)
    with Store.open(folder) as store:
        write_reports(store, Standings.of(store), isolation=Isolation.TRUSTED)
    return folder


@pytest.fixture(scope="module")
def page(chromium, folder):
    """The page with all columns, loaded once."""
    page = chromium.new_page(viewport={"width": 1920, "height": 1080})
    page.goto(f"{(folder / 'standings.html').as_uri()}#?all=1")
    yield page
    page.close()


def lines_of(folder, name):
    with (folder / name).open(newline="") as file:
        return list(csv.DictReader(file))


def shows(text, value, digits):
    """Whether a text is a number with so many digits; the number of the file was rounded to four digits."""
    assert len(text.partition(".")[2]) == digits
    return abs(float(text) - value) <= 0.5 * 10**-digits + (0.006 if digits == 1 else 0.00006)


@pytest.mark.parametrize("key", ["overall", "raj-2p", "raj-3p", "braverats-2p"])
def test_table_shows_what_the_file_says(page, folder, key):
    page.evaluate("(key) => league.go({ board: key })", key)
    lines = lines_of(folder, "standings.csv" if key == "overall" else f"standings-{key}.csv")
    rows = page.evaluate(ROWS, key)
    lines = [line for line in lines if line["place"][:1].isdigit()]
    assert [row["bot"].split("\n")[0].rstrip("*") for row in rows] == [line["bot"] for line in lines]
    assert rows
    for row, line in zip(rows, lines, strict=True):
        assert row["place"] == line["place"].replace("-", "\N{EN DASH}")
        low, high = row["interval"].split(" … ")
        shown = {"rating": row["rating"], "low": low, "high": high, "conservative": row["conservative"]}
        for name, text in shown.items():
            assert shows(text, float(line[name]), digits=2)
        assert row["games"].replace(",", "") == line["games"]
        assert shows(row["mean_score"].removesuffix(" %"), 100 * float(line["mean_score"]), digits=1)
        counts = [number.replace(",", "") for number in re.findall(r"[\d,]+", row["record"])]
        assert counts == [line["wins"], line["draws"], line["losses"]]
        assert row["faults"].replace("\N{EN DASH}", "0") == line["faults"]
        assert row["rank"] == line["rank"]
        assert abs(float(row["best"].strip("> %")) - 100 * float(line["best"])) < 1
        if key != "overall":
            assert shows(row["mean_points"], float(line["mean_points"]), digits=3)


@pytest.mark.parametrize("key", ["raj-2p", "braverats-2p"])
def test_head_to_head_shows_what_the_file_says(page, folder, key):
    lines = {
        (line["bot"], line["opponent"]): line
        for line in lines_of(folder, "head_to_head.csv")
        if f"{line['game']}-{line['players']}p" == key
    }
    cells = {(bot, other): (text, settled) for bot, other, text, settled in page.evaluate(CELLS, key) if text}
    assert cells.keys() == lines.keys()
    for pair, (text, settled) in cells.items():
        low, high, score = (float(lines[pair][name]) for name in ("low", "high", "score"))
        assert abs(float(text) - 100 * score) <= 0.51
        assert settled == (low > 0.5 or high < 0.5)


def test_milestones_are_those_of_the_command(folder):
    with Store.open(folder) as store:
        standings = Standings.of(store)
        made = gather(store, standings)
        wanted = all_progress(standings, store.settings().milestones)
    names = [bot.name for bot in made.bots]
    assert (
        {names[bot] for bot in made.milestones} == {progress.bot for progress in wanted} == {"rash", "rats", "second"}
    )
    for progress in wanted:
        marks = made.milestones[names.index(progress.bot)]
        assert [(mark.title, mark.about) for mark in marks] == [(step.title, step.about) for step in progress.steps]
        assert [mark.state == "reached" for mark in marks] == [step.reached for step in progress.steps]
    assert {mark.state for marks in made.milestones.values() for mark in marks} >= {"behind"}
