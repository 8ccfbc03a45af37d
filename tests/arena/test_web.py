"""Who may ask for what, and what comes back: every route, for nobody, authors and staff."""

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from urllib.parse import urlencode

import msgspec
import pytest
from msgspec.structs import replace

from league.errors import ArenaError
from league.extensions.arena import author_routes, site, visits, web
from league.extensions.arena.access import Receipt
from league.extensions.arena.decisions import DECISIONS
from league.extensions.arena.web import make_app
from tests.arena.asking import ask
from tests.arena.conftest import HIGHEST, LOWEST

ORIGIN = "http://localhost"
ROUTES = [
    # method, path, body, and the status for nobody, another author, the owner, an assistant, the lecturer
    ("GET", "/", b"", 200, 303, 303, 303, 303),
    ("GET", "/enter", b"", 200, 200, 200, 200, 200),
    ("GET", "/static/arena.js", b"", 200, 200, 200, 200, 200),
    ("GET", "/static/../arena.db", b"", 404, 404, 404, 404, 404),
    ("GET", "/me", b"", 401, 200, 200, 303, 303),
    ("GET", "/me.json", b"", 401, 200, 200, 200, 200),
    ("GET", "/me/config.yaml", b"", 401, 200, 200, 200, 200),
    ("GET", "/me/versions/1", b"", 401, 404, 200, 404, 404),
    ("GET", "/me/receipts/1", b"", 401, 404, 200, 404, 404),
    ("POST", "/me/versions/1/play", b"", 401, 404, 400, 404, 404),
    ("POST", "/me/submit?filename=bot.py", LOWEST, 401, 201, 201, 400, 400),
    ("POST", "/me/paste", b"text=class+Bot%3A", 401, 303, 303, 400, 400),
    ("GET", "/me/games", b"", 401, 200, 200, 200, 200),
    ("GET", "/staff/people/amy/games", b"", 401, 403, 403, 200, 200),
    ("GET", "/me/versions/1/replays/1/0", b"", 401, 404, 404, 404, 404),  # nothing was played yet
    ("GET", "/staff/people/amy/versions/1/replays/1/0", b"", 401, 403, 403, 404, 404),
    ("GET", "/staff", b"", 401, 403, 403, 200, 200),
    ("GET", "/staff.json", b"", 401, 403, 403, 200, 200),
    ("GET", "/staff/people/amy", b"", 401, 403, 403, 200, 200),
    ("GET", "/staff/people/nobody", b"", 401, 403, 403, 404, 404),
    ("GET", "/staff/people/amy/versions/1", b"", 401, 403, 403, 200, 200),
    ("GET", "/staff/people/amy/receipts/1", b"", 401, 403, 403, 200, 200),
    ("GET", "/receipt", b"", 401, 200, 200, 200, 200),
    ("POST", "/receipt", b"receipt=%7B%7D", 401, 400, 400, 400, 400),
    ("GET", "/staff/explode", b"", 401, 403, 403, 404, 404),
    ("POST", "/staff/explode", b"", 401, 403, 403, 404, 404),
    ("GET", "/standings", b"", 303, 303, 303, 303, 303),
    ("GET", "/standings/", b"", 401, 404, 404, 404, 404),
    ("GET", "/nothing", b"", 404, 404, 404, 404, 404),
]


@pytest.fixture
def app(arena):
    return make_app(arena.folder)


@pytest.fixture
def codes(arena):
    people = [
        ("Amy Miller", "amy", "", "author"),
        ("Bob Stone", "bob", "", "author"),
        ("Tom Frost", "tom", "", "assistant"),
        ("Lea Hill", "lea", "", "lecturer"),
    ]
    return {person.alias: code for person, code in arena.invite(people, "test")}


def test_every_route_answers_each_role_as_it_should(arena, app, codes):
    arena.hand_in(arena.person_called("amy"), "bot.py", HIGHEST)
    visitors = [None, "bob", "amy", "tom", "lea"]
    wrong = []
    for method, path, body, *expected in ROUTES:
        for visitor, status in zip(visitors, expected, strict=True):
            headers = {"authorization": f"Bearer {codes[visitor]}"} if visitor else {"origin": ORIGIN}
            answer = ask(app, method, path, body, **headers)
            if answer.status != status:
                wrong.append(f"{method} {path} for {visitor}: expected {status}, found {answer.status}: {answer.text}")
    assert not wrong, "\n".join(wrong)


def test_rules_hold_at_once_and_a_notice_is_for_those_who_take_part(arena, app, codes):
    ask(
        app,
        "POST",
        "/staff/rules",
        b"spectators=false&replays=own&per_hour=5&notice=Hello",
        authorization=f"Bearer {codes['lea']}",
    )
    rules = arena.rules
    assert (rules.replays, rules.per_hour, rules.spectators) == ("own", 5, False)
    assert "Hello" in ask(app, "GET", "/me", authorization=f"Bearer {codes['amy']}").text
    assert "Hello" not in ask(app, "GET", "/").text


def test_a_receipt_can_be_checked_by_whoever_takes_part(arena, app, codes):
    receipt = arena.hand_in(arena.person_called("amy"), "bot.py", HIGHEST)
    bob = {"authorization": f"Bearer {codes['bob']}"}
    texts = {
        msgspec.json.encode(receipt).decode(): (200, "This receipt is genuine: version 1 of amy was received at"),
        msgspec.json.encode(replace(receipt, number=2)).decode(): (400, "was not issued by this arena, or it was"),
        "Amy was in time": (400, "Expected the whole text of a receipt"),
    }
    for text, (status, words) in texts.items():
        answer = ask(app, "POST", "/receipt", urlencode({"receipt": text}).encode(), **bob)
        assert (answer.status, words in answer.text) == (status, True), answer.text


def test_all_routes_are_in_the_table(arena):
    known = {(method, path.partition("?")[0]) for method, path, *_ in ROUTES}
    known |= {(method, f"/staff/{name}") for name in DECISIONS for method in ("GET", "POST")}
    routes = web.ArenaRoutes(arena.folder, secure=False, ends=lambda: True).routes()
    missing = []
    for route in routes:
        for method in (getattr(route, "methods", None) or {"GET"}) - {"HEAD"}:
            pattern = route.path_regex
            if not any(method == asked and pattern.match(path) for asked, path in known):
                missing.append(f"{method} {route.path}")
    assert missing == ["POST /enter", "POST /leave", "GET /events"]  # which have tests of their own


def _browser(app, code: str) -> dict[str, str]:
    answer = ask(app, "POST", "/enter", f"code={code}".encode(), origin=ORIGIN)
    assert answer.status == 303
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    return {"cookie": cookie.partition(";")[0], "origin": ORIGIN}


def test_a_code_becomes_a_cookie_until_it_is_left_or_revoked(arena, app, codes):
    amy = _browser(app, codes["amy"])
    assert ask(app, "GET", "/me", **amy).status == 200
    assert ask(app, "POST", "/leave", **amy).status == 303
    assert ask(app, "GET", "/me", **amy).status == 401
    amy = _browser(app, codes["amy"])
    arena.revoke(arena.person_called("amy"), "test")
    assert ask(app, "GET", "/me", **amy).status == 401
    assert ask(app, "POST", "/enter", f"code={codes['amy']}".encode(), origin=ORIGIN).status == 401


def test_wrong_codes_are_refused_after_many(app, codes, monkeypatch):
    monkeypatch.setattr(visits, "TRIES", 3)
    statuses = [ask(app, "GET", "/me.json", authorization=f"Bearer guess{n}").status for n in range(5)]
    assert statuses == [401, 401, 401, 429, 429]


def test_other_sites_cannot_write_through_a_browser(arena, app, codes):
    amy = _browser(app, codes["amy"])
    for headers in ({"origin": "http://evil.example"}, {"origin": "null"}, {"sec_fetch_site": "cross-site"}):
        answer = ask(app, "POST", "/me/paste", b"text=class+Bot%3A", cookie=amy["cookie"], **headers)
        assert (answer.status, answer.json) == (403, {"problem": "This was sent from a page of another site."})
    assert arena.submissions() == []
    assert ask(app, "GET", "/", host="evil.example").status == 400


def test_the_receipt_is_signed_and_the_same_for_the_same_file(arena, app, codes):
    amy = {"authorization": f"Bearer {codes['amy']}"}
    first = ask(app, "POST", "/me/submit?filename=a/b\\bot.py", HIGHEST, **amy)
    assert first.status == 201
    receipt = msgspec.convert(first.json, Receipt)
    assert receipt.is_genuine(arena.receipt_key)
    assert (receipt.filename, receipt.size, receipt.hash) == ("bot.py", len(HIGHEST), sha256(HIGHEST).hexdigest())
    assert ask(app, "POST", "/me/submit?filename=bot.py", HIGHEST, **amy).json == first.json
    assert ask(app, "GET", "/me/versions/1", **amy).body == HIGHEST


def test_what_is_too_large_or_too_often_is_refused_with_words(arena, app, codes, monkeypatch):
    amy = {"authorization": f"Bearer {codes['amy']}"}
    arena.change_rules("test", per_hour=1)
    ask(app, "POST", "/me/submit?filename=bot.py", HIGHEST, **amy)
    answer = ask(app, "POST", "/me/submit?filename=bot.py", LOWEST, **amy)
    assert answer.status == 429
    assert answer.headers["retry-after"] == "3600"
    assert answer.json["problem"] == "Expected at most 1 hand-ins an hour, and this is one more. Try again in 60 min."
    monkeypatch.setattr(site, "MOST_FORM", 10)
    assert ask(app, "POST", "/me/paste", b"text=" + b"x" * 20, **amy).status == 413
    monkeypatch.setattr(author_routes, "LEAST_DISK", 1 << 60)
    assert ask(app, "POST", "/me/submit?filename=bot.py", LOWEST, **amy).status == 507
    assert len(arena.submissions()) == 1


def test_an_author_sees_the_verdict_of_nobody_else(arena, app, codes):
    for code in codes.values():
        text = ask(app, "GET", "/me", authorization=f"Bearer {code}", accept="text/html").text
        assert "Stone" not in text  # names are the staff's
    assert "Bob Stone" in ask(app, "GET", "/staff", authorization=f"Bearer {codes['tom']}").text


def test_pages_have_a_strict_policy_and_escape_what_people_write(arena, app, codes):
    [(eve, _)] = arena.invite([("<script>alert(1)</script>", "eve", "", "author")], "test")
    arena.hand_in(eve, "bot.py", HIGHEST)
    page = ask(app, "GET", "/staff", authorization=f"Bearer {codes['lea']}")
    assert "<script>alert" not in page.text
    policy = page.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.soak)])
def test_random_requests_never_fail_inside(app, codes, count):
    rng = random.Random(count)
    paths = [path for _, path, *_ in ROUTES] + ["/enter", "/leave"]
    methods = ["GET", "POST", "PUT", "HEAD", "DELETE"]
    for _ in range(count):
        path = rng.choice(paths)
        if rng.random() < 0.5:
            path += "".join(rng.choice("/?%&=.\\\"'<>aé0\x00") for _ in range(rng.randrange(9)))
        body = rng.randbytes(rng.randrange(400)) if rng.random() < 0.7 else b"PK\x03\x04" + rng.randbytes(200)
        headers = {
            rng.choice(["origin", "cookie", "accept", "content_type", "content_length", "sec_fetch_site"]): "".join(
                chr(rng.randrange(32, 255)) for _ in range(rng.randrange(30))
            )
        }
        if rng.random() < 0.7:
            headers["authorization"] = f"Bearer {codes[rng.choice(['amy', 'bob', 'tom'])]}"
        answer = ask(app, rng.choice(methods), path, body, **headers)
        assert answer.status < 500, (path, answer.text)


def test_news_goes_on_when_the_database_was_busy_and_every_reader_gets_it(monkeypatch):
    monkeypatch.setattr(web, "NEWS_SECONDS", 0.001)
    monkeypatch.setattr(web, "KEEP_ALIVE_SECONDS", 0.002)
    answers = ["one", ArenaError("busy"), "one", "one", "one", "two"]

    def read() -> str:
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def heard(bulletin: web.Bulletin) -> list[bytes]:
        lines = [b""]
        news = bulletin.listen(lambda: False)
        while b"two" not in lines[-1]:
            lines.append(await anext(news))
        return lines[1:]

    async def two_readers() -> tuple[list[bytes], list[bytes]]:
        bulletin = web.Bulletin(read)
        return await asyncio.gather(heard(bulletin), heard(bulletin))

    with ThreadPoolExecutor(1) as apart:  # a browser of another test may have left a loop in this thread
        heard_by = apart.submit(asyncio.run, two_readers()).result()
    for lines in heard_by:
        assert (lines[0], lines[-1]) == (b"data: one\n\n", b"data: two\n\n")
        assert b": nothing new\n\n" in lines[1:-1]
