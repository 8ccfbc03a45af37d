"""Bodies, archives and headers that nobody sends by mistake: never a bug, nothing written outside, one clear line.

The ordinary tests try a few hundred; `make soak` tries `ARENA_FUZZ` of them, by default 10,000.
"""

import os
import random
import socket
import struct
import tempfile
import zipfile
from io import BytesIO
from pathlib import Path
from urllib.parse import quote, urlsplit

import msgspec
import pytest

from league.extensions.arena.checker import Checker
from league.extensions.arena.pages import make_app
from league.extensions.arena.records import Submission
from league.extensions.arena.web import COOKIE
from league.values.settings import Isolation
from tests.arena.asking import ask
from tests.arena.conftest import HIGHEST
from tests.arena.serving import serving, until

MANY = int(os.environ.get("ARENA_FUZZ", "10000")) // 3
pytestmark = pytest.mark.filterwarnings("ignore:Duplicate name")
AMOUNTS = [pytest.param(100, id="some"), pytest.param(MANY, id="many", marks=pytest.mark.soak)]
NASTY = [
    "",
    ".",
    "..",
    "../../evil",
    "/etc/passwd",
    "C:\\evil.py",
    "..\\..\\evil",
    "a" * 5000,
    "bo\0t.py",
    "bot.py/",
    "\u202ebot.py",
    "ʙᴏᴛ.py",
    "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
    "%2e%2e%2f",
    "%00",
    "-1",
    "0",
    "99999999999999999999",
    "1e400",
    "NaN",
    "' OR 1=1 --",
    "<script>alert(1)</script>",
    "{{7*7}}",
    "\r\nX-Evil: 1",
    "nul",
    "amy",
    "lecturer",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
]
PATHS = [
    *("/", "/enter", "/leave", "/news", "/ladder", "/config.yaml", "/people/me", "/people/me/versions", "/people/{}"),
    *("/people/{}/versions/{}", "/people/{}/versions/{}/receipt", "/people/{}/versions/{}/play", "/staff", "/staff/{}"),
    *("/staff/deadline", "/staff/revoke", "/staff/disqualify", "/staff/readmit", "/staff/accept", "/staff/pause"),
    *("/standings", "/standings/", "/standings/games", "/standings/play/{}", "/standings/{}", "/{}"),
]
FIELDS = ["code", "text", "contest", "opponent", "who", "reason", "when", "offset", "deadline", "q", "filename", "sort"]
HEADERS = ["accept", "origin", "authorization", "cookie", "host", "content-type", "content-length", "accept-encoding"]
HEADERS += ["range", "if-none-match", "if-modified-since", "x-forwarded-for", "sec-fetch-site", "expect", "upgrade"]


def word(rng: random.Random) -> str:
    if rng.random() < 0.7:
        return rng.choice(NASTY)
    return "".join(chr(rng.randrange(256)) for _ in range(rng.randrange(1, 40)))


def archive(rng: random.Random) -> bytes:
    """A .zip with hostile names and modes, of which some bytes may be changed afterwards."""
    body = BytesIO()
    with zipfile.ZipFile(body, "w") as packed:
        for _ in range(rng.randrange(5)):
            info = zipfile.ZipInfo(rng.choice(["bot.py", "data/table.txt", "bot.toml", word(rng) or "x"]))
            info.external_attr = rng.choice([0, 0o644 << 16, 0o120777 << 16, 0o40755 << 16, 0xFFFFFFFF])
            info.compress_type = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
            packed.writestr(info, rng.choice([HIGHEST, b"", bytes(100_000), rng.randbytes(50), b"[bot]\nrun = 1\n"]))
    content = bytearray(body.getvalue())
    for _ in range(rng.choice([0, 0, 1, 3, 30])):
        place = rng.randrange(len(content))
        if rng.random() < 0.5 and place + 4 <= len(content):
            struct.pack_into("<I", content, place, rng.choice([0, 1, 0xFFFF, 0xFFFFFFFF, 0x80000000]))
        else:
            content[place] = rng.randrange(256)
    return bytes(content[: rng.randrange(len(content) + 1)] if rng.random() < 0.2 else content)


def source(rng: random.Random) -> bytes:
    """A file that may look like a bot."""
    text = bytearray(
        rng.choice([HIGHEST, b"class Bot:\n" * 50, b"(" * 3000, b"[bot]\nname = 'x'\n", b"\xff\xfe\0", b"x"])
    )
    for _ in range(rng.choice([0, 1, 5, 50])):
        text.insert(rng.randrange(len(text) + 1), rng.randrange(256))
    return bytes(text)


def body_of(rng: random.Random) -> bytes:
    kind = rng.randrange(4)
    if kind == 0:
        return "&".join(
            f"{rng.choice(FIELDS)}={quote(word(rng), safe='&=%')}" for _ in range(rng.randrange(30))
        ).encode()
    return archive(rng) if kind == 1 else source(rng) if kind == 2 else rng.randbytes(rng.randrange(200))


def files_under(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def refuse_unclear(status: int, kind: str, body: bytes) -> None:
    """A refusal is one line that says something, without a traceback."""
    assert status < 500, body
    if status >= 400 and "json" in kind:
        problem = msgspec.json.decode(body)["problem"]
        assert problem.strip(), status
        assert "\n" not in problem
        assert len(problem) < 1000
    assert b"Traceback" not in body


@pytest.mark.parametrize("amount", AMOUNTS)
def test_requests_never_meet_a_bug(arena, authors, tmp_path, amount):
    arena.change_rules("test", per_hour=10**6)
    lecturer = arena.person_called("lecturer")
    app = make_app(arena.folder)
    before = files_under(tmp_path)
    rng = random.Random(amount)
    for number in range(amount):
        if number % 50 == 0:  # some of the requests sign out, revoke people or disqualify them
            for person in (authors[0], lecturer):
                arena.change_person(person, "test", disqualified="")
                arena.renew(person, "test")
            sessions = [arena.begin_session(authors[0]), arena.begin_session(lecturer), "no session"]
        path = rng.choice(PATHS)
        while "{}" in path:
            path = path.replace("{}", quote(word(rng), safe="/%") if rng.random() < 0.5 else word(rng), 1)
        query = "&".join(f"{rng.choice(FIELDS)}={quote(word(rng), safe='&=%')}" for _ in range(rng.randrange(3)))
        headers = {rng.choice(HEADERS): word(rng).encode().decode("latin-1") for _ in range(rng.randrange(3))}
        headers |= {"cookie": f"{COOKIE}={rng.choice(sessions)}"} if rng.random() < 0.8 else {}
        headers |= {"accept": "application/json"} if rng.random() < 0.5 else {}
        host = headers.pop("host", "localhost")
        method = rng.choice(["GET", "POST", "POST", "HEAD", "PUT", "OPTIONS", "DELETE"])
        answer = ask(app, method, f"{path.replace('?', '')}?{query}", body_of(rng), host=host, **headers)
        refuse_unclear(answer.status, answer.headers.get("content-type", ""), answer.body)
    assert files_under(tmp_path) - before <= {"arena/arena.db-wal", "arena/arena.db-shm"}


@pytest.mark.parametrize("amount", AMOUNTS)
def test_archives_and_sources_become_a_bot_or_one_clear_line(arena, authors, tmp_path, monkeypatch, amount):
    """Everything is done that comes before the bot runs, which is the sandbox's part."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr("league.extensions.arena.checker.check", lambda *_: ([], {"passed": False}))
    before = files_under(tmp_path)
    checker = Checker(arena.folder, Isolation.SANDBOX)
    rng = random.Random(amount)
    outcomes = set()
    for number in range(amount):
        body, filename = rng.choice([(archive(rng), "bot.zip"), (source(rng), "bot.py"), (source(rng), word(rng))])
        if number == 0:  # one that must pass
            body, filename = HIGHEST, "bot.py"
        monkeypatch.setattr(checker._arena, "content", lambda _, body=body: body)
        lines, passed, hash_ = checker.check(
            Submission(number, "amy", 1, "hash", filename, len(body), 0.0, "waiting", number)
        )
        assert not passed
        outcomes.add(bool(hash_))
        for line in lines:
            assert "a bug in League" not in line, (filename, body)
            assert line.strip()
            assert "\n" not in line
            assert str(tmp_path) not in line
            assert len(line) < 1000
    checker.close()
    assert outcomes == {True, False}
    assert files_under(tmp_path) - before <= {"arena/arena.db-wal", "arena/arena.db-shm"}


@pytest.mark.slow
@pytest.mark.parametrize("amount", AMOUNTS)
def test_bytes_that_are_no_http_never_meet_a_bug(arena, tmp_path, amount):
    """As they come over the wire, before there is a request."""
    rng = random.Random(amount)
    line = (
        b"POST /people/me/versions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
    )
    with serving(arena.folder) as served:
        until(served.answers)
        port = urlsplit(served.url).port
        for _ in range(amount):
            content = bytearray(line)
            for _ in range(rng.randrange(6)):
                place = rng.randrange(len(content))
                extra = rng.choice(
                    [rng.randbytes(3), b"\r\n", b"\0", word(rng).encode(), b"Transfer-Encoding: chunked\r\n"]
                )
                content[place : place + rng.randrange(4)] = extra
            with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                connection.sendall(content)
                connection.shutdown(socket.SHUT_WR)
                try:
                    answer = connection.makefile("rb").read()
                except ConnectionError:
                    continue
            assert not answer.startswith(b"HTTP/1.1 5"), (bytes(content), answer)
        assert served.answers()
    log = (arena.folder / "arena.log").read_text()
    # A request whose head is right and whose body breaks HTTP is answered twice: h11 refuses the second answer.
    assert log.count("Traceback") == log.count("h11._util.LocalProtocolError")
