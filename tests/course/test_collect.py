"""`league class collect`: from an archive to the bots folder, and a week later from the next one."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from league.cli import league
from league.setup.roster import load
from league.setup.versions import former
from tests.commands import refused
from tests.course.made_up_class import bot_text, moodle, write_archive
from tests.tables import each

ROSTER = "name,id\nAmy Miller,12\nBo Li,13\nCid Ray,14\nDan Poe,15\nEve Ng,16\nFay Wu,17\n"
FIRST_WEEK = {
    "Amy Miller_12": {"bot.py": bot_text()},
    "Bo Li_13": {"bot.py": bot_text(), "notes.txt": "mine"},
    "Cid Ray_14": {"bot.py": bot_text("view.leg[0]")},
    "Dan Poe_15": {"bot.py": "class Bot:\n    def choose(self view): pass\n"},
    "Fay Wu_17": {"my.py": bot_text()},
    "Zed Who_99": {"bot.py": bot_text()},
}
TRUSTED = ("--isolation", "trusted", "--workers", "1")


@pytest.fixture(autouse=True)
def course(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(ROSTER)
    Path("class.yaml").write_text("league: class\nbots: bots\ngames: [{game: raj, players: [2, 3], deals: 1}]\n")


def collect(source: str = "week1.zip", *words: str) -> Result:
    command = ["class", "collect", source, "--roster", "people.csv", "--config", "class.yaml", *TRUSTED, *words]
    return CliRunner().invoke(league, command)


def report() -> dict[str, dict[str, str]]:
    with open("handins.csv", encoding="utf-8") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def test_first_week(tmp_path):
    write_archive(Path("week1.zip"), moodle(FIRST_WEEK))
    result = collect("week1.zip", "--deadline", "2026-11-20 18:00")
    assert result.exit_code == 0, result.output
    assert "3 of 6 people have their newest hand-in in bots: 3 new, 0 replaced, 0 unchanged." in result.output
    lines = report()
    assert {name: line["status"] for name, line in lines.items()} == {
        "Amy Miller": "new",
        "Bo Li": "new",
        "Cid Ray": "refused",
        "Dan Poe": "refused",
        "Eve Ng": "missing",
        "Fay Wu": "new",
        "Zed Who": "unknown",
    }
    assert lines["Cid Ray"]["reason"] == "raj: error: AttributeError: 'RajView' object has no attribute 'leg' (line 7)"
    assert lines["Dan Poe"]["reason"].startswith("bot.py:2: ")
    assert (lines["Amy Miller"]["same_as"], lines["Fay Wu"]["same_as"]) == ("Fay Wu", "Amy Miller")
    assert float(lines["Amy Miller"]["late_hours"]) == 0.5
    assert sorted(path.name for path in Path("bots").iterdir()) == ["amy_miller.py", "bo_li", "fay_wu.py"]
    handed_in = datetime.fromtimestamp(Path("bots/amy_miller.py").stat().st_mtime)
    assert handed_in == datetime(2026, 11, 20, 18, 30)
    page = Path("handins.html").read_text()
    assert "Amy Miller" in page
    assert "no attribute &#39;leg&#39;" in page


def test_a_week_later_only_what_is_new_is_taken_and_former_versions_are_kept(monkeypatch):
    write_archive(Path("week1.zip"), moodle(FIRST_WEEK))
    collect()
    second = FIRST_WEEK | {
        "Amy Miller_12": {"bot.py": bot_text("view.legal[-1]")},
        "Eve Ng_16": {"my.py": bot_text(doc="x")},
    }
    write_archive(Path("week2.zip"), moodle(second))
    checked = []
    from league.extensions.course import commands as module

    check = module.verdicts_of
    monkeypatch.setattr(
        module, "verdicts_of", lambda bots, *rest, **options: (checked.extend(bots), check(bots, *rest, **options))[1]
    )
    result = collect("week2.zip")
    assert "4 of 6 people have their newest hand-in in bots: 1 new, 1 replaced, 2 unchanged." in result.output
    assert [bot.name for bot in checked] == ["amy_miller", "eve_ng"]
    (version,) = former("amy_miller", Path("bots"))
    assert version.path.read_text() == bot_text()
    assert report()["Cid Ray"]["reason"].endswith("has no attribute 'leg' (line 7)")
    checked.clear()
    collect("week2.zip", "--again")
    assert [bot.name for bot in checked] == ["cid_ray"]


def test_a_bad_hand_in_leaves_the_last_good_one_playing():
    write_archive(Path("week1.zip"), moodle(FIRST_WEEK))
    collect()
    write_archive(Path("week2.zip"), moodle({"Amy Miller_12": {"bot.py": bot_text("99")}}))
    collect("week2.zip")
    assert report()["Amy Miller"]["status"] == "refused"
    assert report()["Bo Li"]["status"] == "unchanged"  # not in this archive
    assert Path("bots/amy_miller.py").read_text() == bot_text()


def test_what_was_recorded_about_a_hand_in_never_changes():
    """Neither a later call without a deadline nor one with another makes somebody late or in time."""
    write_archive(Path("week1.zip"), moodle(FIRST_WEEK))
    collect("week1.zip", "--deadline", "2026-11-20 18:00")
    first = report()["Amy Miller"]
    assert (first["late_hours"], first["playing_late_hours"]) == ("0.5000", "0.5000")
    for words in ((), ("--deadline", "2026-12-24 18:00"), ("--again",)):
        collect("week1.zip", *words)
        again = report()["Amy Miller"]
        assert {key: again[key] for key in again if key != "status"} == {
            key: first[key] for key in first if key != "status"
        }
    write_archive(Path("week2.zip"), moodle({"Bo Li_13": FIRST_WEEK["Bo Li_13"]}))
    collect("week2.zip")  # whoever is not in an archive keeps their line
    assert report()["Amy Miller"]["playing_late_hours"] == "0.5000"


def test_the_lateness_of_the_version_that_plays_counts_after_a_newer_one_was_refused():
    write_archive(Path("week1.zip"), moodle(FIRST_WEEK))
    collect("week1.zip", "--deadline", "2026-11-20 18:00")
    write_archive(Path("week2.zip"), moodle({"Amy Miller_12": {"bot.py": bot_text("99")}}))
    collect("week2.zip", "--deadline", "2026-11-20 17:30")
    line = report()["Amy Miller"]
    assert (line["status"], line["late_hours"], line["playing_late_hours"]) == ("refused", "1.0000", "0.5000")


def test_the_folder_that_the_config_names_is_taken():
    Path("class.yaml").write_text(Path("class.yaml").read_text().replace("bots: bots", "bots: [students, one.py]"))
    Path("one.py").write_text(bot_text())
    write_archive(Path("week1.zip"), moodle({"Amy Miller_12": FIRST_WEEK["Amy Miller_12"]}))
    result = collect()
    assert result.exit_code == 0, result.output
    assert [path.name for path in Path("students").iterdir()] == ["amy_miller.py"]
    Path("class.yaml").write_text(Path("class.yaml").read_text().replace("one.py", "bots"))
    assert "found students and bots. Name one with --to." in str(collect().exception)


def test_two_people_of_one_name_are_told_apart_by_their_numbers():
    Path("people.csv").write_text("name,id\nAmy Miller,12\nAmy Miller,13\n")
    write_archive(
        Path("week1.zip"),
        moodle({"Amy Miller_12": {"bot.py": bot_text()}, "Amy Miller_13": {"bot.py": bot_text(doc="x")}}),
    )
    result = collect()
    assert "People with the same name have bots with their numbers: amy_miller_12 and amy_miller_13." in result.output
    assert sorted(path.name for path in Path("bots").iterdir()) == ["amy_miller_12.py", "amy_miller_13.py"]


def test_cells_that_a_spreadsheet_would_run_are_harmless():
    write_archive(Path("week1.zip"), moodle({"=cmd|x_99": {"bot.py": bot_text()}}))
    collect()
    assert "'=cmd|x" in report()


@each(
    ("words", "told"),
    [
        (("none.zip",), "There is no archive or folder 'none.zip'."),
        (
            ("people.csv",),
            "people.csv: expected a .zip archive, as Moodle and Canvas write it, or a folder, found neither.",
        ),
        (("week1.zip", "--roster", "none.csv"), "none.csv cannot be read: No such file or directory."),
        (("week1.zip", "--deadline", "soon"), "expected a time such as '2026-11-20 23:59', found 'soon'."),
        (("week1.zip", "--report", "people.csv"), "people.csv is not a report of `league class collect`."),
        (("week1.zip", "--config", "none.yaml"), "There is no config file 'none.yaml'."),
        (("week1.zip", "--to", "people.csv"), "The folder people.csv cannot be created"),
        (("week1.zip", "--roster", "week1.zip"), "week1.zip:1: expected text in UTF-8"),
        (("week1.zip", "--report", "no/where.csv"), "no/where.csv cannot be written"),
    ],
)
def test_wrong_input_is_one_line(words, told):
    write_archive(Path("week1.zip"), moodle(FIRST_WEEK))
    source, *more = words
    assert told in refused(
        "class", "collect", source, "--roster", "people.csv", "--config", "class.yaml", *TRUSTED, *more
    )


def test_warning_about_an_accepted_bot_is_in_the_report_until_it_changes():
    chance = bot_text("view.legal[__import__('os').urandom(1)[0] % len(view.legal)]")
    write_archive(Path("week1.zip"), moodle({"Amy Miller_12": {"bot.py": chance}}))
    for status in ("new", "unchanged"):
        collect()
        assert report()["Amy Miller"]["status"] == status
        assert "not deterministic" in report()["Amy Miller"]["reason"]
    write_archive(Path("week1.zip"), moodle({"Amy Miller_12": {"bot.py": bot_text()}}))
    collect()
    assert (report()["Amy Miller"]["status"], report()["Amy Miller"]["reason"]) == ("replaced", "")


def test_json_has_every_line():
    write_archive(Path("week1.zip"), moodle(FIRST_WEEK))
    assert '"status": "refused"' in collect("week1.zip", "--json").output


def test_bot_of_another_game_is_refused():
    write_archive(Path("week1.zip"), moodle({"Amy Miller_12": {"bot.py": bot_text().replace("raj", "braverats")}}))
    collect()
    assert report()["Amy Miller"]["reason"] == "it plays none of the league's contests."
    assert not Path("bots/amy_miller.py").exists()


def test_report_that_was_spoilt_by_hand_is_one_line():
    write_archive(Path("week1.zip"), moodle(FIRST_WEEK))
    collect()
    text = Path("handins.csv").read_text()
    Path("handins.csv").write_text(text.replace("Amy Miller,amy_miller,new", "Amy Miller,amy_miller,splendid"))
    told = str(collect().exception)
    assert "handins.csv, before line 3: Invalid enum value 'splendid'" in told
    Path("handins.csv").write_text("")
    assert "handins.csv is not a report of `league class collect`." in str(collect().exception)


def test_a_config_decides_how_large_folders_may_be(monkeypatch):
    config = Path("class.yaml").read_text()
    write_archive(Path("week1.zip"), moodle({"Amy Miller_12": {"bot.py": bot_text(), "table.bin": bytes(2 << 20)}}))
    Path("class.yaml").write_text(config + "limits: {folder_mb: 1}\n")
    collect()
    assert "expected at most 1 MB" in report()["Amy Miller"]["reason"]
    Path("class.yaml").write_text(config + "limits: {folder_mb: 3}\n")
    monkeypatch.setattr("league.setup.roster.FOLDER_MB", 1)
    monkeypatch.setattr(load, "__defaults__", ("bots", 1, ""))  # what is read without asking the config
    collect("week1.zip", "--again")
    assert report()["Amy Miller"]["status"] == "new"


def test_without_a_config_somebody_says_where_the_bots_go():
    """Otherwise students came among the shipped bots."""
    write_archive(Path("week1.zip"), moodle(FIRST_WEEK))
    told = refused("class", "collect", "week1.zip", "--roster", "people.csv", *TRUSTED)
    assert "Say where the bots go: --config of their league, or --to DIR." in told
    assert not Path("bots").exists()
