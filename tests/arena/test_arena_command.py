"""`league arena`: the lecturer's side of an arena on the command line."""

import csv
import json
import re
import stat
from io import BytesIO
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from league.cli import league
from league.errors import ArenaError, LeagueError
from league.extensions.arena.client import Connection
from league.extensions.arena.people import Guest, guests_of, invite
from league.extensions.arena.store import ArenaStore
from tests.arena.conftest import CONFIG, HIGHEST, PEOPLE, steps
from tests.arena.test_ladder import enter
from tests.tables import each

TABLE = """name;alias;team;role
Amy Miller;amy;;
Bob Stone;;;author
Cleo Ade;cleo;foxes;
Dan Ek;dan;foxes;
Eve Tutor;eve;;Assistant
"""


def run(*words: str, answer: str = "") -> Result:
    return CliRunner().invoke(league, ["arena", *map(str, words)], input=answer)


def said(*words: str) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.output or result.exception
    return result.output


def data(*words: str) -> dict:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output or result.exception
    return json.loads(result.stdout)


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("demo.yaml").write_text(CONFIG)
    Path("people.csv").write_text(TABLE)
    return tmp_path


@pytest.fixture
def folder(place, arena) -> Path:
    """The arena of conftest.py, with two authors."""
    arena.invite(PEOPLE[:2], "lecturer")
    return arena.folder


def opened(folder: Path) -> ArenaStore:
    return ArenaStore.open(folder)


class TestInit:
    def test_the_lecturers_link_lets_them_in(self, place):
        output = said("init", "A", "--config", "demo.yaml", "--url", "https://arena.example.org/")
        [code] = re.findall(r"https://arena\.example\.org/enter#(\S{22})\n", output)
        with opened(Path("A")) as arena:
            assert arena.by_code(code).role == "lecturer"
            assert arena.fact("secret_hash") in output
            assert arena.fact("secret") not in output
        facts = data("init", "B", "--config", "demo.yaml", "--name", "winter")
        assert facts["arena"] == "winter"
        assert facts["link"].startswith("http://127.0.0.1:")

    @each(
        ("words", "problem"),
        [
            (["B", "--config", "nowhere.yaml"], "nowhere.yaml"),
            (["B", "--config", "demo.yaml", "--name", "a b"], "Expected a name for the arena"),
            (["B", "--config", "demo.yaml", "--url", "arena.example.org"], "Expected an address such as https://"),
            ([".", "--config", "demo.yaml"], "Expected an empty folder"),
        ],
    )
    def test_wrong_input_makes_nothing(self, place, words, problem):
        result = run("init", *words)
        assert result.exit_code == 1
        assert problem in str(result.exception)
        assert not Path("B").exists()


class TestInvite:
    def test_everybody_new_gets_a_link_that_lets_them_in_in_files_for_their_owner_alone(self, place, folder):
        said("invite", folder, "people.csv", "--links", "links.csv", "--sheet", "links.html")
        for name in ("links.csv", "links.html"):
            assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600
        rows = list(csv.DictReader(Path("links.csv").read_text().splitlines()))
        assert [row["name"] for row in rows] == ["Cleo Ade", "Dan Ek", "Eve Tutor"]  # two were there
        with opened(folder) as arena:
            people = [arena.by_code(row["link"].partition("#")[2]) for row in rows]
        assert [(person.alias, person.bot, person.role) for person in people] == [
            ("cleo", "foxes", "author"),
            ("dan", "foxes", "author"),
            ("eve", "eve", "assistant"),
        ]
        page = Path("links.html").read_text()
        assert page.count('src="data:image/svg+xml') == 3
        assert "Cleo Ade" in page
        assert "<script" not in page
        before = Path("links.csv").read_text()
        again = data("invite", folder, "people.csv", "--links", "links.csv")
        assert (again["invited"], len(again["present"])) == ([], 5)
        assert Path("links.csv").read_text() == before
        Path("more.csv").write_text("name\nFay Orr\n")
        assert "\nFay Orr," in run("invite", folder, "more.csv").stdout

    def test_nobody_is_invited_if_links_cannot_be_written(self, place, folder):
        result = run("invite", folder, "people.csv", "--links", "nowhere/links.csv")
        assert "cannot be written" in str(result.exception)
        with opened(folder) as arena:
            assert len(arena.people()) == 3

    def test_a_drawn_alias_says_nothing_about_a_person(self, arena):
        [bob], _ = invite(arena, {"line 2": Guest("Bob Stone", "")}, "lecturer")
        assert "bob" not in bob.alias
        assert "stone" not in bob.alias

    @each(
        ("table", "problem"),
        [
            ("nmae\nAmy\n", r"people.csv:1: expected a heading 'name', found 'nmae'. Did you mean 'name'?"),
            ("name,alias\n,amy\n", "people.csv:2: expected a name, found none."),
            (
                "name,role\nAmy,auther\n",
                "people.csv:2: expected a role as lecturer, assistant or author, found 'auther'",
            ),
            ("name\n", "expected headings and a line for each person"),
        ],
    )
    def test_a_wrong_table_is_one_clear_line(self, table, problem):
        with pytest.raises(LeagueError) as raised:
            guests_of(table, "people.csv")
        assert problem in str(raised.value)

    @each(
        ("rows", "problem"),
        [
            ([("a b", "")], "expected an alias of 1 to 64 letters"),
            ([("_a", "")], "expected an alias of"),
            ([("Bot", "")], "expected an alias of"),
            ([("me", "")], "expected an alias of"),
            ([("amy", "a/b")], "expected a team of"),
            ([("Random", "")], "'Random' is a bot of the staff"),
            ([("amy", "raj_nearest")], "'raj_nearest' is a bot of the staff"),
            ([("amy", ""), ("AMY", "")], "'AMY' is an alias already, spelt 'amy'"),
            ([("amy", ""), ("bob", "amy")], "'amy' is a team already"),
            ([("amy", "foxes"), ("bob", "Foxes")], "'Foxes' is a team already, spelt 'foxes'"),
            ([("lecturer", "")], "'lecturer' is an alias already"),
        ],
    )
    def test_names_that_no_bot_can_have_or_that_clash_are_refused(self, arena, rows, problem):
        guests = {str(number): Guest(f"Person {number}", *row) for number, row in enumerate(rows)}
        with pytest.raises(ArenaError) as raised:
            invite(arena, guests, "lecturer")
        assert problem in str(raised.value)
        assert len(arena.people()) == 1


class TestStatus:
    def test_status_tells_who_has_handed_in(self, place, folder):
        with opened(folder) as arena:
            arena.hand_in(arena.person_called("amy"), "bot.py", HIGHEST)
        output = said("status", folder)
        assert "takes hand-ins without a deadline" in output
        assert re.search(r"amy +Amy Miller +1 +- +waits to be checked", output)
        assert re.search(r"bob +Bob Stone +0 +- +nothing handed in", output)
        seen = data("status", folder)
        assert (seen["rules"]["phase"], seen["waiting"], len(seen["published"])) == ("open", 1, 1)
        assert {one["person"]["alias"]: one["last"] for one in seen["people"]}["amy"] == "waiting"

    @each("name", ["status", "pause", "resume", "final"])
    def test_a_folder_without_an_arena(self, place, name):
        assert "There is no arena in nowhere" in str(run(name, "nowhere").exception)

    def test_a_misspelt_command_gets_a_suggestion(self):
        assert "Did you mean 'status'?" in run("statsu").output


class TestFiles:
    def test_a_receipt_is_verified_unless_somebody_changed_it(self, place, folder):
        with opened(folder) as arena:
            receipt = arena.hand_in(arena.person_called("amy"), "bot.py", HIGHEST)
        Path("receipt.json").write_bytes(msgspec.json.encode(receipt))
        assert "This receipt is genuine: version 1 of amy" in said("verify", folder, "receipt.json")
        Path("forged.json").write_bytes(msgspec.json.encode(msgspec.structs.replace(receipt, bot="bob")))
        forged = run("verify", folder, "forged.json")
        assert (forged.exit_code, "was not issued by this arena" in str(forged.exception)) == (1, True)
        Path("note.txt").write_bytes(b"\xff no receipt")
        assert "Expected the whole text of a receipt" in str(run("verify", folder, "note.txt").exception)

    def test_people_of_a_team_share_the_grade_of_their_bot(self, place, folder):
        assert "No round has been played yet" in str(run("grades", folder).exception)
        with opened(folder) as arena:
            arena.invite([("Cleo", "cleo", "foxes", "author"), ("Dan", "dan", "foxes", "author")], "lecturer")
            enter(arena, arena.person_called("cleo"), HIGHEST)
            assert steps(arena, most=1)
        assert "has no milestones. Give a formula" in str(run("grades", folder).exception)
        Path("scheme.yaml").write_text("formula: 10 * handed_in\n")
        said("grades", folder, "--scheme", "scheme.yaml", "--to", "grades-1.csv")
        rows = list(csv.DictReader(Path("grades-1.csv").read_text().splitlines()))
        assert {row["alias"]: (row["team"], row["bot"], row["grade"]) for row in rows} == {
            "amy": ("", "amy", "0"),
            "bob": ("", "bob", "0"),
            "cleo": ("foxes", "foxes", "10"),
            "dan": ("foxes", "foxes", "10"),
        }
        with opened(folder) as arena:  # cleo was late by half a day; dan may hand in until tomorrow
            arena.change_rules("lecturer", deadline=arena.now() - 43200)
            arena.change_person(arena.person_called("dan"), "lecturer", deadline=arena.now() + 86400)
        Path("scheme.yaml").write_text("formula: 10 * handed_in\nlate_per_day: 20\n")
        said("grades", folder, "--scheme", "scheme.yaml", "--to", "grades-2.csv")
        late = csv.DictReader(Path("grades-2.csv").read_text().splitlines())
        assert [row["grade"] for row in late if row["bot"] == "foxes"] == ["8", "8"]


def test_completion_offers_arenas(place, folder):
    from tests.cli.test_completion import items

    assert [item.value for item in items(["arena", "status"], "")] == ["arena"]
    assert "invite" in [item.value for item in items(["arena"], "inv")]


def test_an_answer_that_is_no_arenas_is_one_line(tmp_path, monkeypatch):
    (tmp_path / "amy.py").write_bytes(HIGHEST)
    monkeypatch.setattr("league.extensions.arena.client.urlopen", lambda *_, **__: BytesIO(b'{"hello": "world"}'))
    with pytest.raises(ArenaError, match=r"^http://localhost could not be asked: Object missing required field"):
        Connection("http://localhost", "code").hand_in(tmp_path / "amy.py")
    with pytest.raises(ArenaError, match=r"^http://localhost could not be asked: Object missing required field"):
        Connection("http://localhost", "code").status()
