"""The server: this machine only, these files only, reading only."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sys
from contextlib import ExitStack, nullcontext
from gzip import decompress
from http.client import HTTPConnection, IncompleteRead
from subprocess import PIPE, Popen
from threading import Event, Semaphore, Thread, Timer
from time import sleep

import pytest

from league.errors import LeagueError, StoreError
from league.page import build, live, write_page
from league.page.data import PAGE
from league.page.inline import script_hashes
from league.page.render import page_scripts
from league.page.server import MOST_CONNECTIONS, ImpatientProtocol, PageServer
from league.results.compare import compare, verdict
from league.results.csvs import write_csvs
from league.results.standings import Standings
from league.results.store import Store
from tests.page.leagues import play
from tests.page.serving import ask, served
from tests.tables import each

OURS = f"{' '.join(script_hashes(page_scripts()))} the page"
"""A page that says that its scripts are those of this version."""
BEING_PLAYED = re.compile(rb"Being played: (after round )?\d")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = play(tmp_path_factory.mktemp("league"), games=20)
    (folder / "standings.html").write_text(OURS)
    (folder / ".hidden.html").write_text("secret")
    (folder / "games").mkdir()
    (folder / "games" / "a+b_1.0.html").write_text("a game")
    (folder / "games" / "ünï.html").write_text("another")
    return folder


@pytest.fixture(scope="module")
def port(folder):
    with served(folder) as port:
        yield port


@each(
    ("path", "content"),
    [
        ("/", OURS.encode()),
        ("/standings.html?x=1", OURS.encode()),
        ("/games/a+b_1.0.html", b"a game"),
        ("/games/%C3%BCn%C3%AF.html", b"another"),
    ],
)
def test_pages_are_served(port, path, content):
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
def test_other_files_are_not_served(port, folder, path):
    (folder.parent / "secret.html").write_text("secret")
    for link in (folder / "link.html", folder / "games" / "link.csv"):
        if not link.is_symlink():
            link.symlink_to(folder.parent / "secret.html")
    status, content, _ = ask(port, path)
    assert status == 404
    assert b"secret" not in content


def test_a_page_that_is_a_link_is_not_followed(port, folder):
    page = folder / PAGE
    page.rename(folder / "away")
    (folder.parent / "secret.html").write_text(f"{OURS} secret")
    page.symlink_to(folder.parent / "secret.html")
    status, content, _ = ask(port, "/")
    (folder / "away").replace(page)
    assert status == 200
    assert b"secret" not in content
    assert b"<h1><bdi>small</bdi></h1>" in content


def test_a_folder_of_games_that_is_a_link_is_not_followed(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "note.html").write_text("secret")
    folder = play(tmp_path, games=20)
    (folder / "games").symlink_to(tmp_path / "elsewhere")
    with served(folder) as port:
        assert ask(port, "/games/note.html")[0] == 404


def test_a_page_of_another_version_is_made_again(port, folder):
    (folder / PAGE).write_text("<html lang=en>another version, whose scripts would not run")
    content = ask(port, "/")[1]
    (folder / PAGE).write_text(OURS)
    assert b"<h1><bdi>small</bdi></h1>" in content


@each("path", ["/", "/games/a+b_1.0.html", "/play/raj-2p:first+last:0.0", "/games?bot=first"])
def test_only_our_scripts_run_in_a_page_and_it_asks_its_own_league_only(port, path):
    policy = dict(part.split(" ", 1) for part in ask(port, path)[2]["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert all(allowed.startswith("'sha256-") for allowed in policy["script-src"].split())
    assert policy["connect-src"] == f"http://localhost:{port}/"
    own, nowhere = f"http://localhost:{port}/", "'none'"
    assert (policy["frame-src"], policy["frame-ancestors"]) == ((own, nowhere) if path == "/" else (nowhere, "'self'"))


def test_a_host_cannot_add_to_the_policy(port):
    assert ask(port, "/", host="localhost:80; script-src *")[0] == 400


@each("host", ["evil.example", "evil.example:80", "", "[::1]:80"])
def test_other_hosts_are_refused(port, host):
    assert ask(port, "/", host=host or " ")[0] == 400


@each("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_written(port, method):
    assert ask(port, "/", method)[0] == 405


def test_progress_is_a_part_of_the_page(port, folder):
    status, content, _ = ask(port, "/progress")
    news = live.LeagueFolder(folder).news()
    assert status == 200
    assert 0 < news.played < news.total
    assert f"{news.played:,} of {news.total:,} games." in content.decode()
    assert f'data-page="{news.page}"'.encode() in content


@each("path", ["/", "/progress", "/bots/first.html", "/compare/first/last"])
def test_what_has_not_changed_is_not_sent_again(port, path):
    status, content, headers = ask(port, path)
    assert status == 200
    again, nothing, _ = ask(port, path, **{"If-None-Match": headers["ETag"]})
    assert (again, nothing) == (304, b"")
    assert ask(port, path, **{"If-None-Match": '"another"'})[:2] == (200, content)


def test_a_browser_gets_a_page_where_there_is_nothing(port):
    status, content, _ = ask(port, "/nothing", Accept="text/html")
    assert status == 404
    assert b'<a href="/">To the first page</a>' in content


def test_bots_that_have_no_file_have_a_page(port, folder):
    status, content, _ = ask(port, "/bots/first.html")
    assert status == 200
    assert b"<h1><bdi>first</bdi></h1>" in content
    assert b'<a href="../compare/first/last">' in content, "the server makes a link of it"
    assert ask(port, "/bots/nobody.html")[0] == 404


def test_a_comparison_is_the_answer_of_the_command(port, folder):
    with Store.open(folder) as store:
        said = verdict(compare(Standings.of(store), "first", "last"))
    page = ask(port, "/compare/first/last")[1].decode()
    assert f'<p class="verdict">{said}</p>' in page
    assert "Raj, 2 players" in page
    assert "raj-2p" not in page


@pytest.mark.parametrize("running", [True, False])
def test_a_league_without_a_page_is_shown(port, folder, running):
    written = (folder / "standings.html").rename(folder / "away")
    with Store.create(folder) if running else nullcontext():
        status, content, _ = ask(port, "/")
        news = live.LeagueFolder(folder).news()
    written.rename(folder / "standings.html")
    assert status == 200
    assert bool(BEING_PLAYED.search(content)) == running
    assert news.running == running


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

    def test_killed_run_is_not_shown_as_running(self, port, killed):
        assert BEING_PLAYED.search((killed / PAGE).read_bytes())
        page = ask(port, "/")[1]
        assert b"<h1><bdi>small</bdi></h1>" in page
        assert not BEING_PLAYED.search(page)
        assert not BEING_PLAYED.search(ask(port, "/progress")[1])

    def test_results_that_came_after_the_page_are_shown(self, port, killed):
        (killed / PAGE).write_text("before")
        os.utime(killed / PAGE, (1, 1))
        assert b"<h1><bdi>small</bdi></h1>" in ask(port, "/")[1]

    def test_while_it_is_played_again_the_run_writes_the_page(self, port, killed):
        before = live.LeagueFolder(killed).news().page
        with Store.create(killed):
            written = (killed / PAGE).read_bytes().replace(b"<html ", b"<html data-served data-play ", 1)
            assert ask(port, "/")[1] == written.replace(b"<a data-href=", b"<a href=")
            news = live.LeagueFolder(killed).news()
        assert news.running
        assert news.page == (killed / PAGE).stat().st_mtime != before

    def test_the_page_is_made_once_for_all_who_ask(self, port, killed, monkeypatch):
        made = []
        gathered = build.gather
        monkeypatch.setattr(build, "gather", lambda *args, **how: made.append(how) or gathered(*args, **how))
        assert len({ask(port, path)[1] for path in ("/", "/", "/bots/first.html", "/bots/last.html")}) == 3
        assert made == [{"running": False}]

    def test_nothing_is_written(self, port, killed):
        before = {path: path.read_bytes() for path in killed.rglob("*.html")}
        ask(port, "/")
        assert {path: path.read_bytes() for path in killed.rglob("*.html")} == before


def test_looking_at_a_league_does_not_make_its_page_old(port, folder):
    """Readers leave an empty log behind, which is newer than the page."""
    (folder / "league.db-wal").write_bytes(b"")
    assert ask(port, "/")[1] == OURS.encode()


def test_damaged_league_is_a_503_with_its_reason(port, folder, monkeypatch):
    def damaged(*_):
        raise StoreError("league.db is damaged.")

    monkeypatch.setattr(live.LeagueFolder, "news", damaged)
    status, content, _ = ask(port, "/progress")
    assert status == 503
    assert b"league.db is damaged." in content


def test_a_folder_without_a_league_is_refused(tmp_path):
    with pytest.raises(StoreError, match="no results"):
        PageServer(tmp_path)


def test_a_port_in_use_is_reported(folder, port):
    with pytest.raises(LeagueError, match="Choose another with --port"):
        PageServer(folder, port)


def test_a_head_request_has_no_body(port):
    status, content, headers = ask(port, "/", "HEAD")
    assert (status, content, headers["Content-Length"]) == (200, b"", str(len(OURS)))


def test_large_files_are_compressed(port, folder):
    (folder / "large.csv").write_text("0,1\n" * 10_000)
    _, content, headers = ask(port, "/large.csv", **{"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    assert decompress(content).decode() == "0,1\n" * 10_000


def test_a_game_is_played_again_on_demand(port):
    status, content, _ = ask(port, "/play/raj-2p:first+last:0.0")
    assert status == 200
    assert b"<title>Raj, 2 players: first, last</title>" in content
    assert b'href="../standings.html"' in content
    assert b"data-served" in content, "it can ask for its curve"


def test_a_curve_is_computed_once(folder, monkeypatch):
    league = live.LeagueFolder(folder)
    address = "raj-2p:first+last:0.0"
    curve = league.curve(address)
    told = json.loads(curve)
    assert len(told["chances"]) == len(told["errors"]) == 16
    assert told["chances"][-1] in ([0, 1], [1, 0], [0.5, 0.5])
    assert "at random" in told["assumed"]
    monkeypatch.setattr("league.analysis.turning_points.curve_of", None)
    assert league.curve(address) == curve


def test_one_curve_is_computed_at_a_time(folder, monkeypatch):
    league = live.LeagueFolder(folder)
    others = []

    def asks_for_another(replay, unit):
        with pytest.raises(LeagueError, match="The chances of another game are being computed") as busy:
            league.curve("raj-2p:first+last:1.0")
        others.append(busy.value)

    monkeypatch.setattr("league.analysis.turning_points.curve_of", asks_for_another)
    monkeypatch.setattr(live.msgspec, "to_builtins", lambda curve: {})
    league.curve("raj-2p:first+last:0.0")

    def busy(*_):
        raise others[0]

    monkeypatch.setattr(live.LeagueFolder, "curve", busy)
    with served(folder) as port:
        assert ask(port, "/curve/raj-2p:first+last:0.0")[0] == 503


@each(
    ("path", "reason"),
    [
        ("/curve/nonsense", "An address looks like"),
        ("/curve/raj-2p:first+last:99.0", "is not in this league"),
        ("/play/nonsense", "An address looks like"),
        ("/play/raj-2p:first+nobody:0.0", "there is no bot"),
        ("/play/chess-2p:a+b:0.0", "no contest"),
        ("/games", "missing required field `bot`"),
        ("/games?bot=first&kind=odd", "Invalid enum value 'odd' - at `$.kind`"),
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


def test_speed_counts_no_time_between_runs():
    speed = live.RunSpeed()
    assert speed.after(1, 0.0, 100) is None
    assert speed.after(1, 10.0, 200) == 10
    assert speed.after(None, 20.0, 200) is None
    assert speed.after(2, 5000.0, 200) is None, "the second run has not played yet"
    assert speed.after(2, 5002.0, 240) == 20
    assert speed.after(3, 9000.0, 240) is None, "a run that began while nobody looked"


def test_news_is_read_when_results_have_changed_and_at_most_a_part_of_the_time(folder, monkeypatch):
    """Reading takes 2 s here, so the answer stays for `REST` times as long."""
    now, change, read = [0.0], [0.0], []

    def reading():
        read.append(now[0])
        now[0] += 2.0
        return live.News(0.0, True, None, {})

    league = live.LeagueFolder(folder)
    monkeypatch.setattr(league, "_read_news", reading)
    monkeypatch.setattr(live, "monotonic", lambda: now[0])
    monkeypatch.setattr(live, "last_change", lambda folder: change[0])
    for moment, changed in ((100.0, 1), (110.0, 2), (121.9, 2), (122.0, 2), (500.0, 2), (501.0, 3)):
        now[0], change[0] = moment, changed
        league.news()
    assert read == [100.0, 122.0, 501.0]


def test_disconnecting_readers_print_nothing(port, capfd):
    for _ in range(20):
        connection = HTTPConnection("127.0.0.1", port, timeout=120)
        connection.request("GET", "/progress", headers={"Host": "localhost"})
        connection.close()
    assert ask(port, "/")[0] == 200
    assert capfd.readouterr() == ("", "")


def test_connections_are_bounded(folder, monkeypatch):
    """Readers whose answers take long: beyond the limit the first one goes, so that nobody is kept out."""
    began, go_on = Semaphore(0), Event()

    def slow(*_):
        began.release()
        go_on.wait(120)
        return b"<html >"

    monkeypatch.setattr(live.LeagueFolder, "page", slow)
    monkeypatch.setattr(ImpatientProtocol, "most_connections", 5)
    with served(folder) as port, ExitStack() as stack:
        readers = [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=120)) for _ in range(4)]
        for reader in readers:
            reader.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert began.acquire(timeout=120)
        assert ask(port, "/progress")[0] == 200
        assert readers[0].recv(1) == b""
        go_on.set()
        assert [reader.recv(4) for reader in readers[1:]] == [b"HTTP"] * 3


class TestSlowClients:
    """A client that never completes its request holds no connection for long, and keeps nobody out."""

    @staticmethod
    def begin(port: int) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", port), timeout=120)
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        return connection

    def test_half_a_request_is_given_up(self, folder, monkeypatch):
        monkeypatch.setattr("league.page.server.IDLE_SECONDS", 0.1)
        with served(folder) as port, self.begin(port) as connection:
            assert connection.recv(1) == b""

    def test_sending_it_bit_by_bit_gains_no_time(self, folder, monkeypatch):
        monkeypatch.setattr("league.page.server.IDLE_SECONDS", 0.1)

        def sends_for_ever(connection):
            for _ in range(1000):
                connection.sendall(b"X")
                sleep(0.01)

        with served(folder) as port, self.begin(port) as connection, pytest.raises(ConnectionError):
            sends_for_ever(connection)

    def test_the_second_request_of_a_connection_is_waited_for_no_longer(self, folder, monkeypatch):
        monkeypatch.setattr("league.page.server.IDLE_SECONDS", 0.1)
        with served(folder) as port, self.begin(port) as connection:
            connection.sendall(b"\r\nGET /")
            answer = b""
            while received := connection.recv(65536):
                answer += received
            assert answer.endswith(OURS.encode())

    def test_an_answer_that_nobody_reads_is_given_up(self, folder, monkeypatch):
        given_up = Event()
        lost = ImpatientProtocol.connection_lost

        def noticed(protocol, problem):
            lost(protocol, problem)
            given_up.set()

        monkeypatch.setattr(ImpatientProtocol, "connection_lost", noticed)
        monkeypatch.setattr("league.page.server.READING_SECONDS", 0)
        (folder / "huge.csv").write_bytes(b"0,1\n" * 5_000_000)
        with served(folder) as port:
            connection = HTTPConnection("127.0.0.1", port, timeout=120)
            connection.request("GET", "/huge.csv", headers={"Host": "localhost"})
            answer = connection.getresponse()
            assert given_up.wait(120)
            with pytest.raises((ConnectionError, IncompleteRead)):
                answer.read()
            connection.close()
        (folder / "huge.csv").unlink()

    def test_others_are_answered_while_all_connections_are_half_open(self, folder, monkeypatch):
        monkeypatch.setattr("league.page.server.IDLE_SECONDS", 3600)
        with served(folder) as port, ExitStack() as stack:
            for _ in range(MOST_CONNECTIONS + 20):
                stack.enter_context(self.begin(port))
            assert [ask(port, "/")[0] for _ in range(3)] == [200] * 3


@pytest.mark.slow
def test_ctrl_c_ends_it_quietly_while_somebody_reads(folder):
    command = [sys.executable, "-m", "league", "serve", str(folder), "--port", "0"]
    with Popen(command, stdout=PIPE, stderr=PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}) as server:
        port = int(re.search(r"localhost:(\d+)", server.stdout.readline())[1])
        connection = HTTPConnection("127.0.0.1", port, timeout=120)
        connection.request("GET", "/progress", headers={"Host": "localhost"})
        assert connection.getresponse().status == 200
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=60)
        connection.close()
    assert server.returncode == 130
    assert errors.strip() == "league: the server has stopped."


def test_an_answer_that_is_cut_off_at_the_end_prints_nothing(folder, monkeypatch, capfd):
    """Somebody reads while the server is stopped, and what they ask for takes longer than the server waits."""
    began, go_on = Event(), Event()

    def slow(*_, **__):
        began.set()
        go_on.wait(120)
        return b""

    monkeypatch.setattr("league.page.server.ENDING_SECONDS", 0.1)
    monkeypatch.setattr(live.LeagueFolder, "page", slow)
    server = PageServer(folder)
    thread = Thread(target=server.run)
    thread.start()
    with socket.create_connection(("127.0.0.1", server.port), timeout=120) as reader:
        reader.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert began.wait(120)
        server.stop()
        Timer(0.5, go_on.set).start()
        thread.join(120)
    assert not thread.is_alive()
    assert capfd.readouterr() == ("", "")


@pytest.fixture(scope="module")
def all_of_them(tmp_path_factory):
    results = tmp_path_factory.mktemp("results")
    play(tmp_path_factory.mktemp("league")).rename(results / "evening")
    with Store.open(results / "evening") as store:
        write_csvs(store.folder, Standings.of(store))
    (results / "broken").mkdir()
    (results / "broken" / "league.db").write_text("no database")
    with served(results) as port:
        yield port


class TestAFolderOfLeagues:
    def test_the_index_names_all_of_them(self, all_of_them):
        status, content, _ = ask(all_of_them, "/")
        assert status == 200
        assert b'<a href="evening/">' in content
        assert re.search(rb"Complete: \d+ games. Last played <time ", content)
        assert re.search(rb"<dt>Raj, 2 players</dt>.*<bdi>(first|last|rash)</bdi></a> <b>\d+\xc2\xa0%", content)
        assert b"is not a league" in content or b"broken" in content

    def test_each_is_below_its_name(self, all_of_them):
        assert b"<h1><bdi>small</bdi></h1>" in ask(all_of_them, "/evening/")[1]
        assert ask(all_of_them, "/evening")[0] == 307
        assert b'data-part="progress"' in ask(all_of_them, "/evening/progress")[1]

    @pytest.mark.parametrize("path", ["/evening/", "/evening/games?bot=first", "/evening/play/raj-2p:first+last:0.0"])
    def test_every_page_leads_back_to_the_index(self, all_of_them, path):
        assert b'<a href="/">All leagues</a>' in ask(all_of_them, path)[1]

    def test_people_can_play_against_the_bots_of_each(self, all_of_them):
        assert b"<html data-served data-play " in ask(all_of_them, "/evening/")[1]
        status, page, _ = ask(all_of_them, "/evening/sit")
        assert status == 200
        assert b"<h1>Play against bots</h1>" in page

    def test_others_are_not_found(self, all_of_them):
        assert ask(all_of_them, "/nobody/")[0] == 404
        assert ask(all_of_them, "/broken/")[0] == 503
