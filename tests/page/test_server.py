"""The server: this machine only, these files only, reading only."""

from __future__ import annotations

import json
import os
import re
from contextlib import nullcontext
from http.client import HTTPConnection
from threading import Thread

import pytest

from league.errors import LeagueError, StoreError
from league.page import PAGE, server, write_page
from league.page.server import make_server
from league.results.standings import Standings
from league.results.store import Store
from tests.page.leagues import play

BEING_PLAYED = re.compile(rb"Being played: \d")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = play(tmp_path_factory.mktemp("league"), blocks=2)
    (folder / "standings.html").write_text("the page")
    (folder / ".hidden.html").write_text("secret")
    (folder / "games").mkdir()
    (folder / "games" / "a+b_1.0.html").write_text("a game")
    (folder / "games" / "ünï.html").write_text("another")
    return folder


@pytest.fixture(scope="module")
def port(folder):
    yield from serve(folder)


def serve(folder):
    with make_server(folder, 0) as serving:
        thread = Thread(target=serving.serve_forever, daemon=True)
        thread.start()
        yield serving.server_port
        serving.shutdown()
        thread.join()


def ask(port, path, method="GET", host=None):
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, headers={"Host": host or f"localhost:{port}"})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content, answer.headers


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("/", b"the page"),
        ("/standings.html?x=1", b"the page"),
        ("/games/a+b_1.0.html", b"a game"),
        ("/games/%C3%BCn%C3%AF.html", b"another"),
    ],
)
def test_pages_are_handed_out(port, path, content):
    assert ask(port, path)[:2] == (200, content)


@pytest.mark.parametrize(
    "path",
    [
        "/league.db",
        "/config.yaml",
        "/.hidden.html",
        "/../secret.html",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/games/../../secret.html",
        "/games/..%2f..%2fsecret.html",
        "//etc/passwd.html",
        "/games",
        "/nothing.html",
        "/a%00.html",
        "//[",
    ],
)
def test_nothing_else_is(port, folder, path):
    (folder.parent / "secret.html").write_text("secret")
    status, content, _ = ask(port, path)
    assert status == 404
    assert b"secret" not in content


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "", "[::1]:80"])
def test_other_hosts_are_refused(port, host):
    assert ask(port, "/", host=host or " ")[0] == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_written(port, method):
    assert ask(port, "/", method)[0] == 501


def test_progress_is_told(port):
    status, content, headers = ask(port, "/progress.json")
    news = json.loads(content)
    assert status == 200
    assert headers["Content-Type"] == "application/json"
    assert 0 < news["played"] < news["total"]
    assert news["page"] > 0


@pytest.mark.parametrize("running", [True, False])
def test_a_league_that_has_no_page_yet_is_shown_nonetheless(port, folder, running):
    written = (folder / "standings.html").rename(folder / "away")
    with Store.create(folder) if running else nullcontext():
        status, content, _ = ask(port, "/")
        news = json.loads(ask(port, "/progress.json")[1])
    written.rename(folder / "standings.html")
    assert status == 200
    assert bool(BEING_PLAYED.search(content)) == running
    assert news["running"] == running


class TestAfterAKill:
    """What a run leaves behind that is killed: a page that says it is being played, and results that go on."""

    @pytest.fixture
    def killed(self, tmp_path):
        folder = play(tmp_path, blocks=2)
        with Store.open(folder) as store:
            write_page(store, Standings.of(store), running=True)
        return folder

    @pytest.fixture
    def port(self, killed):
        yield from serve(killed)

    def test_nobody_is_said_to_play(self, port, killed):
        assert BEING_PLAYED.search((killed / PAGE).read_bytes())
        page = ask(port, "/")[1]
        assert b"<h1><bdi>small</bdi></h1>" in page
        assert not BEING_PLAYED.search(page)
        assert not json.loads(ask(port, "/progress.json")[1])["running"]

    def test_results_that_came_after_the_page_are_shown(self, port, killed):
        (killed / PAGE).write_text("before")
        os.utime(killed / PAGE, (1, 1))
        assert b"<h1><bdi>small</bdi></h1>" in ask(port, "/")[1]

    def test_while_it_is_played_again_the_run_writes_the_page(self, port, killed):
        before = json.loads(ask(port, "/progress.json")[1])["page"]
        with Store.create(killed):
            assert ask(port, "/")[1] == (killed / PAGE).read_bytes()
            news = server.Reporter(killed).news()
        assert news.running
        assert news.page == (killed / PAGE).stat().st_mtime != before

    def test_the_page_is_made_once_for_all_who_ask(self, port, killed, monkeypatch):
        made = []
        monkeypatch.setattr(server, "_made", lambda *_, **how: made.append(how) or b"made")
        assert [ask(port, "/")[1] for _ in range(3)] == [b"made"] * 3
        assert made == [{"running": False}]

    def test_nothing_is_written(self, port, killed):
        before = {path: path.read_bytes() for path in killed.rglob("*.html")}
        ask(port, "/")
        assert {path: path.read_bytes() for path in killed.rglob("*.html")} == before


def test_looking_at_a_league_does_not_make_its_page_old(port, folder):
    """Readers leave an empty log behind, which is newer than the page."""
    (folder / "league.db-wal").write_bytes(b"")
    assert ask(port, "/")[1] == b"the page"


def test_a_damaged_league_is_told_in_words(port, folder, monkeypatch):
    def damaged(*_):
        raise StoreError("league.db is damaged.")

    monkeypatch.setattr(server.Reporter, "news", damaged)
    status, content, _ = ask(port, "/progress.json")
    assert status == 503
    assert b"league.db is damaged." in content


def test_a_folder_without_a_league_is_told(tmp_path):
    with pytest.raises(StoreError, match="no results"):
        make_server(tmp_path, 0)


def test_a_port_that_is_taken_is_told(folder, port):
    with pytest.raises(LeagueError, match="Choose another by --port"):
        make_server(folder, port)
