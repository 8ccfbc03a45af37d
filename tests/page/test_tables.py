"""Games between a person and bots in the browser, as the server has them."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from random import Random

import msgspec
import pytest

from league import games
from league.errors import LeagueError
from league.games.scenes import seen_by
from league.page import tables as module
from league.page.tables import BrowserTables, TableSetting
from league.setup.roster import find
from league.values.settings import Isolation, Limits
from tests.page.leagues import play
from tests.page.playings import SETUPS
from tests.page.serving import ask, served


def setup_name(part):
    return str(part)[:16]


def opened(tables, game="raj", players=2, seat=0, options=None):
    bots = [find("random")] * (players - 1)
    setting = TableSetting(games.make(game, players, options), bots, Isolation.TRUSTED, Limits())
    return tables.find(tables.open(setting, seat))


@pytest.fixture
def tables():
    some = BrowserTables()
    yield some
    some.close()


@pytest.mark.parametrize(("game", "players", "options"), SETUPS, ids=setup_name)
def test_a_game_is_played_to_its_end_by_picking_cards(tables, game, players, options):
    rng = Random(1)
    table = opened(tables, game, players, seat=players - 1, options=options)
    position = table.position(0)
    while not position.over:
        choice = rng.choice(position.choices)
        assert choice.picks, "every move of the four games can be picked on the table"
        for seat, zone, card in choice.picks:
            scene = position.scenes[-1]
            zones = scene.table if seat < 0 else scene.seats[seat].zones
            assert card < len(zones[zone].cards)
        table.choose(position.version, choice.move)
        position = table.position(position.version)
    assert position.problem == ""
    assert position.scenes[-1].turn == ()
    assert position.banner.startswith(("You", "A draw"))
    assert position.scores == table.shown.outcome.scores
    assert table.shown.replay.names[players - 1] == "you"


@pytest.mark.parametrize(("game", "players", "options"), SETUPS, ids=setup_name)
def test_what_a_person_is_sent_tells_nothing_that_is_hidden(game, players, options):
    """Whatever they cannot know is dealt again at every step: what they are sent stays the same."""
    rng = Random(2)
    rules = games.make(game, players, options)
    state = rules.start(rules.deal(rng))
    while state.turn:
        for seat in range(players):
            other = state.copy()
            other.redeal(seat, rng)
            real, imagined = ([seen_by(seat, scene) for scene in rules.scenes([of], [])[-1]] for of in (state, other))
            assert msgspec.json.encode(real) == msgspec.json.encode(imagined)
        state.step([rng.choice(state.view(seat).legal) for seat in state.turn])


def test_a_move_that_is_late_or_illegal_is_refused(tables):
    table = opened(tables)
    position = table.position(0)
    with pytest.raises(LeagueError, match="no legal move"):
        table.choose(position.version, 99)
    with pytest.raises(LeagueError, match="too late"):
        table.choose(position.version - 1, position.choices[0].move)


def test_few_games_at_a_time(tables, monkeypatch):
    monkeypatch.setattr(module, "MOST_TABLES", 1)
    first = opened(tables)
    with pytest.raises(LeagueError, match="can be had after a minute"):
        opened(tables)
    monkeypatch.setattr(module, "FREED_SECONDS", 0.0)  # as if the page of the first had been closed
    assert not opened(tables).is_over
    assert first.position(0).problem == "You left the table: the game is over."


def test_a_game_ends_after_silence(tables, monkeypatch):
    monkeypatch.setattr(module, "SILENCE_SECONDS", 0.2)
    table = opened(tables)
    first = table.position(0)
    table._thread.join(30)
    assert table.position(first.version).problem == "You left the table: the game is over."


def test_a_bot_at_fault_is_said_and_the_game_goes_on(tables, tmp_path):
    (tmp_path / "rash.py").write_text("class Bot:\n    def choose(self, view):\n        raise ValueError\n")
    rules = games.make("raj", 2)
    setting = TableSetting(rules, [find(str(tmp_path / "rash.py"))], Isolation.TRUSTED, Limits())
    table = tables.find(tables.open(setting, 0))
    first = table.position(0)
    table.choose(first.version, first.choices[0].move)
    second = table.position(first.version)
    assert "rash is at fault" in second.told[0]


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    with served(play(tmp_path_factory.mktemp("league"), games=4), Isolation.TRUSTED) as port:
        yield port


def post(port, path, value, origin=None):
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    host = f"localhost:{port}"
    headers = {"Host": host, "Origin": f"http://{host}" if origin is None else origin}
    connection.request("POST", path, json.dumps(value), headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content


WANTED = {"contest": "raj-3p", "bots": ["first", "last"], "seat": 2}


def test_a_league_offers_its_bots(port):
    status, content, headers = ask(port, "/sit?contest=raj-3p&bot=last")
    assert status == 200
    assert b'"raj-3p"' in content
    assert "'unsafe-inline'" not in headers["Content-Security-Policy"].partition("style-src")[0]
    status, content = post(port, "/tables", WANTED)
    assert (status, json.loads(content)["names"]) == (200, ["first", "you", "last"])
    key = json.loads(content)["key"]
    position = json.loads(ask(port, f"/tables/{key}?after=0")[1])
    moved = json.loads(post(port, f"/tables/{key}/move", {"version": 1, "move": position["choices"][0]["move"]})[1])
    assert moved["version"] == 2
    assert ask(port, f"/tables/{key}/game")[0] == 404, "it is not over"
    assert post(port, f"/tables/{key}/leave", {})[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "", "null"])
def test_other_sites_cannot_play(port, origin):
    assert post(port, "/tables", WANTED, origin)[0] == 403


@pytest.mark.parametrize(
    ("value", "status"),
    [
        ({"contest": "chess", "bots": [], "seat": 1}, 404),
        ({"contest": "raj-3p", "bots": ["nobody", "last"], "seat": 1}, 404),
        ({"contest": "raj-3p", "bots": ["last"], "seat": 1}, 404),
        ({"contest": "raj-3p", "bots": ["first", "last"], "seat": 9}, 404),
        ({"what": 1}, 404),
        ({"contest": "x" * 9999, "bots": [], "seat": 1}, 413),
    ],
)
def test_what_cannot_be_played_is_explained(port, value, status):
    assert post(port, "/tables", value)[0] == status
