"""What comes back from the web application: receipts, cookies, refusals in words, and limits that nobody can use up."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from hashlib import sha256
from urllib.parse import urlencode

import msgspec
import pytest
from msgspec.structs import replace
from starlette.exceptions import HTTPException
from starlette.requests import Request

from league.extensions.arena import access, pages, web
from league.extensions.arena.access import Access, Turnstile, WrongCodes
from league.extensions.arena.pages import make_app, plain_name
from league.extensions.arena.records import ArenaRules, Participant, Receipt
from league.page.tables import BusyError
from tests.arena.asking import ask, scope_of
from tests.arena.conftest import FAILING, HIGHEST, LOWEST, bearer
from tests.tables import each

ORIGIN = "http://localhost"
BOUNDARY = "0123456789"


@pytest.fixture
def app(arena):
    return make_app(arena.folder)


def form(**fields):
    """A form as browsers send it, with files as (name, content), and its header."""
    parts = []
    for name, value in fields.items():
        filename, content = value if isinstance(value, tuple) else ("", value)
        of_file = f'; filename="{filename}"\r\nContent-Type: application/octet-stream' if filename else ""
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{of_file}\r\n\r\n'
        parts.append(head.encode() + content + b"\r\n")
    body = b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()
    return body, {"content_type": f"multipart/form-data; boundary={BOUNDARY}"}


def posted(**fields):
    return urlencode(fields).encode(), {"content_type": "application/x-www-form-urlencoded"}


def browser(app, code: str) -> dict[str, str]:
    body, kind = posted(code=code)
    answer = ask(app, "POST", "/enter", body, origin=ORIGIN, **kind)
    assert answer.status == 303
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    return {"cookie": cookie.partition(";")[0], "origin": ORIGIN, "accept": "text/html"}


# Hand-ins and receipts


@each(
    ("fields", "filename", "content"),
    [
        ({"file": ("amy.py", HIGHEST)}, "amy.py", HIGHEST),
        ({"file": ("../a b.zip", b"PK"), "text": b""}, "ab.zip", b"PK"),
        ({"text": LOWEST.replace(b"\n", b"\r\n")}, "bot.py", LOWEST),
        ({"file": ("bot.\u043f\u0439", FAILING)}, "bot.", FAILING),
    ],
)
def test_a_form_hands_in_without_script(arena, app, codes, fields, filename, content):
    body, kind = form(**fields)
    answer = ask(app, "POST", "/people/me/versions", body, **browser(app, codes["amy"]), **kind)
    assert (answer.status, answer.headers["location"]) == (303, "/people/me#versions")
    version = arena.submissions("amy")[0]
    assert (version.filename, arena.content(version)) == (filename, content)
    assert ask(app, "GET", f"/people/me/versions/{version.number}", **bearer(codes["amy"])).body == content


@each(
    ("name", "kept"),
    [
        ("bot.py", "bot.py"),
        ("C:\\a\\b.py", "b.py"),
        ("../../x.py", "x.py"),
        ("", "bot.py"),
        ("...", "bot.py"),
        ("\u202ebot.py", "bot.py"),
        ("bot.\u043f\u0430\u0439\u0442\u043e\u043d", "bot."),
        ("a" * 5000 + ".py", "a" * 197 + ".py"),
    ],
)
def test_names_of_files_are_plain(name, kept):
    assert plain_name(name) == kept


def test_the_receipt_is_signed_and_the_same_for_the_same_file(arena, app, codes):
    amy = bearer(codes["amy"])
    first = ask(app, "POST", "/people/me/versions?filename=a/b\\bot.py", HIGHEST, **amy)
    assert first.status == 201
    receipt = msgspec.convert(first.json, Receipt)
    assert receipt.is_genuine(arena.receipt_key)
    assert (receipt.filename, receipt.size, receipt.hash) == ("bot.py", len(HIGHEST), sha256(HIGHEST).hexdigest())
    assert ask(app, "POST", "/people/me/versions?filename=bot.py", HIGHEST, **amy).json == first.json
    assert ask(app, "GET", "/people/amy/versions/1/receipt", **amy).json == first.json


def test_a_receipt_can_be_checked_by_whoever_takes_part(arena, app, codes):
    receipt = arena.hand_in(arena.person_called("amy"), "bot.py", HIGHEST)
    texts = {
        msgspec.json.encode(receipt).decode(): (200, "This receipt is genuine: version 1 of amy was received at"),
        msgspec.json.encode(replace(receipt, number=2)).decode(): (400, "was not issued by this arena, or it was"),
        "Amy was in time": (400, "Expected the whole text of a receipt"),
    }
    for text, (status, words) in texts.items():
        body, kind = posted(receipt=text)
        answer = ask(app, "POST", "/receipt", body, **bearer(codes["bob"]), **kind)
        assert (answer.status, words in answer.text) == (status, True), answer.text


def test_what_is_too_large_or_too_often_is_refused_with_words(arena, app, codes, monkeypatch):
    amy, path = bearer(codes["amy"]), "/people/me/versions?filename=bot.py"
    arena.change_rules("test", per_hour=1)
    ask(app, "POST", path, HIGHEST, **amy)
    answer = ask(app, "POST", path, LOWEST, **amy)
    assert answer.status == 429
    assert answer.headers["retry-after"] == "3600"
    assert answer.json["problem"] == "Expected at most 1 hand-ins an hour, and this is one more. Try again in 60 min."
    assert ask(app, "POST", "/enter", b"code=" + b"x" * web.MOST_FORM, origin=ORIGIN).status == 413
    monkeypatch.setattr(pages, "LEAST_DISK", 1 << 60)
    assert ask(app, "POST", path, LOWEST, **amy).status == 507
    assert len(arena.submissions()) == 1


@each("path", ["/people/me/versions/", "/people/amy/versions/", "/standings/versions/amy/ab/1/"])
def test_numbers_that_nobody_has_are_not_found(app, codes, path):
    for number in ("9" * 5000, "99999999999999999999", "-1", "0x1"):
        assert ask(app, "GET", f"{path}{number}", **bearer(codes["amy"])).status == 404


# Coming in


def test_a_code_becomes_a_cookie_until_it_is_left_or_revoked(arena, app, codes):
    amy = browser(app, codes["amy"])
    assert ask(app, "GET", "/people/me", **amy).status == 200
    assert ask(app, "POST", "/leave", **amy).status == 303
    assert ask(app, "GET", "/people/me", **amy).status == 401
    amy = browser(app, codes["amy"])
    arena.revoke(arena.person_called("amy"), "test")
    assert ask(app, "GET", "/people/me", **amy).status == 401
    body, kind = posted(code=codes["amy"])
    assert ask(app, "POST", "/enter", body, origin=ORIGIN, **kind).status == 401


def test_other_sites_cannot_write_through_a_browser(arena, app, codes):
    amy = browser(app, codes["amy"])
    for headers in ({"origin": "http://evil.example"}, {"origin": "null"}, {"sec_fetch_site": "cross-site"}):
        body, kind = form(text=HIGHEST)
        answer = ask(app, "POST", "/people/me/versions", body, cookie=amy["cookie"], **kind, **headers)
        assert (answer.status, answer.json) == (403, {"problem": "This was sent from a page of another site."})
    assert arena.submissions() == []
    assert ask(app, "GET", "/", host="evil.example").status == 400


def test_a_wrong_code_is_answered_later_and_later_and_no_other_one():
    wrong = WrongCodes()
    assert [wrong.seconds("a") for _ in range(7)] == [0.5, 1, 2, 4, 8, 8, 8]
    assert wrong.seconds("b") == 0.5
    for number in range(access.KEPT_WRONG):
        wrong.seconds(str(number))
    assert len(wrong._counts) == access.KEPT_WRONG
    assert wrong.seconds("a") == 0.5


def test_many_wrong_codes_from_an_address_lock_nobody_out(app, codes, monkeypatch):
    monkeypatch.setattr(access, "WRONG_SECONDS", 0.0)
    wrong = {ask(app, "GET", "/people/me", **bearer(f"guess{number % 3}")).status for number in range(60)}
    assert wrong == {401}
    assert ask(app, "GET", "/people/me", **bearer(codes["amy"])).status == 200


# Limits


AMY = Participant(1, "Amy", "amy", "", "author", False, None, "")
LEA = Participant(2, "Lea", "lea", "", "lecturer", False, None, "")


def reading(turnstile, accesses):
    """The statuses of those who begin to read one after the other, while all before them read on."""
    statuses = []
    with ExitStack() as stack:
        for one in accesses:
            try:
                stack.enter_context(turnstile.passing(one))
                statuses.append(200)
            except HTTPException as refusal:
                statuses.append(refusal.status_code)
    return statuses


def test_whoever_asks_while_a_curve_is_computed_is_to_try_again():
    request = Request(scope_of("GET", "/standings/curve/raj-2p:amy+bob:0.0"))
    assert asyncio.run(web.explain(request, BusyError("Try again in some seconds."))).status_code == 503


def test_nobody_takes_all_places_of_readers(monkeypatch):
    monkeypatch.setattr(access, "MOST_OF_A_PERSON", 2)
    monkeypatch.setattr(access, "MOST_OF_AN_ADDRESS", 3)
    monkeypatch.setattr(access, "MOST_READING", 6)
    amy, lea = Access(AMY, ArenaRules(), "a"), Access(LEA, ArenaRules(), "a")
    a, b, c = (Access(None, ArenaRules(), address) for address in "abc")
    assert reading(Turnstile(), [amy, amy, amy, a, a, a, a, b, c, lea]) == [
        *(200, 200, 429),
        *(200, 200, 200, 429),
        *(200, 503, 200),  # six read, and the staff may
    ]
    turnstile = Turnstile()
    assert [reading(turnstile, [amy, amy]) for _ in range(9)] == [[200, 200]] * 9, "those who have left take no place"


def test_slow_readers_leave_a_way_to_hand_in(arena, codes, monkeypatch):
    """Those who read are stopped in the middle, as many as there may be; a hand-in goes past them."""
    monkeypatch.setattr(access, "MOST_READING", 4)
    monkeypatch.setattr(access, "MOST_OF_A_PERSON", 4)
    app = make_app(arena.folder)

    async def asked(method, path, send, body=b""):
        arriving = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive():
            return arriving.pop() if arriving else {"type": "http.disconnect"}

        await app(scope_of(method, path, **bearer(codes["amy"])), receive, send)

    async def crowd():
        stuck, statuses, ending = asyncio.Semaphore(0), [], asyncio.Event()

        async def slowly(message):
            stuck.release()
            await ending.wait()

        async def at_once(message):
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        readers = [asyncio.create_task(asked("GET", "/people/me", slowly)) for _ in range(4)]
        for _ in readers:
            await stuck.acquire()
        await asked("GET", "/people/me", at_once)
        await asked("POST", "/people/me/versions?filename=bot.py", at_once, HIGHEST)
        ending.set()
        await asyncio.gather(*readers)
        return statuses

    with ThreadPoolExecutor(1) as apart:  # a browser of another test may have left a loop in this thread
        assert apart.submit(asyncio.run, crowd()).result() == [429, 201]


# What pages tell


def test_rules_hold_at_once_and_a_notice_is_for_those_who_take_part(arena, app, codes):
    body, kind = posted(spectators="false", replays="own", per_hour="5", notice="Hello")
    ask(app, "POST", "/staff/rules", body, **bearer(codes["lea"]), **kind)
    rules = arena.rules
    assert (rules.replays, rules.per_hour, rules.spectators) == ("own", 5, False)
    assert "Hello" in ask(app, "GET", "/people/me", **browser(app, codes["amy"])).text
    assert "Hello" not in ask(app, "GET", "/").text


def test_pages_have_a_strict_policy_and_escape_what_people_write(arena, app, codes):
    [(eve, _)] = arena.invite([("<script>alert(1)</script>", "eve", "", "author")], "test")
    arena.hand_in(eve, "bot.py", HIGHEST)
    page = ask(app, "GET", "/staff", **browser(app, codes["lea"]))
    assert "&lt;script&gt;alert" in page.text
    assert "<script>alert" not in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'; script-src 'sha256-" in policy
    assert "unsafe" not in policy.partition("style-src")[0]


def test_news_change_when_something_happens_and_are_not_sent_twice(arena, app, codes):
    amy = bearer(codes["amy"])
    tag = ask(app, "GET", "/news", **amy).headers["etag"]
    assert ask(app, "GET", "/news", **amy, if_none_match=tag).status == 304
    arena.hand_in(arena.person_called("bob"), "bot.py", HIGHEST)
    fresh = ask(app, "GET", "/news", **amy, if_none_match=tag)
    assert (fresh.status, fresh.headers["etag"] != tag) == (200, True)


def test_the_front_page_invites_to_hand_in_until_the_final_is_over(app, arena):
    assert "To hand one in, open" in ask(app, "GET", "/").text
    arena.change_rules("", phase="over")
    answer = ask(app, "GET", "/").text
    assert "To hand one in" not in answer
    assert "The final has been played." in answer


# Bodies


def test_a_body_is_bounded_in_size_and_time_and_all_bodies_together(arena, monkeypatch):
    site = web.Site(arena.folder)

    def arrived(sent: bytes, *, ended: bool = True, seconds: float = 60) -> int:
        """The length of a body that was taken, or the status of the refusal."""
        messages = [{"type": "http.request", "body": sent, "more_body": not ended}]

        async def receive():
            return messages.pop() if messages else await asyncio.sleep(3600)

        try:
            return len(asyncio.run(site.body(Request(scope_of("POST", "/me/versions"), receive), 10, seconds)))
        except HTTPException as refused:
            return refused.status_code

    assert arrived(b"x" * 10) == 10
    assert arrived(b"x" * 11) == 413
    assert arrived(b"x", ended=False, seconds=0.01) == 408
    monkeypatch.setattr(web, "MOST_IN_FLIGHT", 8)
    assert arrived(b"x" * 9) == 503
    assert arrived(b"x" * 8) == 8, "what was refused is not counted any more"
