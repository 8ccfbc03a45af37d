"""The server: this machine only, these files only, reading only."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from threading import Thread

import pytest

from league.errors import LeagueError, StoreError
from league.page import server
from league.page.server import make_server
from tests.page.leagues import play


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


def test_a_league_that_has_no_page_yet_is_shown_nonetheless(port, folder):
    written = (folder / "standings.html").rename(folder / "away")
    status, content, _ = ask(port, "/")
    written.rename(folder / "standings.html")
    assert status == 200
    assert b"Being played:" in content


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
