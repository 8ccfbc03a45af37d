"""Standings, games and replays of a ladder that was played, as each role may see them."""

import pytest

from league.arena.folder import make_arena
from league.arena.ladder import Ladder
from league.arena.web import make_app
from league.values.settings import Isolation
from tests.arena.asking import ask
from tests.arena.conftest import CONFIG, HIGHEST, LOWEST
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
    for alias in ("amy", "bob"):
        arena.change_person(arena.person_called(alias), "test", hidden=False)


@pytest.fixture
def seen(played, arena):
    """What somebody gets at a path: status and text."""
    _, codes = played
    app = make_app([arena.folder])

    def seen(who, path):
        headers = {"authorization": f"Bearer {codes[who]}"} if who else {}
        answer = ask(app, "GET", path, **headers)
        return answer.status, answer.text

    return seen


def statuses(seen, path):
    return {who: seen(who, path)[0] for who in (None, "bob", "amy", "lea")}


def test_a_hidden_bot_keeps_its_place_under_another_name(arena, seen):
    arena.change_rules("test", spectators=True)
    assert "amy" in seen("bob", "/standings/")[1]
    arena.change_person(arena.person_called("amy"), "test", hidden=True)
    for who in (None, "bob"):
        status, text = seen(who, "/standings/")
        assert (status, "amy" in text, "hidden-1" in text) == (200, False, True)
    for who in ("amy", "lea"):
        text = seen(who, "/standings/")[1]
        assert ("amy" in text, "hidden-1" in text) == (True, False)
    for path in ("/standings/standings.csv", "/standings/compare/amy/bob", "/standings/games?bot=amy"):
        assert [status < 400 for status in statuses(seen, path).values()] == [False, False, True, True]
    assert "amy" not in seen("bob", "/standings/games?bot=bob&kind=won")[1]
    assert "amy" in seen("amy", "/standings/games?bot=bob&kind=won")[1]
    assert seen("bob", REPLAY.format("amy+bob"))[0] >= 400
    assert seen("amy", REPLAY.format("amy+bob"))[0] == 200


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
    assert [*statuses(seen, "/standings/games?bot=amy").values()] == of_amy
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
    text = seen("amy", "/me/games?kind=won&against=bob")[1]
    assert "amy</bdi> (version 2)" in text
    assert "bob</bdi> (version 1)" in text
    assert "random</bdi>, " not in text  # only games against bob
    assert "/standings/play/raj-2p%3Aamy%2Bbob%3A" in text
    assert "Wrong" not in seen("amy", "/me/games?kind=Wrong&contest=chess-2p&against=nobody")[1]


def test_the_author_sees_ratings_with_versions_marked(arena, seen):
    text = seen("amy", "/me")[1]
    assert 'aria-label="Rating from round 1 to 2' in text
    assert ">version 1</text>" in text
    assert ">version 2</text>" in text


def test_causes_of_faults_and_own_moves_stay_with_their_author(arena):
    config = (arena.folder / "config.yaml").read_text()
    assert "public: true" in config  # tracebacks are not on the page that everybody sees
    assert "moves" not in config  # they are always kept, so that the web server runs nobody's bot
