"""The server: this machine only, these files only, reading only."""

from __future__ import annotations

import json
import os
import re
from contextlib import nullcontext
from gzip import decompress
from http.client import HTTPConnection

import pytest

from league.errors import LeagueError, StoreError
from league.page import live, write_page
from league.page.data import PAGE
from league.page.server import MOST_CONNECTIONS, PageServer
from league.results.standings import Standings
from league.results.store import Store
from tests.page.leagues import play
from tests.page.serving import ask, served

BEING_PLAYED = re.compile(rb"Being played: (after round )?\d")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = play(tmp_path_factory.mktemp("league"), games=20)
    (folder / "standings.html").write_text("the page")
    (folder / ".hidden.html").write_text("secret")
    (folder / "games").mkdir()
    (folder / "games" / "a+b_1.0.html").write_text("a game")
    (folder / "games" / "ünï.html").write_text("another")
    return folder


@pytest.fixture(scope="module")
def port(folder):
    with served(folder) as port:
        yield port


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
        "/link.html",
        "/games/link.csv",
    ],
)
def test_nothing_else_is(port, folder, path):
    (folder.parent / "secret.html").write_text("secret")
    for link in (folder / "link.html", folder / "games" / "link.csv"):
        if not link.is_symlink():
            link.symlink_to(folder.parent / "secret.html")
    status, content, _ = ask(port, path)
    assert status == 404
    assert b"secret" not in content


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "", "[::1]:80"])
def test_other_hosts_are_refused(port, host):
    assert ask(port, "/", host=host or " ")[0] == 400


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_written(port, method):
    assert ask(port, "/", method)[0] == 405


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
        folder = play(tmp_path, games=20)
        with Store.open(folder) as store:
            write_page(store, Standings.of(store), running=True)
        return folder

    @pytest.fixture
    def port(self, killed):
        with served(killed) as port:
            yield port

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
            served = ask(port, "/")[1].replace(b" data-served", b"", 1)
            assert served == (killed / PAGE).read_bytes()
            news = live.LeagueFolder(killed).news()
        assert news.running
        assert news.page == (killed / PAGE).stat().st_mtime != before

    def test_the_page_is_made_once_for_all_who_ask(self, port, killed, monkeypatch):
        made = []
        monkeypatch.setattr(live, "make_page", lambda *_, **how: made.append(how) or b"made")
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

    monkeypatch.setattr(live.LeagueFolder, "news", damaged)
    status, content, _ = ask(port, "/progress.json")
    assert status == 503
    assert b"league.db is damaged." in content


def test_a_folder_without_a_league_is_told(tmp_path):
    with pytest.raises(StoreError, match="no results"):
        PageServer(tmp_path)


def test_a_port_that_is_taken_is_told(folder, port):
    with pytest.raises(LeagueError, match="Choose another by --port"):
        PageServer(folder, port)


def test_a_head_request_has_no_body(port):
    status, content, headers = ask(port, "/", "HEAD")
    assert (status, content, headers["Content-Length"]) == (200, b"", "8")


def test_large_files_are_compressed(port, folder):
    (folder / "large.csv").write_text("0,1\n" * 10_000)
    _, content, headers = ask(port, "/large.csv", **{"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    assert decompress(content).decode() == "0,1\n" * 10_000


def test_a_game_is_played_again_on_demand(port):
    status, content, _ = ask(port, "/play/raj-2p:first+last:0.0")
    assert status == 200
    assert b"<title>Raj: first, last</title>" in content
    assert b'href="../standings.html"' in content


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/play/nonsense", "An address looks like"),
        ("/play/raj-2p:first+nobody:0.0", "there is no bot"),
        ("/play/chess-2p:a+b:0.0", "no contest"),
        ("/games", "missing required field `bot`"),
        ("/games?bot=first&kind=odd", "Expected kind as one of lost, won, drawn, closest, fault, found 'odd'."),
        ("/games?bot=first&seat=two", "Expected `int"),
        ("/games?bot=first&page=0", "Expected `int` >= 1"),
        ("/games?bot=nobody", "nobody"),
        ("/games?bot=first&contest=chess-2p", "chess-2p"),
    ],
)
def test_a_wrong_question_for_games_is_explained(port, path, reason):
    status, content, _ = ask(port, path)
    assert status == 404
    assert reason in content.decode()


def test_news_come_as_events(port):
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/events", headers={"Host": "localhost"})
    answer = connection.getresponse()
    assert answer.headers["Content-Type"].startswith("text/event-stream")
    line = answer.readline()
    assert line.startswith(b"data: ")
    assert json.loads(line.removeprefix(b"data: "))["running"] is False
    connection.close()


def test_readers_who_leave_harm_nobody(port, capfd):
    for _ in range(20):
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", "/events", headers={"Host": "localhost"})
        connection.close()
    assert ask(port, "/")[0] == 200
    assert capfd.readouterr() == ("", "")


def test_connections_are_bounded(port):
    waiting, statuses = [], []
    for _ in range(MOST_CONNECTIONS + 5):
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", "/events", headers={"Host": "localhost"})
        waiting.append(connection)
        statuses.append(connection.getresponse().status)  # now, or all would be connected before any is answered
    for connection in waiting:
        connection.close()
    assert 200 in statuses
    assert 503 in statuses


@pytest.fixture(scope="module")
def all_of_them(tmp_path_factory):
    results = tmp_path_factory.mktemp("results")
    play(tmp_path_factory.mktemp("league"), games=20).rename(results / "evening")
    (results / "broken").mkdir()
    (results / "broken" / "league.db").write_text("no database")
    with served(results) as port:
        yield port


class TestAFolderOfLeagues:
    def test_the_index_names_all_of_them(self, all_of_them):
        status, content, _ = ask(all_of_them, "/")
        assert status == 200
        assert b'<a href="evening/">' in content
        assert b"is not a league" in content or b"broken" in content

    def test_each_is_below_its_name(self, all_of_them):
        assert b"<h1><bdi>small</bdi></h1>" in ask(all_of_them, "/evening/")[1]
        assert ask(all_of_them, "/evening")[0] == 307
        assert json.loads(ask(all_of_them, "/evening/progress.json")[1])["played"] > 0

    def test_others_are_not_found(self, all_of_them):
        assert ask(all_of_them, "/nobody/")[0] == 404
        assert ask(all_of_them, "/broken/")[0] == 503
