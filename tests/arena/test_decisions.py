"""Decisions of the staff: who may make them, what they need, and that pages and commands make the same of them."""

import json
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner

from league.errors import LeagueError
from league.extensions.arena.archive import restore
from league.extensions.arena.commands import command
from league.extensions.arena.decisions import DECISIONS, Desk, offers, read_time
from league.extensions.arena.pages import make_app
from league.extensions.arena.store import ArenaStore
from tests.arena.asking import ask
from tests.arena.conftest import HIGHEST, bearer
from tests.tables import each

ROWS = {
    # what the lecturer may write, and whether an assistant may decide it
    "pause": ({}, True),
    "resume": ({}, True),
    "invite": ({"people": "name,alias\nZoe Ash,zoe"}, True),
    "grades": ({"scheme": "formula: handed_in"}, True),
    "deadline": ({"when": "2099-01-31T18:00Z", "late": "keep"}, False),
    "rules": ({"spectators": "true", "replays": "own", "per_hour": "5", "notice": "Hello"}, False),
    "final": ({"sure": "yes"}, False),
    "backup": ({}, False),
    "export": ({}, False),
    "renew": ({"who": "bob"}, True),
    "revoke": ({"who": "bob"}, True),
    "extend": ({"who": "amy", "when": "2099-02-01T18:00Z"}, False),
    "accept": ({"who": "amy"}, False),
    "disqualify": ({"who": "bob", "reason": "copied"}, False),
    "readmit": ({"who": "bob"}, False),
    "forget": ({"who": "bob", "sure": "yes"}, False),
}
DOWNLOADS = {"backup", "export"}


def make_sensible(arena, name):
    amy, bob = arena.person_called("amy"), arena.person_called("bob")
    if name == "resume":
        arena.change_rules("test", paused=True)
    elif name == "readmit":
        arena.change_person(bob, "test", disqualified="copied")
    elif name == "accept":
        arena.change_rules("test", late="keep", deadline=1.0)
        arena.hand_in(amy, "bot.py", HIGHEST)
    elif name == "forget":
        arena.change_rules("", phase="over")


def by_command(arena, name, written, place):
    """The same decision on the command line: files are files there."""
    words = [name, str(arena.folder)]
    for field in DECISIONS[name].fields:
        if field.name in written:
            value = written[field.name]
            if field.is_file:
                (place / field.name).write_text(value)
                value = str(place / field.name)
            if field.words == ("true", "false"):
                words += [f"--{'' if value == 'true' else 'no-'}{field.name}"]
            else:
                words += [value] if field.required else [f"--{field.name.replace('_', '-')}", value]
    words += ["--yes"] if DECISIONS[name].final else []
    return CliRunner().invoke(command, words)


def test_every_decision_is_in_the_table():
    assert set(ROWS) == set(DECISIONS)


@pytest.mark.parametrize("name", [*DECISIONS])
def test_who_may_decide_what_on_the_pages(arena, codes, name):
    written, for_assistants = ROWS[name]
    app = make_app(arena.folder)
    make_sensible(arena, name)
    path, form = f"/staff/{name}", urlencode(written).encode()
    query = f"?who={written['who']}" if "who" in written else ""
    before = len(arena.audit())
    for visitor, status in {None: 401, "bob": 403, "amy": 403, "tom": 200 if for_assistants else 403}.items():
        headers = bearer(codes[visitor]) if visitor else {"origin": "http://localhost"}
        assert ask(app, "GET", path + query, **headers).status == status
        if status != 200:
            assert ask(app, "POST", path, form, **headers).status == status
    lea = {"authorization": f"Bearer {codes['lea']}", "accept": "text/html"}
    page = ask(app, "GET", path + query, **lea)
    assert page.status == 200
    assert f'action="/staff/{name}"' in page.text  # a button to confirm it
    assert len(arena.audit()) == before  # looking decides nothing
    answer = ask(app, "POST", path, form, **lea)
    if name == "grades":
        assert (answer.status, "No round has been played yet" in answer.text) == (400, True)
    else:
        assert answer.status == 200, answer.text
        assert arena.audit()[0].actor == "lea"


@pytest.mark.parametrize("name", sorted(set(DECISIONS) - DOWNLOADS - {"grades"}))
def test_a_command_makes_each_decision(arena, codes, tmp_path, name):
    make_sensible(arena, name)
    said = by_command(arena, name, ROWS[name][0], tmp_path)
    assert said.exit_code == 0, said.output
    assert arena.audit()[0].actor == "operator"
    told = {"deadline": "Later hand-ins are kept aside.", "rules": "Now: spectators: True, replays: 'own', per_hour: 5"}
    assert told.get(name, "") in " ".join(said.output.split())


@each(
    ("name", "written", "problem"),
    [
        ("resume", {}, "“Resume the ladder” does not apply now. Nothing was changed."),
        ("final", {}, "This cannot be undone: say that you are sure."),
        ("forget", {"who": "bob", "sure": "yes"}, "does not apply now"),
        ("accept", {"who": "bob"}, "does not apply now"),
        ("disqualify", {"who": "bob", "reason": " "}, "Expected reason as text of 1 to 1,000 characters, found ' '."),
        ("disqualify", {"who": "bob", "reason": "x" * 1001}, "Expected reason as text of 1 to 1,000 characters"),
        ("disqualify", {"who": "tom", "reason": "x"}, "“Disqualify a bot” does not apply now. Nothing was changed."),
        ("disqualify", {"who": "bbo", "reason": "x"}, "Nobody is called 'bbo'. Did you mean 'bob'?"),
        ("revoke", {"who": "lea"}, "you would lock yourself out"),
        ("extend", {"who": "tom", "when": "2099-01-01 12:00"}, "does not apply now"),
        ("deadline", {"when": "tomorrow"}, "Expected when as none or a time as 2026-12-18 18:00"),
        ("deadline", {"when": "2099-01-01"}, "Expected when as none or a time as"),
        ("deadline", {}, "Expected when as none or a time as"),
        ("deadline", {"when": "2020-01-31T18:00Z"}, "Expected a time to come, found 2020-01-31T18:00:00.000Z."),
        ("deadline", {"when": "none", "late": "never"}, "Expected late as one of refuse, keep, found 'never'."),
        ("rules", {"per_hour": "0"}, "Expected per_hour as a whole number from 1 to 10000, found 0."),
        ("rules", {"spectators": "maybe"}, "Expected spectators as true or false"),
        ("rules", {"notice": "x" * 1001}, "Expected notice as text of at most 1,000 characters"),
        ("invite", {"people": "naem\nZoe"}, "expected a heading 'name', found 'naem'. Did you mean"),
        ("grades", {"scheme": "formula: import os"}, "formula: expected arithmetic"),
    ],
)
def test_what_is_wrong_or_makes_no_sense_is_refused_with_one_line(arena, codes, tmp_path, name, written, problem):
    before = arena.audit(), arena.people(), arena.rules
    with pytest.raises(LeagueError) as refused:
        DECISIONS[name].make(Desk(arena, "lea", "lecturer"), written)
    assert problem in str(refused.value)
    assert "\n" not in str(refused.value)
    assert (arena.audit(), arena.people(), arena.rules) == before
    app = make_app(arena.folder)
    lea = bearer(codes["lea"])
    answer = ask(app, "POST", f"/staff/{name}", urlencode(written).encode(), **lea)
    assert answer.status == (404 if "Nobody is called" in problem else 400)
    if answer.status == 400:
        page = ask(app, "POST", f"/staff/{name}", urlencode(written).encode(), **lea, accept="text/html")
        assert 'role="alert"' in page.text  # beside the form, which keeps what was filled in


ALWAYS, OF_PEOPLE = "invite grades rules backup export", "renew revoke disqualify"


@each(
    ("phase", "of_arena", "of_author"),
    [
        ("open", f"pause {ALWAYS} deadline final", f"{OF_PEOPLE} extend accept"),
        ("closed", f"pause {ALWAYS}", f"{OF_PEOPLE} accept"),
        ("final", f"pause {ALWAYS}", OF_PEOPLE),
        ("over", ALWAYS, f"{OF_PEOPLE} forget"),
    ],
)
def test_what_makes_sense_in_each_phase_is_offered_and_nothing_else_is_done(arena, codes, phase, of_arena, of_author):
    arena.change_rules("test", phase=phase, late="keep")
    amy, lea = arena.person_called("amy"), arena.person_called("lea")
    offered = [{one.name for one in offers(arena.rules, "lecturer", who)} for who in (None, amy, lea)]
    assert offered[:2] == [{*of_arena.split()}, {*of_author.split()}]
    assert offered[2] <= {"renew", "revoke", "forget"}
    desk = Desk(arena, "lea", "lecturer")
    for name in {*DECISIONS} - offered[0] - offered[1]:
        with pytest.raises(LeagueError, match="does not apply now"):
            DECISIONS[name].make(desk, {"who": "amy", "sure": "yes", **ROWS[name][0]})


def test_assistants_do_not_decide_about_the_staff(arena, codes):
    desk = Desk(arena, "tom", "assistant")
    for name in ("renew", "revoke"):
        with pytest.raises(LeagueError, match="is for the lecturer"):
            DECISIONS[name].make(desk, {"who": "lea"})
    with pytest.raises(LeagueError, match="Only the lecturer can invite"):
        DECISIONS["invite"].make(desk, {"people": "name,role\nZoe,lecturer"})


def test_what_is_left_out_stays_and_an_empty_notice_takes_it_back(arena):
    desk = Desk(arena, "lea", "lecturer")
    DECISIONS["rules"].make(desk, {"notice": " 12 ", "per_hour": "1"})
    DECISIONS["rules"].make(desk, {"spectators": "true"})
    assert (arena.rules.notice, arena.rules.per_hour, arena.rules.spectators) == ("12", 1, True)
    DECISIONS["rules"].make(desk, {"notice": ""})
    assert (arena.rules.notice, arena.rules.per_hour) == ("", 1)
    DECISIONS["deadline"].make(desk, {"when": "2099-01-01T12:00Z", "late": "keep"})
    DECISIONS["deadline"].make(desk, {"when": "none"})
    assert (arena.rules.deadline, arena.rules.late) == (None, "keep")


def test_a_final_begins_although_the_ladder_was_paused(arena):
    arena.change_rules("test", paused=True)
    DECISIONS["final"].make(Desk(arena, "lea", "lecturer"), {"sure": "yes"})
    assert (arena.rules.phase, arena.rules.paused) == ("closed", False)


def test_the_form_has_what_holds_now(arena):
    arena.change_rules("test", per_hour=7, deadline=4e9, spectators=True)
    fields = {field.name: field for name in ("rules", "deadline") for field in DECISIONS[name].fields}
    shown = {name: field.shown(arena.rules, None) for name, field in fields.items()}
    assert shown == {
        "spectators": "true",
        "replays": "public",
        "per_hour": "7",
        "notice": "",
        "when": "2096-10-02T07:06:40.000Z",
        "late": "refuse",
    }
    assert read_time(shown["when"]) == 4e9


def test_times_are_those_of_this_machine_unless_they_have_a_zone():
    assert read_time("2099-01-01T12:00+02:00") == read_time("2099-01-01T10:00Z")
    assert read_time("2099-01-01") is None


def test_a_new_link_is_shown_once_and_not_logged(arena, codes):
    done = DECISIONS["renew"].make(Desk(arena, "lea", "lecturer", "https://arena.example.org"), {"who": "amy"})
    base, _, code = done.invitations[0].link.partition("/enter#")
    assert base == "https://arena.example.org"
    assert arena.by_code(codes["amy"]) is None
    assert arena.by_code(code).alias == "amy"
    assert code not in str(arena.audit())
    app = make_app(arena.folder)
    page = ask(app, "POST", "/staff/renew", b"who=amy", **bearer(codes["lea"]), accept="text/html")
    assert "data:image/svg+xml" in page.text  # a QR code


def test_a_backup_that_is_downloaded_can_be_restored(arena, codes, tmp_path):
    answer = ask(make_app(arena.folder), "POST", "/staff/backup", **bearer(codes["lea"]))
    assert answer.headers["content-disposition"] == 'attachment; filename="demo-backup.zip"'
    (tmp_path / "backup.zip").write_bytes(answer.body)
    restore(tmp_path / "backup.zip", tmp_path / "again")
    with ArenaStore.open(tmp_path / "again") as again:
        assert again.people() == arena.people()
    assert not list(arena.folder.glob(".download-*"))


@pytest.mark.parametrize("name", sorted(DOWNLOADS))
def test_a_command_writes_a_file_and_never_over_another(arena, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    words = [name, str(arena.folder), "--to", "kept.zip", "--json"]
    said = CliRunner().invoke(command, words)
    assert json.loads(said.stdout)["bytes"] == (tmp_path / "kept.zip").stat().st_size
    assert (tmp_path / "kept.zip").stat().st_mode & 0o077 == 0
    again = CliRunner().invoke(command, words)
    assert "exists already" in str(again.exception)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arena", "demo.yaml", "kept.zip"]


@pytest.mark.parametrize(("answer", "phase"), [("n\n", "open"), ("", "open"), ("y\n", "closed")])
def test_a_command_asks_before_what_cannot_be_undone(arena, answer, phase):
    CliRunner().invoke(command, ["final", str(arena.folder)], input=answer)
    assert arena.rules.phase == phase
