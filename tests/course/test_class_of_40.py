"""A whole class, from the archive of its hand-ins to grades and feedback, and a week later only the difference."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from league.cli import league
from league.results.store import Store
from tests.course.class_of_40 import (
    PEOPLE,
    canvas_archive,
    handins,
    has_java,
    moodles_archive,
    roster,
    week_later,
)

CONFIG = """
league: class
bots: [bots, low.py, near.py]
games: [{game: raj, deals: 1}]
isolation: sandbox
seed: 40
limits: {move_ms: 50, start_ms: 5000, memory_mb: 256}
milestones:
  - {bot: low, title: First step, points: 40}
  - {bot: near, title: Second step, points: 60}
"""
LOW = "class Bot:\n    games = ('raj',)\n\n    def choose(self, view):\n        return view.legal[0]\n"
NEAR = LOW.replace("view.legal[0]", "min(view.legal, key=lambda card: abs(card - abs(view.prize) - 3.4))")


def run(*words: str) -> Result:
    result = CliRunner().invoke(league, words)
    assert result.exit_code == 0, (result.output, result.exception)
    return result


def table(path: str) -> list[dict[str, str]]:
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def reports() -> dict[str, dict[str, str]]:
    return {row["name"]: row for row in table("handins.csv")}


def played_lineups(folder: str) -> dict[tuple[Any, ...], int]:
    with Store.open(Path(folder)) as store:
        return Counter({series.lineup: stop for series, (_, stop) in store.coverage().played()})


@pytest.mark.slow
def test_from_the_archive_to_grades_and_a_week_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEAGUE_CACHE", str(tmp_path / "cache"))
    for name, text in {"class.yaml": CONFIG, "low.py": LOW, "near.py": NEAR, "people.csv": roster()}.items():
        Path(name).write_text(text)
    first_week = handins()
    Path("week1.zip").write_bytes(moodles_archive(first_week))
    Path("week2.zip").write_bytes(canvas_archive(week_later(first_week)))
    collect = ("--roster", "people.csv", "--config", "class.yaml", "--workers", "2")

    run("class", "collect", "week1.zip", *collect)
    lines = reports()
    assert [*lines] == PEOPLE
    statuses = Counter(line["status"] for line in lines.values())
    assert statuses["refused"] == 4 + has_java()
    assert statuses["new"] == len(first_week) - statuses["refused"]
    assert statuses["missing"] == 40 - len(first_week)
    assert lines["Dana Brown"]["reason"].startswith("bot.py:2: expected Python, found a syntax error")
    assert "has no attribute 'leg' (line 7)" in lines["Eli Brown"]["reason"]
    assert "illegal" in lines["Fay Brown"]["reason"]
    assert "timeout: more than 50 ms of processor time for one decision" in lines["Gus Brown"]["reason"]
    if has_java():
        assert "its build failed: Broken.java:14: error: ';' expected" in lines["Hana Adams"]["reason"]

    play = ("run", "class.yaml", "--quiet", "--workers", "2", "--notify", "cat > summary.json")
    run(*play)
    bots = statuses["new"] + 2
    assert json.loads(Path("summary.json").read_text())["games"] == bots * (bots - 1)
    assert run("faults", "results/class").stdout.count("\n") <= 2
    week_one = played_lineups("results/class")
    alike = json.loads(run("class", "similar", "results/class", "--games", "20", "--json").stdout)
    names = ["amy_adams", "bo_adams", "cid_adams", "dana_adams", "eli_adams", "fay_adams"]
    copies = set(names if has_java() else names[:-1])
    ranks = [rank for rank, pair in enumerate(alike, 1) if {pair["a"], pair["b"]} <= copies]
    exact = len(copies) - 1  # one of them plays otherwise in 5 % of its moves
    assert ranks[: exact * (exact - 1) // 2] == [*range(1, exact * (exact - 1) // 2 + 1)]
    assert ranks[-1] <= len(ranks) + 5, "few honest pairs come before the last copy"

    run("class", "grades", "results/class", "--provisional", "--roster", "people.csv", "--feedback", "feedback")
    grades = {row["Full name"]: row for row in table("grades.csv")}
    assert [*grades] == PEOPLE
    assert grades["Hana Evans"]["Grade"] == "0"
    assert max(float(row["Grade"]) for row in grades.values()) == 40, "one deal settles the first step of some"
    pages = {path.name for path in Path("feedback").glob("*.html")}
    assert len(pages) == statuses["new"] + statuses["refused"]
    assert "First step" in (Path("feedback") / "amy_adams.html").read_text()

    run("class", "collect", "week2.zip", *collect)
    lines = reports()
    changed = {"Eli Brown": "new", "Eli Cruz": "replaced", "Hana Evans": "new"}
    assert {name: line["status"] for name, line in lines.items() if line["status"] in ("new", "replaced")} == changed
    run(*play)
    others = bots - 1
    assert json.loads(Path("summary.json").read_text())["games"] == 2 * (3 * others + 3), (
        "three bots against the others and each other"
    )
    week_two = played_lineups("results/class")
    kept = [lineup for lineup in week_one if all(entrant.name != "eli_cruz" for entrant in lineup)]
    assert all(week_two[lineup] == week_one[lineup] for lineup in kept)
    run("class", "grades", "results/class", "--provisional", "--roster", "people.csv")
    assert {row["Full name"]: row for row in table("grades.csv")}["Hana Evans"]["Grade"] != "0"
