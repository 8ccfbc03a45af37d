"""An arena as people reach it: by TLS, behind a proxy and its sign-on."""

import http.client
import re
import shutil
import ssl
import subprocess
import threading
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

import pytest
from msgspec.structs import replace
from starlette.requests import Request

from league.errors import ArenaError
from league.extensions.arena.archive import backup, restore
from league.extensions.arena.pages import make_app
from league.extensions.arena.serve import ServeOptions, refuse_unsafe
from league.extensions.arena.store import ArenaStore
from league.extensions.arena.web import address_of
from tests.arena.asking import ask
from tests.arena.conftest import HIGHEST, ROOT
from tests.arena.serving import serving, until
from tests.docs import BLOCK
from tests.tables import each

PUBLIC = "arena.example.org"


@pytest.fixture
def certificate(tmp_path) -> tuple[Path, Path]:
    """One for this machine alone, made here."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    words += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)]
    subprocess.run(words, check=True, capture_output=True)
    return cert, key


class Browsed(NamedTuple):
    """What a browser gets; the status is 0 if nobody answers."""

    status: int
    headers: dict[str, str]
    text: str


def browsed(connection: http.client.HTTPConnection, method: str, path: str, body: str, headers: dict) -> Browsed:
    with closing(connection):
        try:
            kind = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
            connection.request(method, path, body, {**kind, **headers})
            with connection.getresponse() as answer:
                fields = {name.lower(): value for name, value in answer.getheaders()}
                return Browsed(answer.status, fields, answer.read().decode())
        except (ConnectionError, http.client.HTTPException):
            return Browsed(0, {}, "")


class TestTls:
    @pytest.mark.slow
    def test_people_come_in_by_tls_and_their_cookie_stays_there(self, arena, certificate):
        [(_, code)] = arena.invite([("Amy Miller", "amy", "", "author")], "test")
        cert, key = certificate
        context = ssl.create_default_context(cafile=cert)
        with serving(arena.folder, "--cert", str(cert), "--key", str(key)) as served:
            assert served.url.startswith("https://")
            address = urlsplit(served.url).netloc

            def ask_by_tls(method: str, path: str, body: str = "", **headers: str) -> Browsed:
                connection = http.client.HTTPSConnection(address, context=context, timeout=60)
                return browsed(connection, method, path, body, headers)

            until(lambda: ask_by_tls("GET", "/enter").status == 200)
            answer = ask_by_tls("POST", "/enter", urlencode({"code": code}), Origin=served.url)
            assert answer.status == 303
            assert "Secure" in answer.headers["set-cookie"]
            cookie = answer.headers["set-cookie"].partition(";")[0]
            assert ask_by_tls("GET", "/people/me", Cookie=cookie).status == 200
            assert browsed(http.client.HTTPConnection(address, timeout=60), "GET", "/enter", "", {}).status == 0

    def test_files_that_are_no_certificate_are_refused_in_one_line(self, tmp_path):
        (tmp_path / "cert.pem").write_text("nothing")
        (tmp_path / "key.pem").write_text("nothing")
        options = ServeOptions("", cert=str(tmp_path / "cert.pem"), key=str(tmp_path / "key.pem"))
        with pytest.raises(ArenaError, match=r"cert\.pem and .*key\.pem are no certificate with its key"):
            refuse_unsafe(options)
        with pytest.raises(ArenaError, match="No such file"):
            refuse_unsafe(replace(options, cert=str(tmp_path / "missing.pem")))


class TestSignOn:
    """The application is asked from 127.0.0.1."""

    @each(
        ("header", "proxy", "word", "status"),
        [
            ("x-remote-user", "127.0.0.1", "amy", 200),
            ("x-remote-user", "127.0.0.1", "Amy Miller", 200),
            ("x-remote-user", "127.0.0.1", "nobody", 404),
            ("x-remote-user", "127.0.0.2", "amy", 401),
            ("x-other", "127.0.0.1", "amy", 401),
        ],
    )
    def test_a_header_counts_only_from_the_proxy_that_was_named(self, arena, authors, header, proxy, word, status):
        app = make_app(arena.folder, sign_on=(header, proxy))
        assert ask(app, "GET", "/people/me", x_remote_user=word).status == status

    def test_without_the_option_it_means_nothing(self, arena, authors):
        assert ask(make_app(arena.folder), "GET", "/people/me", x_remote_user="amy").status == 401

    def test_who_was_revoked_does_not_come_in_that_way(self, arena, authors):
        app = make_app(arena.folder, sign_on=("x-remote-user", "127.0.0.1"))
        arena.revoke(authors[0], "lecturer")
        assert ask(app, "GET", "/people/me", x_remote_user="amy").status == 403

    def test_who_reads_is_counted_by_the_client_of_the_proxy(self):
        def address(client: str, *forwarded: str) -> str:
            headers = [(b"x-forwarded-for", line.encode()) for line in forwarded]
            request = Request({"type": "http", "headers": headers, "client": (client, 1)})
            return address_of(request, ("x-remote-user", "127.0.0.1"))

        assert address("127.0.0.1", "192.0.2.9, 198.51.100.1") == "198.51.100.1"
        assert address("127.0.0.1", "192.0.2.99", "198.51.100.1") == "198.51.100.1"
        assert address("198.51.100.2", "192.0.2.9") == "198.51.100.2", "nobody else can claim an address"

    def test_a_page_of_another_site_cannot_write_with_it(self, arena, authors):
        app = make_app(arena.folder, sign_on=("x-remote-user", "127.0.0.1"))
        headers = {"x_remote_user": "amy", "origin": "https://evil.example"}
        assert ask(app, "POST", "/people/me/versions?filename=a.py", HIGHEST, **headers).status == 403
        assert arena.submissions() == []


def test_an_arena_behind_a_proxy_is_that_of_its_address(arena, authors):
    """With a real one: test_proxies.py."""
    code = arena.renew(authors[0], "test")
    options = ServeOptions("", url=f"https://{PUBLIC}")
    app = make_app(arena.folder, secure=options.tls, hosts=options.names)
    form = urlencode({"code": code}).encode()
    entered = ask(app, "POST", "/enter", form, host=PUBLIC, origin=f"https://{PUBLIC}")
    assert (entered.status, entered.headers["location"]) == (303, "/")
    assert "Secure" in entered.headers["set-cookie"]
    own = {"cookie": entered.headers["set-cookie"].partition(";")[0], "origin": f"https://{PUBLIC}"}
    assert ask(app, "POST", "/enter", form, host=PUBLIC, origin="https://evil.example").status == 403
    assert ask(app, "POST", "/people/me/versions?filename=bot.py", HIGHEST, host=PUBLIC, **own).status == 201
    assert ask(app, "GET", "/people/me", host="evil.example", **own).status == 400


@pytest.mark.slow
def test_a_backup_under_load_has_every_receipt_from_before_it(arena, tmp_path):
    people = arena.invite([(name, name, "", "author") for name in ("amy", "bob", "cid")], "test")
    arena.change_rules("test", per_hour=10**6)
    ending = threading.Event()
    receipts = []

    def hand_in_on_and_on(person) -> None:
        number = 0
        while not ending.wait(0.1):
            number += 1
            receipts.append(arena.hand_in(person, "bot.py", HIGHEST + f"# {person.alias} {number}\n".encode()))

    threads = [threading.Thread(target=hand_in_on_and_on, args=(person,)) for person, _ in people]
    with serving(arena.folder):
        for thread in threads:
            thread.start()
        try:
            until(lambda: arena.last_round() is not None)
            until(lambda: len(receipts) > 20)
            before = list(receipts)
            backup(arena.folder, tmp_path / "backup.zip")
        finally:
            ending.set()
            for thread in threads:
                thread.join()
    restore(tmp_path / "backup.zip", tmp_path / "again")
    with serving(tmp_path / "again") as served:
        until(served.answers)
        with ArenaStore.open(tmp_path / "again") as again:
            stored = {(submission.bot, submission.number): submission for submission in again.submissions()}
            for receipt in before:
                assert stored[receipt.bot, receipt.number].hash == receipt.hash
                assert receipt.is_genuine(again.receipt_key)
            assert again.person_called("amy") == arena.person_called("amy")
            assert again.by_code(people[0][1]) == people[0][0], "links stay valid"
            until(lambda: any(part.ended for part in again.rounds()))


def test_the_unit_of_the_documentation_is_one_that_systemd_understands(tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd")
    page = (ROOT / "docs" / "arena.md").read_text()
    unit = next(block["body"] for block in BLOCK.finditer(page) if "[Service]" in block["body"])
    command = re.search(r"^ExecStart=(\S+)", unit, re.MULTILINE)
    assert command
    path = tmp_path / "arena.service"
    path.write_text(unit.replace(command[1], "/bin/true"))  # League is not installed there on this machine
    ended = subprocess.run(["systemd-analyze", "verify", str(path)], capture_output=True, text=True, check=False)
    complaints = [line for line in ended.stderr.splitlines() if "arena.service" in line]
    assert complaints == []
