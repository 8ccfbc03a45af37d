"""The list of games has all that are asked for, page by page."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest

from league.page import live
from league.page.live import Asked, games_page
from league.results.find import Query, find
from league.results.store import Store
from tests.page.leagues import play


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Store.open(play(tmp_path_factory.mktemp("league"))) as store:
        yield store


def listed(html):
    return [unquote(address) for address in re.findall(r'href="play/([^"]+)"', html)]


def addresses(store, query):
    return {str(game.address) for game in find(store, query)}


@pytest.mark.parametrize("kind", ["lost", "won", "drawn"])
def test_the_pages_together_have_every_game_once(store, monkeypatch, kind):
    monkeypatch.setattr(live, "SHOWN", 3)
    found, page = [], 1
    while "More games →" in (html := games_page(store, Asked("first", kind=kind, page=page))):
        found += listed(html)
        assert ("Games before" in html) == (page > 1)
        page += 1
    found += listed(html)
    assert sorted(found) == sorted(addresses(store, Query(bot="first", ended=kind)))


def test_every_contest_is_on_the_first_page(store, monkeypatch):
    monkeypatch.setattr(live, "SHOWN", 3)
    contests = {address.partition(":")[0] for address in listed(games_page(store, Asked("last", kind="won")))}
    assert contests == {"raj-2p", "raj-3p", "braverats-2p"}


def test_a_seat_has_all_its_games(store):
    html = games_page(store, Asked("last", contest="raj-3p", seat=2, kind="won"))
    won = [game for game in find(store, Query(bot="last", game="raj-3p", ended="won")) if game.bots[1] == "last"]
    assert won
    assert sorted(listed(html)) == sorted(str(game.address) for game in won)
