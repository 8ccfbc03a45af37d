"""The people of a course: tables as they come, and whose hand-in is whose."""

from __future__ import annotations

from pathlib import Path

import pytest

from league.errors import LeagueError
from league.extensions.course.people import People, read_people


def people_of(tmp_path: Path, text: str) -> People:
    (tmp_path / "people.csv").write_text(text, encoding="utf-8")
    return read_people(tmp_path / "people.csv")


def test_tables_of_every_usual_form_are_read(tmp_path):
    for text in (
        "name,id\nAmy Miller,7\n",
        "\ufeffFirst name;Last name;ID number\nAmy;Miller;7\n",
        "Student\tSIS User ID\nMiller, Amy\t7\n",
        'Identifier,Full name,Email address\nParticipant 7,"Miller, Amy",am@example.org\n',
    ):
        (person,) = people_of(tmp_path, text).people
        assert person.bot == "amy_miller"
        assert "7" in person.ids


def test_hand_ins_are_attributed_by_number_then_name_then_the_end_of_a_clones_name(tmp_path):
    people = people_of(
        tmp_path,
        "name,id,github\nAmy Miller,7,amym\nBo Li,8,bo\nZoë Óskar,9,zoe\n",
    )
    assert people.owner("Somebody Else", ["7"]).name == "Amy Miller"
    assert people.owner("Bo Li").name == "Bo Li"
    assert people.owner("libo").name == "Bo Li"
    assert people.owner("ZOE OSKAR").name == "Zoë Óskar"
    assert people.owner("exercise-1-zoe").name == "Zoë Óskar"
    assert people.owner("Nobody") is None


def test_people_of_one_name_are_reported_apart_by_number_only(tmp_path):
    people = people_of(tmp_path, "name,id,bot\nAmy Miller,7,amy_1\nAmy Miller,8,amy_2\n")
    assert people.owner("Amy Miller") is None
    assert people.owner("Amy Miller", ["8"]).bot == "amy_2"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "expected headings and a line for each person, found 0 lines."),
        ("name\n", "expected headings and a line for each person, found 1 line."),
        (
            "nmae\nAmy\n",
            "expected a heading 'name', or 'first name' and 'last name', found 'nmae'. Did you mean 'name'?",
        ),
        ("name,id\n,7\n", "people.csv:2: expected a name, found none."),
        ("name\nAmy\nAmy\n", "the bots of 'Amy' and 'Amy' would both be called 'amy'. Add a column 'id' or 'bot'."),
        ("name,bot\nAmy,-x\n", "people.csv:2: expected a bot's name of"),
        ("name\n!!!\n", "people.csv:2: expected a bot's name of"),
    ],
)
def test_tables_that_cannot_be_used_are_one_line(tmp_path, text, told):
    with pytest.raises(LeagueError) as caught:
        people_of(tmp_path, text)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_other_files_are_refused_in_one_line(tmp_path):
    (tmp_path / "people.csv").write_bytes("name\nZoë\n".encode("latin-1"))
    with pytest.raises(LeagueError, match=r"people\.csv:2: expected text in UTF-8"):
        read_people(tmp_path / "people.csv")
    with pytest.raises(LeagueError, match="cannot be read: No such file"):
        read_people(tmp_path / "none.csv")
