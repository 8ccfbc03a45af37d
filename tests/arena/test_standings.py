"""Standings, games and replays of a ladder that was played, as each role may see them."""

import json
import re

import pytest

from league.extensions.arena.folder import make_arena
from league.extensions.arena.ladder import Ladder
from league.extensions.arena.web import make_app
from league.values.settings import Isolation
from tests.arena.asking import ask
from tests.arena.conftest import CONFIG, FAILING, HIGHEST, LOWEST
from tests.arena.test_ladder import enter

REPLAY = "/standings/play/raj-2p:{}:0.0"


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """An arena after two rounds, in which amy has replaced a version; returns it with everybody's code."""
    place = tmp_path_factory.mktemp("played")
    (place / "demo.yaml").write_text(CONFIG.replace("deals: 8", "deals: 4").replace("games:", "moves: none\ngames:"))
    arena, _, _ = make_arena(place / "arena", place / "demo.yaml")
    people = [
        ("Amy Miller", "amy", "", "author"),
        ("Bob Stone", "bob", "", "author"),
        ("Tom Frost", "tom", "", "assistant"),
        ("Lea Hill", "lea", "", "lecturer"),
    ]
    codes = {person.alias: code for person, code in arena.invite(people, "test")}
    amy, bob = (arena.person_called(alias) for alias in ("amy", "bob"))
    ladder = Ladder(arena.folder, 1, Isolation.TRUSTED)
    enter(arena, amy, LOWEST)
    enter(arena, bob, LOWEST + b"\n# and nothing else\n")
    assert ladder.step(lambda: False)
    enter(arena, amy, HIGHEST)
    assert ladder.step(lambda: False)
    ladder.close()
    return arena, codes


@pytest.fixture
def arena(played):
    arena, _ = played
    yield arena
    arena.change_rules("test", replays="public", spectators=False, phase="open")


@pytest.fixture
def seen(played, arena):
    """What somebody gets at a path: status and text."""
    _, codes = played
    app = make_app(arena.folder)

    def seen(who, path):
        headers = {"authorization": f"Bearer {codes[who]}"} if who else {}
        answer = ask(app, "GET", path, **headers)
        return answer.status, answer.text

    return seen


def statuses(seen, path):
    return {who: seen(who, path)[0] for who in (None, "bob", "amy", "lea")}


@pytest.mark.parametrize(
    ("replays", "phase", "of_amy", "of_bots"),
    [
        ("public", "open", [200, 200, 200, 200], [200, 200, 200, 200]),
        ("own", "open", [403, 403, 200, 200], [403, 403, 403, 200]),
        ("after-final", "open", [403, 403, 403, 200], [403, 403, 403, 200]),
    ],
)
def test_replays_are_for_whom_the_rules_say(arena, seen, replays, phase, of_amy, of_bots):
    arena.change_rules("test", spectators=True, replays=replays, phase=phase)
    assert [*statuses(seen, REPLAY.format("amy+random")).values()] == of_amy
    assert [*statuses(seen, REPLAY.format("raj_nearest+random")).values()] == of_bots
    assert [*statuses(seen, "/standings/curve/raj-2p:amy+random:0.0").values()] == of_amy
    assert [*statuses(seen, "/standings/games?bot=amy").values()] == of_amy
    assert [*statuses(seen, "/standings/games?bot=random&against=amy").values()] == of_amy
    assert [*statuses(seen, "/standings/games/any.html").values()][2] == (404 if replays == "public" else 403)
    assert [*statuses(seen, "/standings/games").values()][:3] != [200, 200, 200]  # a bot must be named
    own = 403 if replays == "after-final" else 200
    assert statuses(seen, "/me/games") == {None: 401, "bob": own, "amy": own, "lea": 200}
    assert statuses(seen, "/staff/people/amy/games") == {None: 401, "bob": 403, "amy": 403, "lea": 200}


def test_spectators_find_standings_the_lecture_hall_and_the_way_back(arena, seen):
    assert "/standings/" not in seen(None, "/")[1]
    assert seen(None, "/standings/")[0] == 401
    arena.change_rules("test", spectators=True)
    assert 'href="/standings/#show"' in seen(None, "/")[1]
    assert '<a href="/">Arena</a>' in seen(None, "/standings/")[1]


def test_games_name_the_versions_that_played_them(arena, seen):
    text = seen("amy", "/me/games?kind=closest&against=bob")[1]
    assert "amy</bdi> (version 2)" in text
    assert "bob</bdi> (version 1)" in text
    assert "random</bdi>, " not in text  # only games against bob
    assert "/standings/play/raj-2p%3Aamy%2Bbob%3A" in text
    assert "Wrong" not in seen("amy", "/me/games?kind=Wrong&contest=chess-2p&against=nobody")[1]


def test_games_of_a_version_that_was_replaced_are_listed_and_shown(arena, seen):
    path = "/me/games?kind=closest&version={}"
    old = seen("amy", path.format(1))[1]
    assert "amy</bdi> (version 1)" in old
    assert "amy</bdi> (version 2)" not in old
    assert "amy</bdi> (version 2)" in seen("amy", path.format(2))[1]
    replay = re.search(r'href="(/me/versions/1/replays/\d+/\d+)"', old)[1]
    status, text = seen("amy", replay)
    assert (status, 'class="viewer"' in text) == (200, True)
    assert seen("lea", replay.replace("/me/", "/staff/people/amy/"))[0] == 200
    assert (
        'href="/staff/people/amy/versions/1/replays/'
        in seen("lea", "/staff/people/amy/games?kind=closest&version=1")[1]
    )


def test_replays_of_versions_are_for_their_owner_and_the_staff(arena, seen):
    own = re.search(r'"(/me/versions/1/replays/\d+/\d+)"', seen("amy", "/me/games?kind=closest&version=1")[1])[1]
    assert statuses(seen, own.replace("/me/", "/staff/people/amy/")) == {None: 401, "bob": 403, "amy": 403, "lea": 200}
    for path in (f"{own}9000", "/me/versions/1/replays/999/0", f"/me/versions/1/replays/{10**20}/0"):
        assert seen("amy", path)[0] == 404
    assert seen("amy", own.replace("/1/", "/2/"))[0] == 404  # another version played it
    assert seen("amy", own.replace("/1/", "/3/"))[0] == 404
    arena.change_rules("test", replays="after-final")
    assert [seen(who, path)[0] for who, path in (("amy", own), ("lea", own.replace("me", "staff/people/amy")))] == [
        403,
        200,
    ]


def test_a_replay_can_be_read_without_script(arena, seen):
    own = re.search(r'"(/me/versions/1/replays/\d+/\d+)"', seen("amy", "/me/games?kind=closest&version=1")[1])[1]
    for path in (own, REPLAY.format("amy+bob")):
        text = re.search(r"<noscript>(.*)</noscript>", seen("amy", path)[1], re.DOTALL)[1]
        assert "<pre" in text
        assert "Round 15" in text


def test_the_staff_see_how_much_time_each_bot_takes(arena, seen):
    people = {row["person"]["alias"]: row for row in json.loads(seen("lea", "/staff.json")[1])["people"]}
    assert people["amy"]["played_seconds"] > 0


def test_the_author_sees_state_and_limits(arena, seen):
    text = seen("amy", "/me")[1]
    assert "Hand-ins are open" in text
    assert f"At most {arena.rules.per_hour} versions an hour" in text


def test_the_author_sees_ratings_with_versions_marked(arena, seen):
    text = seen("amy", "/me")[1]
    assert 'aria-label="Rating from round 1 to 2' in text
    assert ">version 1</text>" in text
    assert ">version 2</text>" in text


@pytest.mark.slow
def test_what_a_failing_bot_printed_is_shown_to_its_author_and_the_staff(tmp_path):
    (tmp_path / "demo.yaml").write_text(CONFIG.replace("deals: 8", "deals: 1"))
    arena, _, _ = make_arena(tmp_path / "arena", tmp_path / "demo.yaml")
    people = [(alias, alias, "", "author") for alias in ("amy", "bob")] + [("lea", "lea", "", "lecturer")]
    codes = {person.alias: code for person, code in arena.invite(people, "test")}
    printing = FAILING.replace(b"return", b"print('my', 'secret', 'plan', len(view.legal)); return")
    enter(arena, arena.person_called("bob"), printing)
    ladder = Ladder(arena.folder, 1, Isolation.SANDBOX)
    assert ladder.step(lambda: False)
    ladder.close()
    app = make_app(arena.folder)

    def shows(who, path):
        text = ask(app, "GET", path, authorization=f"Bearer {codes[who]}").text
        return "my secret plan 15" in text, "ZeroDivisionError" in text

    assert shows("bob", "/me") == shows("lea", "/staff/people/bob") == (True, True)
    for path in ("/standings/", "/standings/play/raj-2p:bob+random:0.0", "/standings/games?bot=bob&kind=fault"):
        assert shows("amy", path) == (False, False)


def test_causes_of_faults_and_own_moves_stay_with_their_author(arena):
    config = (arena.folder / "config.yaml").read_text()
    assert "public: true" in config  # tracebacks are not on the page that everybody sees
    assert "moves" not in config  # they are always kept, so that the web server runs nobody's bot
