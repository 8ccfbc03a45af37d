"""Who may see and do what, written from the rules and not from the code: every route, for every role, under all rules.

The rules are those of docs/arena.md. Routes of the arena and of the core are found in the application itself: one that
no row of `ROWS` expects fails, and so does a row without an address.
"""

from __future__ import annotations

import re
from itertools import product
from typing import Any, NamedTuple, get_args

import pytest
from starlette.routing import Mount, Route

from league.extensions.arena import access
from league.extensions.arena.pages import make_app
from league.extensions.arena.records import ArenaRules, Phase, Replays
from league.page.live import LeagueFolder
from league.page.server import LeagueRoutes
from league.results.find import Query, find
from league.results.store import Store
from tests.arena.asking import ask
from tests.arena.conftest import CONFIG, HIGHEST, LOWEST, invited, made, steps
from tests.arena.test_ladder import enter

ROLES = {"nobody": None, "bob": "author", "amy": "owner", "tom": "assistant", "lea": "lecturer"}
STAFF = {"tom", "lea"}
OF_AMY = "raj-2p:amy+bob:0.0"
OF_BOB = "raj-2p:bob+random:0.0"
OF_STAFF = "raj-2p:raj_nearest+random:0.0"
PLAN = b"class Bot:\n    games = ('raj',)\n\n    def choose(self, view):\n"
AMYS = (
    PLAN
    + b"""        if len(view.legal) == 3:
            raise ValueError('amys own words')
        return max(view.legal)
"""
)
PRIVATE = {
    "Amy Miller": {"amy", *STAFF},
    "Bob Stone": {"bob", *STAFF},
    "amys own words": {"amy", *STAFF},  # of her source, and of the cause of her faults
}
"""Texts, and who may read them anywhere: names are the staff's, code and tracebacks their author's as well."""


class Row(NamedTuple):
    """An address, and who may ask for it."""

    method: str
    path: str
    who: str
    bots: frozenset[str] = frozenset()
    """For `watch`: those that play in what is shown; none: anybody may."""
    allowed: tuple[int, ...] = (200, 303)
    """What those get who may ask."""


def watch(path: str, *bots: str, allowed: tuple[int, ...] = (200,)) -> Row:
    """Something that shows games of these bots."""
    return Row("GET", f"/standings{path}", "watch", frozenset(bots), allowed)


ROWS = [
    Row("GET", "/", "anybody"),
    Row("GET", "/enter", "anybody"),
    Row("POST", "/enter", "anybody", allowed=(401,)),  # with a wrong code
    Row("POST", "/leave", "anybody"),
    Row("GET", "/news", "look"),
    Row("GET", "/ladder", "look"),
    Row("GET", "/config.yaml", "participants"),
    Row("GET", "/receipt", "participants"),
    Row("POST", "/receipt", "participants", allowed=(400,)),  # nothing is in it
    Row("GET", "/people/me", "participants"),
    Row("GET", "/people/amy", "owner"),
    Row("GET", "/people/nobody", "staff", allowed=(404,)),
    Row("POST", "/people/me/versions", "participants", allowed=(400,)),
    Row("POST", "/people/amy/versions", "owner", allowed=(400,)),
    Row("GET", "/people/amy/versions/1", "owner"),
    Row("GET", "/people/me/versions/99", "participants", allowed=(404,)),
    Row("GET", "/people/amy/versions/1/receipt", "owner"),
    Row("POST", "/people/amy/versions/99/play", "owner", allowed=(404,)),
    Row("GET", "/staff", "staff"),
    Row("GET", "/staff/invite", "staff"),  # all of them: test_web.py
    Row("POST", "/staff/invite", "staff", allowed=(400,)),
    Row("GET", "/staff/rules", "lecturer"),
    Row("POST", "/staff/rules", "lecturer"),
    Row("GET", "/standings", "anybody"),
    Row("GET", "/standings/", "look"),
    Row("GET", "/standings/standings.html", "look"),
    Row("GET", "/standings/standings.csv", "look"),
    Row("GET", "/standings/faults.csv", "look", allowed=(200, 404)),
    Row("GET", "/standings/progress", "look"),
    Row("GET", "/standings/compare/amy/bob", "look"),
    watch(f"/play/{OF_AMY}", "amy", "bob"),
    watch(f"/play/{OF_BOB}", "bob"),
    watch(f"/play/{OF_STAFF}", "staff"),
    watch(f"/curve/{OF_AMY}", "amy", "bob"),
    watch(f"/curve/{OF_BOB}", "bob"),
    watch("/games?bot=amy", "amy"),
    watch("/games?bot=bob", "bob"),
    watch("/games?bot=amy&version={amys}", "amy"),
    watch("/versions/amy/{amys}/{block}/0", "amy", "bob"),
    Row("GET", "/standings/versions/amy/{amys}/9999/0", "look", allowed=(404,)),
    Row("GET", "/standings/games", "look", allowed=(404,)),  # of which bot?
    watch("/games?bot=random", "staff"),
    watch("/games/{game}", "staff"),
    watch("/games/{game}?bot=bob", "staff"),
    watch("/games/{game}?bot=amy", "staff"),
    Row("GET", "/standings/bots/amy.html", "look"),
    Row("GET", "/nothing", "anybody", allowed=(404,)),
]
EVERY_REPLAYS: tuple[Replays, ...] = get_args(Replays)
PHASES: tuple[Phase, ...] = "open", "over"
RULES = [
    ArenaRules(spectators=spectators, replays=replays, phase=phase)
    for spectators, replays, phase in product((False, True), EVERY_REPLAYS, PHASES)
]


def refused(row: Row, role: str, rules: ArenaRules) -> int:
    """The status of those who may not ask; 0 for those who may."""
    if role == "nobody" and row.who != "anybody" and not (row.who in ("look", "watch") and rules.spectators):
        return 401
    if row.who in ("anybody", "participants", "look") or role == "lea" or (role == "tom" and row.who != "lecturer"):
        return 0
    if row.who in ("staff", "lecturer") or (row.who == "owner" and role != "amy"):
        return 403
    if row.who == "owner":
        return 0
    if rules.replays == "after-final":
        return 0 if rules.phase == "over" else 403
    return 0 if rules.replays == "public" or role in row.bots else 403


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """An arena after a round, and after its final as far as routes can tell; returns it with everybody's code."""
    place = tmp_path_factory.mktemp("played")
    arena = made(place, CONFIG.replace("deals: 8", "deals: 4"))
    codes = invited(arena)
    enter(arena, arena.person_called("amy"), AMYS)
    enter(arena, arena.person_called("bob"), LOWEST)
    assert steps(arena, most=1)
    results = arena.folder / "results"
    (arena.folder / "final" / "results").mkdir(parents=True)
    (arena.folder / "final" / "results" / "demo-final").symlink_to(results / "demo")
    return arena, codes


@pytest.fixture
def asked(played, monkeypatch):
    """Asks an address for somebody under some rules; returns status and text."""
    arena, codes = played
    monkeypatch.setattr(access, "WRONG_SECONDS", 0.0)
    app = make_app(arena.folder)
    league = arena.folder / "results" / "demo"
    [game, *_] = sorted(path.name for path in (league / "games").iterdir())
    with Store.open(league) as store:
        found = next(find(store, Query(bot="amy", against="bob")))
    [amys] = [entrant.source for entrant in found.series.lineup if entrant.name == "amy"]
    words = {"{game}": game, "{amys}": amys, "{block}": str(found.block)}

    def asked(row: Row, role: str, rules: ArenaRules) -> tuple[int, str]:
        if arena.rules != rules:
            arena.change_rules("test", spectators=rules.spectators, replays=rules.replays, phase=rules.phase)
        headers: dict[str, Any] = (
            {"authorization": f"Bearer {codes[role]}"} if role in codes else {"origin": "http://localhost"}
        )
        path = row.path
        for word, meant in words.items():
            path = path.replace(word, meant)
        answer = ask(app, row.method, path, **headers)
        return answer.status, answer.body.decode(errors="replace")

    return asked


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.method} {row.path}")
def test_every_route_answers_everybody_as_the_rules_say(asked, row):
    wrong = []
    for rules, role in product(RULES, ROLES):
        status, text = asked(row, role, rules)
        code = refused(row, role, rules)
        expected = (code,) if code else row.allowed
        where = f"{role} with {rules.replays} replays, {rules.phase}, spectators {rules.spectators}"
        if status not in expected:
            wrong.append(f"{where}: expected {expected}, found {status}: {text[:200]}")
        wrong += [f"{where}: reads {words!r}" for words, who in PRIVATE.items() if words in text and role not in who]
    assert not wrong, "\n".join(wrong)


def test_every_route_has_a_row(played):
    arena, _ = played
    own = make_app(arena.folder).routes
    core = LeagueRoutes(LeagueFolder(arena.folder / "results" / "demo"), lambda: True).routes()
    missing = []
    for prefix, routes in (("", own), ("/standings", core)):
        for route in routes:
            if isinstance(route, Mount):
                assert route.path == "/standings", "a new part of the arena, whose routes are not walked"
                continue
            assert isinstance(route, Route)
            for method in (route.methods or {"GET"}) - {"HEAD"}:
                paths = [re.sub(r"[?].*", "", row.path) for row in ROWS if row.method == method]
                mine = [re.sub(r"{\w+}", "1", path.removeprefix(prefix)) for path in paths if path.startswith(prefix)]
                if not any(route.path_regex.match(path) for path in mine):
                    missing.append(f"{method} {prefix}{route.path}")
    assert not missing, "nobody has decided who may ask for these"


def test_nobody_finds_out_who_takes_part_by_trying_names(played):
    arena, codes = played
    app = make_app(arena.folder)
    for path in ("/people/{}", "/people/{}/versions/1"):
        words = ("bob", "BOB", "Bob%20Stone", "Bob Stone", "Lea Hill", "lecturer", "nobody", "Me", "%2e%2e")
        answers = {ask(app, "GET", path.format(word), authorization=f"Bearer {codes['amy']}").body for word in words}
        assert answers == {b'{"problem":"This is for its author and the staff."}'}
    assert ask(app, "GET", "/people/Bob Stone", authorization=f"Bearer {codes['tom']}").status == 200


def test_people_of_a_team_share_their_page_and_nobody_else_sees_it(arena):
    people = [("A", "ann", "foxes", "author"), ("B", "ben", "foxes", "author"), ("C", "cid", "", "author")]
    codes = invited(arena, people)
    arena.hand_in(arena.person_called("ann"), "bot.py", HIGHEST)
    app = make_app(arena.folder)
    for who, status in {"ann": 200, "ben": 200, "cid": 403}.items():
        asked = {"authorization": f"Bearer {codes[who]}"}
        assert ask(app, "GET", "/people/ann/versions/1", **asked).status == status
        handed_in = ask(app, "POST", "/people/ann/versions?filename=bot.py", HIGHEST + b"#", **asked)
        assert handed_in.status == {"ann": 201, "ben": 400, "cid": 403}[who], "everybody hands in under their own name"


@pytest.mark.parametrize("method", ["HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_lead_nowhere_else(played, method):
    arena, _ = played
    app = make_app(arena.folder)
    arena.change_rules("test", spectators=False, replays="own", phase="open")
    for row in ROWS:
        if row.who != "anybody" and "{" not in row.path:
            assert ask(app, method, row.path).status in (401, 403, 404, 405), row.path


def test_whoever_is_disqualified_while_a_file_arrives_hands_in_nothing(arena):
    [(amy, code)] = arena.invite([("Amy Miller", "amy", "", "author")], "test")
    app = make_app(arena.folder)
    answer = ask(
        app,
        "POST",
        "/people/me/versions?filename=amy.py",
        HIGHEST,
        authorization=f"Bearer {code}",
        meanwhile=lambda: arena.change_person(amy, "test", disqualified="copied"),
    )
    assert answer.status == 400
    assert arena.submissions() == []
