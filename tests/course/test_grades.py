"""Milestones and grades: reached when it is settled, the same grade for bots that are level, one line for mistakes."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from league.cli import league
from league.errors import ConfigError
from league.extensions.course.grades import NAMES, Formula, read_scheme
from league.setup.config import load
from tests.commands import refused
from tests.course.made_up_class import bot_text
from tests.leagues import play_league
from tests.tables import each

HIGHEST = bot_text("max(view.legal)")
NEAREST = bot_text("min(view.legal, key=lambda card: abs(card - view.prize - 4))")
CONFIG = """
league: class
bots: bots
games: [{game: raj, deals: 40}]
isolation: trusted
seed: 7
milestones:
  - {bot: low, title: First step, points: 20}
  - {bot: near, points: 30}
  - {bot: near_2, title: Level, points: 5, margin: 4}
  - {bot: nobody, points: 50}
"""
ROSTER = """Identifier,Full name,Grade,bonus,bot,Feedback comments
Participant 1,Amy Miller,,2,near_3,
Participant 2,Bo Li,,,bo,
Participant 3,"=Cid, Ray",,,cid,
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    (folder / "bots").mkdir()
    texts = {"low": bot_text("min(view.legal)"), "near": NEAREST, "near_2": NEAREST + "#", "near_3": NEAREST + "##"}
    for name, text in (texts | {"bo": bot_text("min(view.legal)") + "#", "high": HIGHEST}).items():
        (folder / "bots" / f"{name}.py").write_text(text)
    (folder / "bots" / "nobody.py").write_text("This cannot be loaded.")
    (folder / "class.yaml").write_text(CONFIG)
    return play_league(load(folder / "class.yaml"), folder / "results").folder


@pytest.fixture(autouse=True)
def course(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(ROSTER)
    Path("scheme.yaml").write_text("formula: handed_in * (40 + milestones) + bonus\nlate_per_day: 10\nmost: 60\n")


def grades(played: Path, *words: str) -> Result:
    words = ("--provisional", *words)
    return CliRunner().invoke(league, ["class", "grades", str(played), "--roster", "people.csv", *words])


def rows(path: str = "grades.csv") -> list[dict[str, str]]:
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_milestones_are_reached_when_it_is_settled(played):
    result = CliRunner().invoke(league, ["standings", str(played), "--format", "json"])
    progress = {entry["bot"]: entry for entry in json.loads(result.output)["milestones"]}
    assert {*progress} == {"bo", "high", "near_3"}
    near, bo = progress["near_3"], progress["bo"]
    assert [(step["title"], step["state"] == "reached") for step in near["steps"]] == [
        *(("First step", True), ("near", False), ("Level", True), ("nobody", False)),
    ]
    assert near["points"] == 25
    assert near["steps"][0]["about"] == "ahead of low, settled"
    assert near["steps"][1]["about"].startswith("about as good as near; ")
    assert near["steps"][2]["about"] == "not behind near_2 by more than 4, settled"
    assert near["steps"][3]["about"].startswith("There is no bot 'nobody' in this league.")
    assert [step["state"] == "reached" for step in bo["steps"]] == [False, False, False, False]
    assert bo["steps"][1]["about"] == "near is clearly better"
    table = CliRunner().invoke(league, ["standings", str(played)]).output
    assert "First step, Level" in table


def test_grades_are_final_when_nothing_is_undecided(played):
    final = CliRunner().invoke(league, ["class", "grades", str(played), "--roster", "people.csv"])
    told = r"Undecided: \d milestones of 2 bots; at least [\d,]+ more games .* --until-decided` plays more;"
    assert re.match(told, str(final.exception))
    assert not Path("grades.csv").exists()
    assert "These grades are provisional. Undecided: " in grades(played).output
    amy, _, cid = rows("grades-details.csv")
    assert amy["undecided"].startswith("near (")
    assert cid["undecided"] == ""


def test_a_refused_student_reads_the_reason(played):
    header = "name,bot,status,reason,handed_in,late_hours,deadline,attempts,same_as,hash,playing_late_hours"
    Path("handins.csv").write_text(f"{header}\nCid,cid,refused,raj: error: no idea,,0,,1,,,0\n")
    assert grades(played, "--feedback", "feedback").exit_code == 0
    sentence = "You have no bot in the league: your hand-in was refused. raj: error: no idea"
    assert rows()[2]["Feedback comments"] == sentence
    assert sentence in Path("feedback/cid.html").read_text()


def test_sheet_keeps_the_columns_of_the_roster_and_fills_in_grades(played):
    assert grades(played).exit_code == 0
    amy, bo, cid = rows()
    assert list(amy) == ["Identifier", "Full name", "Grade", "bonus", "bot", "Feedback comments"]
    assert (amy["Grade"], bo["Grade"], cid["Grade"]) == ("25", "0", "0")
    assert "First step: reached (ahead of low, settled)." in amy["Feedback comments"]
    assert cid["Feedback comments"] == "You have no bot in the league."
    assert cid["Full name"] == "'=Cid, Ray"


def test_formula_bonus_penalty_and_bounds(played):
    header = "name,bot,status,reason,handed_in,late_hours,deadline,attempts,same_as,hash,playing_late_hours\n"
    Path("handins.csv").write_text(f"{header}Bo Li,bo,refused,,,0,,1,,ab,25.0\n")
    grades(played, "--scheme", "scheme.yaml", "--column", "Points (12)")
    assert [row["Points (12)"] for row in rows()] == ["60", "32", "0"]  # 67 of at most 60; 40 less two days; no bot
    details = {row["bot"]: row for row in rows("grades-details.csv")}
    assert (details["bo"]["late_days"], details["bo"]["points"]) == ("2", "40")
    assert details["near_3"]["reached"] == "First step; Level"
    assert float(details["near_3"]["low"]) < float(details["near_3"]["rating"]) < float(details["near_3"]["high"])


def test_level_bots_have_the_same_place(played):
    Path("people.csv").write_text("name,bot\nA,near\nB,near_2\nC,near_3\n")
    Path("scheme.yaml").write_text("formula: 100 - place\n")
    grades(played, "--scheme", "scheme.yaml")
    assert len({row["Grade"] for row in rows()}) == 1


def test_feedback_is_a_page_for_each_bot(played):
    grades(played, "--feedback", "feedback")
    assert sorted(path.name for path in Path("feedback").iterdir()) == ["bo.html", "near_3.html"]
    page = Path("feedback/bo.html").read_text()
    for words in ("Bo Li</bdi>: 0", "near is clearly better", "Its worst result", "raj-2p:", "<pre>"):
        assert words in page


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("formula: milestone", "formula: expected one of handed_in, milestones,"),
        ("formula: __import__('os')", 'found "__import__'),
        ("formula: (1).real", "formula: expected arithmetic, found '1 .real'"),
        ("formula: 2 ** 9", "formula: expected arithmetic"),
        ("formula: 1 / 0", "cannot be computed: division by zero"),
        ("formula: 1 +", "formula: expected arithmetic such as '40 + milestones', found '1 +'"),
        ("formula: 'place'\nformla: 1", "scheme.yaml:2: "),
        ("late_per_day: 200", "scheme.yaml:1: expected late_per_day as a number from 0 to 100, found 200."),
        ("round_to: 0", "scheme.yaml:1: expected round_to as a number"),
        ("[1, 2]", "scheme.yaml:1: expected a scheme"),
        ("formula: " + "+".join(["1"] * 600), "formula: expected at most 500 parts"),
        ("a: [", "scheme.yaml:"),
    ],
)
def test_wrong_schemes_are_one_line(text, told):
    Path("scheme.yaml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_scheme(Path("scheme.yaml"))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("10 if place <= 3 else 5", 5),
        ("min(best, 2) + max(1, 2) - abs(-1)", 3),
        ("round(7.5 / 2) * -1", -4),
        ("1 if 2 < place < 5 and not faults else 0", 0),
    ],
)
def test_formulas_compute(formula, value):
    values = dict.fromkeys(NAMES, 4.0)
    assert Formula(formula).value(values) == value


@each(
    ("words", "told"),
    [
        (("--roster", "none.csv"), "none.csv cannot be read"),
        (("--scheme", "none.yaml"), "none.yaml cannot be read"),
        (("--to", "."), "is a directory"),
        (("--feedback", "people.csv"), "is a file"),
        (("--handins", "people.csv"), "people.csv is not a report of `league class collect`."),
        (("--handins", "none.csv"), "There is no file 'none.csv'"),
        (("--scheme", "people.csv"), "people.csv"),
        (("--to", "no/where.csv"), "no/where.csv cannot be written"),
    ],
)
def test_wrong_input_is_one_line(played, words, told):
    assert told in refused("class", "grades", played, "--roster", "people.csv", *words)


def test_bonus_that_is_no_number_is_named(played):
    Path("people.csv").write_text("name,bonus\nAmy,much\n")
    assert "The bonus of Amy: expected a number, found 'much'." in str(grades(played).exception)


def test_league_without_milestones_needs_a_scheme(tmp_path):
    Path("bots").mkdir()
    for name in ("ann", "bob"):
        Path(f"bots/{name}.py").write_text(bot_text())
    Path("plain.yaml").write_text("league: plain\nbots: bots\ngames: [{game: raj, deals: 1}]\nisolation: trusted\n")
    folder = play_league(load("plain.yaml"), tmp_path / "results").folder
    assert "has no milestones. Add milestones to its config" in str(grades(folder).exception)
