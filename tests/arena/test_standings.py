"""What is shown of a ladder that was played: places, curves, games of every version, and the final."""

import re

import pytest

from league.extensions.arena.ladder import Ladder
from league.extensions.arena.pages import make_app
from league.extensions.arena.records import ALL_GAMES, GameStanding, Rated
from league.extensions.arena.status import AuthorState, ladder
from league.extensions.arena.store import DAY, ArenaStore
from league.values.settings import Isolation
from tests.arena.asking import ask
from tests.arena.conftest import CONFIG, FAILING, HIGHEST, LOWEST, bearer, invited, made, steps
from tests.arena.test_ladder import enter

REPLAY = "/standings/play/raj-2p:{}:0.0"


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """An arena after two rounds, in which amy has replaced a version; returns it with everybody's code."""
    place = tmp_path_factory.mktemp("played")
    arena = made(place, CONFIG.replace("deals: 8", "deals: 4").replace("games:", "moves: none\ngames:"))
    codes = invited(arena)
    amy, bob = (arena.person_called(alias) for alias in ("amy", "bob"))
    enter(arena, amy, LOWEST)
    enter(arena, bob, LOWEST + b"\n# and nothing else\n")
    assert steps(arena, most=1)
    enter(arena, amy, HIGHEST)
    assert steps(arena, most=1)
    return arena, codes


@pytest.fixture
def arena(played):
    arena, _ = played
    yield arena
    arena.change_rules("test", replays="public", spectators=False, phase="open")


@pytest.fixture
def seen(played, arena):
    """The page that somebody gets at a path: status and text."""
    _, codes = played
    app = make_app(arena.folder)

    def seen(who, path):
        headers = bearer(codes[who]) if who else {}
        answer = ask(app, "GET", path, accept="text/html", **headers)
        return answer.status, answer.text

    return seen


def test_spectators_find_the_ladder_the_lecture_hall_and_the_way_back(arena, seen):
    assert "/ladder" not in seen(None, "/")[1]
    assert seen(None, "/standings/")[0] == 401
    arena.change_rules("test", spectators=True)
    assert 'href="/ladder"' in seen(None, "/")[1]
    assert 'href="/standings/#show"' in seen(None, "/ladder")[1]
    assert '<a href="/">Arena</a>' in seen(None, "/standings/")[1]


def test_games_of_a_version_that_was_replaced_are_listed_and_shown(arena, seen):
    sources = {version.number: version.source for version in arena.submissions("amy")}
    path = "/standings/games?bot=amy&kind=closest&version={}"
    old, new = (seen("amy", path.format(sources[number]))[1] for number in (1, 2))
    links = [re.findall(r'href="(versions/amy/\w+/\d+/\d+)"', page) for page in (old, new)]
    assert all(links)
    assert not {*links[0]} & {*links[1]}
    status, text = seen("amy", f"/standings/{links[0][0]}")
    assert (status, 'class="viewer"' in text) == (200, True)
    assert path.format(sources[1]).partition("?")[0] in seen("amy", "/people/me")[1]
    other = links[0][0].replace(sources[1], sources[2])
    assert seen("amy", f"/standings/{other}")[0] == 404, "another version played it"


def test_a_replay_can_be_read_without_script(arena, seen):
    text = re.search(r"<noscript>(.*)</noscript>", seen("amy", REPLAY.format("amy+bob"))[1], re.DOTALL)[1]
    assert "<pre" in text
    assert "Round 15" in text


def test_an_author_sees_place_limits_and_a_curve_with_versions_marked(arena, seen):
    text = seen("amy", "/people/me")[1]
    assert "Hand-ins are open" in text
    assert f"At most {arena.rules.per_hour} versions an hour" in text
    assert 'aria-label="Rating over 2 runs' in text
    assert ">version 2</text>" in text
    assert seen("lea", "/people/amy")[1].count("<form") == seen("amy", "/people/me")[1].count("<form") - 2


def test_the_ladder_has_arrows_and_ones_own_row(arena, seen):
    text = seen("bob", "/ladder")[1]
    rows = re.findall(r"<tr(?: class=\"own\")?><td>.*?</tr>", text, re.DOTALL)
    [board] = ladder(arena, 1).values()
    assert [re.search(r"(\w+)</a></th>", row)[1] for row in rows] == [bot for bot, _, _ in board]
    assert [("own" in row) for row in rows] == [("bob</a>" in row) for row in rows]
    assert "podium" not in text.partition("<main")[2]


def place(text, rating=25.0, title=ALL_GAMES):
    return GameStanding(title, text, 4, rating, rating - 1, rating + 1, 0.5)


def played_rounds(store, *rounds):
    """Rounds that are over, each with where bots were then."""
    for bots in rounds:
        part = store.begin_round(dict.fromkeys(bots, "hash"))
        store.end_round(part, [Rated(part.number, bot, "hash", (standing,)) for bot, standing in bots.items()])


@pytest.mark.parametrize(("hours", "moved"), [(23.9, 0), (24.1, 2)])
def test_arrows_compare_with_the_last_round_of_a_day_ago(tmp_path, played, hours, moved):
    clock = [0.0]
    store = ArenaStore.open(made(tmp_path).folder, clock=lambda: clock[0])
    played_rounds(store, {"amy": place("2")}, {"amy": place("4")})
    clock[0] += DAY * hours / 24
    played_rounds(store, {"amy": place("2-3", 27.0), "new": place("1")})
    [board] = ladder(store, store.round_before()[0]).values()
    assert [(bot, before and before.best_place - now.best_place) for bot, now, before in board] == [
        ("new", None),
        ("amy", moved),
    ]


def test_bots_of_one_game_have_their_place_in_it(tmp_path):
    store = made(tmp_path)
    of_all, of_raj = place("1"), place("2", title="Raj, 2 players")
    played_rounds(store, {"all": of_all, "one": of_raj})
    boards = {title: [bot for bot, _, _ in rows] for title, rows in ladder(store, 1).items()}
    assert boards == {ALL_GAMES: ["all"], "Raj, 2 players": ["one"]}
    assert [str(one.main) for one in store.ratings_after().values()] == ["1 of 4", "2 of 4, Raj, 2 players"]
    played_rounds(store, {"one": of_raj})
    assert [*store.ratings_after()] == ["one"], "who has left is told nothing more"


def test_after_the_final_everybody_sees_its_numbers(tmp_path):
    store = made(tmp_path, CONFIG.replace("deals: 8", "deals: 2"))
    [(amy, code)] = store.invite([("Amy", "amy", "", "author")], "test")
    enter(store, amy, HIGHEST)
    assert steps(store, most=1)
    store.change_rules("test", phase="closed")
    steps(store)
    [league] = (store.folder / "final" / "results").iterdir()
    rating = next(line for line in (league / "standings.csv").read_text().splitlines() if ",amy," in line).split(",")[3]
    main = store.ratings_after()["amy"].main
    assert f"{main.rating:.4f}" == rating
    assert [rated.round for rated in store.ratings("amy")] == [2, 1], "the final is the last round"
    app, amys = make_app(store.folder), {**bearer(code), "accept": "text/html"}
    page = ask(app, "GET", "/people/me", **amys).text
    assert "In the final: " in page
    assert f"<b>{main.rating:.2f}</b>" in page
    assert ">Hand in<" not in page
    assert "since" not in page.partition("<main")[2].partition("</main")[0], "the final is not compared with the ladder"
    assert 'class="podium"' in ask(app, "GET", "/ladder", **amys).text
    assert f"In the final: place {main}, rating {main.rating:.2f}" in str(AuthorState.of(store, amy))


@pytest.mark.slow
def test_where_a_bot_failed_is_shown_to_its_author_and_the_staff(tmp_path):
    arena = made(tmp_path, CONFIG.replace("deals: 8", "deals: 1"))
    codes = invited(arena)
    enter(arena, arena.person_called("bob"), FAILING)
    player = Ladder(arena.folder, 1, Isolation.SANDBOX)
    assert player.step(lambda: False)
    player.close()
    app = make_app(arena.folder)

    def shows(who, path):
        text = ask(app, "GET", path, **bearer(codes[who]), accept="text/html").text
        return "ZeroDivisionError" in text

    assert shows("bob", "/people/me")
    assert shows("lea", "/people/bob")
    for path in ("/standings/", "/standings/play/raj-2p:bob+random:0.0", "/standings/games?bot=bob&kind=fault"):
        assert not shows("amy", path)


def test_causes_of_faults_and_own_moves_stay_with_their_author(arena):
    config = (arena.folder / "config.yaml").read_text()
    assert "public: true" in config  # tracebacks are not on the page that everybody sees
    assert "moves" not in config  # they are always kept, so that the web server runs nobody's bot
