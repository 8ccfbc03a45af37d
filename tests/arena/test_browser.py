"""The arena in a real browser: each role, on a desk and on a phone, with script and without."""

import asyncio
import socket
import threading
from contextlib import contextmanager

import pytest
import uvicorn

from league.extensions.arena.checker import Checker
from league.extensions.arena.decisions import offers
from league.extensions.arena.pages import make_app
from tests.arena.conftest import FAILING, HIGHEST, PEOPLE, invited
from tests.arena.test_standings import REPLAY
from tests.arena.test_standings import played as played
from tests.page.test_accessibility import axe as axe
from tests.page.test_accessibility import violations

pytestmark = pytest.mark.slow


@contextmanager
def _served(folder):
    """The web application alone, in a thread of this process."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(make_app(folder), ws="none", lifespan="off", log_config=None, log_level="critical")
    )
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])))
    thread.start()
    try:
        yield f"http://localhost:{listening.getsockname()[1]}"
    finally:
        server.should_exit = server.force_exit = True
        thread.join()
        listening.close()


def _checked(arena):
    checker = Checker(arena.folder)
    while checker.step():
        pass
    checker.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark"), (1920, "light")])
def test_an_author_hands_in_and_the_lecturer_sees_it(chromium, axe, arena, codes, width, scheme, tmp_path):
    amy, lea = codes["amy"], codes["lea"]
    bot = tmp_path / "bot.py"
    bot.write_bytes(HIGHEST)
    with _served(arena.folder) as url:
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        page.goto(f"{url}/enter#{amy}")
        assert amy not in page.url  # the code does not stay in the address
        assert violations(page, axe) == []
        page.get_by_role("button", name="Come in").click()
        page.get_by_role("heading", name="amy", exact=True).wait_for()
        page.get_by_label("A file, or a .zip").set_input_files(bot)
        assert arena.submissions() == []  # a file that is chosen is not handed in yet
        page.get_by_role("button", name="Hand in").click()
        page.get_by_role("heading", name="Version 1: waits to be checked").wait_for()
        _checked(arena)
        page.get_by_role("heading", name="Version 1: has passed, plays").wait_for()  # without loading the page again
        assert violations(page, axe) == []
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("link", name="Enter a code").wait_for()
        page.goto(f"{url}/enter#{lea}")
        page.get_by_role("button", name="Come in").click()
        page.get_by_role("row", name="amy").get_by_text("has passed").wait_for()
        page.get_by_role("link", name="Pause the ladder").click()
        assert violations(page, axe) == []
        page.get_by_role("button", name="Pause the ladder").click()
        page.get_by_role("link", name="Back to the course").click()
        page.get_by_role("link", name="Resume the ladder").wait_for()
        assert violations(page, axe) == []
        context.close()
    assert arena.rules.paused


def test_everything_needed_works_without_script(chromium, arena, codes):
    with _served(arena.folder) as url:
        context = chromium.new_context(java_script_enabled=False)
        page = context.new_page()
        _enter(page, url, codes["amy"])
        page.get_by_text("Or paste the text of a bot").click()
        page.get_by_label("Text").fill(FAILING.decode())
        page.get_by_role("button", name="Hand in").click()
        _checked(arena)
        page.reload()
        assert "has failed its check" in page.inner_text("main")
        assert "ZeroDivisionError" in page.inner_text("main")
        context.close()


def _enter(page, url, code):
    page.goto(f"{url}/enter")
    page.get_by_label("Your code").fill(code)
    page.get_by_role("button", name="Come in").click()


def _pages(arena, who):
    """What somebody can open."""
    if who is None:
        return ["/", "/enter", "/ladder", "/standings/", REPLAY.format("amy+random")]
    person = arena.person_called(who)
    if not person.is_staff:
        return ["/people/me", "/ladder", "/receipt", "/standings/", "/standings/games?bot=amy&kind=won&against=bob"]
    if person.role == "assistant":
        return ["/staff", "/people/amy"]  # the pages of decisions are the lecturer's, fewer
    decisions = [f"/staff/{decision.name}" for decision in offers(arena.rules, person.role)]
    amy = arena.person_called("amy")
    decisions += [f"/staff/{decision.name}?who=amy" for decision in offers(arena.rules, person.role, amy)]
    return ["/staff", "/people/amy", "/staff/revoke?who=amy&who=bob", *decisions]


@pytest.mark.parametrize(
    ("width", "scheme", "script"),
    [(1280, "light", True), (390, "dark", True), (1920, "dark", True), (390, "light", False)],
)
def test_every_page_of_every_role_fits_and_can_be_read(chromium, axe, played, width, scheme, script):
    arena, codes = played
    arena.change_rules("test", spectators=True)
    wrong = []
    with _served(arena.folder) as url:
        for who in (None, "amy", "tom", "lea"):
            context = chromium.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=script
            )
            page = context.new_page()
            problems = []
            page.on("pageerror", lambda error, kept=problems: kept.append(str(error)))
            page.on("console", lambda said, kept=problems: kept.append(said.text) if said.type == "error" else None)
            if who:
                _enter(page, url, codes[who])
            for path in _pages(arena, who):
                answer = page.goto(url + path)
                if answer.status != 200:
                    wrong.append((who, path, answer.status))
                if not script:
                    continue
                if page.evaluate("document.documentElement.scrollWidth") > width:
                    wrong.append((who, path, "is wider than the window"))
                wrong += [(who, path, problem) for problem in violations(page, axe)]
            wrong += [(who, problem) for problem in problems]
            context.close()
    assert wrong == []


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_staff_decide_with_a_confirmation(chromium, arena, codes, width, script):
    with _served(arena.folder) as url:
        context = chromium.new_context(viewport={"width": width, "height": 900}, java_script_enabled=script)
        page = context.new_page()
        _enter(page, url, codes["tom"])
        assert page.get_by_role("link", name="Begin the final").count() == 0  # it is the lecturer's
        page.get_by_role("link", name="Invite people").click()
        page.get_by_label("People").fill("name,alias\nZoe Ash,a b")
        page.get_by_role("button", name="Invite people").click()
        assert "expected an alias of" in page.get_by_role("alert").inner_text()
        page.get_by_label("People").fill("name,alias\nZoe Ash,zoe")
        page.get_by_role("button", name="Invite people").click()
        assert "1 person was invited" in page.get_by_role("status").inner_text()
        link = page.locator(".link").inner_text()
        page.get_by_role("link", name="Back to the course").click()
        row = page.get_by_role("row", name="amy")
        row.get_by_label("About amy").click()
        row.get_by_role("link", name="Revoke link").click()
        assert not arena.person_called("amy").revoked  # not before it is confirmed
        page.get_by_role("button", name="Revoke link").click()
        assert arena.person_called("amy").revoked
        page.get_by_role("button", name="Sign out").click()
        _enter(page, url, codes["lea"])
        page.get_by_role("link", name="Begin the final").click()
        page.get_by_role("link", name="Cancel").click()
        page.get_by_role("link", name="Begin the final").click()
        page.get_by_label("This cannot be undone").check()
        page.get_by_role("button", name="Begin the final").click()
        assert arena.rules.phase == "closed"
        page.get_by_role("button", name="Sign out").click()
        _enter(page, url, link.partition("#")[2])
        page.get_by_role("heading", name="zoe", exact=True).wait_for()
        context.close()


def test_the_lecturer_finds_sorts_ticks_and_decides_about_many(chromium, axe, arena):
    people = [(f"Person {name}", name, "", "author") for name in ("amy", "bob", "cid")]
    codes = invited(arena, [*people, PEOPLE[-1]])
    arena.hand_in(arena.person_called("amy"), "bot.py", FAILING)
    arena.hand_in(arena.person_called("bob"), "bot.py", HIGHEST)
    _checked(arena)
    with _served(arena.folder) as url:
        context = chromium.new_context(viewport={"width": 1280, "height": 900}, timezone_id="Asia/Tokyo")
        page = context.new_page()
        _enter(page, url, codes["lea"])
        people = page.get_by_role("table", name="People")
        assert [page.get_by_role("listitem").filter(has_text=text).inner_text() for text in ("Nothing", "Failed")] == [
            "Nothing handed in: 1\ncid",
            "Failed or benched: 1\namy",
        ]
        page.get_by_label("Find").fill("failed")
        assert (
            people.get_by_role("row").filter(has=page.locator("th[scope=row]")).all_inner_texts()[0].startswith("\tamy")
        )
        assert "of 5" in page.get_by_role("status").filter(has_text="of").inner_text()
        page.get_by_label("Find").fill("person")
        page.get_by_role("button", name="Last hand-in").click()
        page.get_by_label("Choose all that are shown").check()
        people.get_by_label("About bob").click()
        people.get_by_label("About amy").click()
        assert people.get_by_role("link", name="Disqualify a bot").count() == 1  # one menu is open
        assert violations(page, axe) == []
        page.get_by_label("Choose cid").uncheck()
        page.get_by_role("button", name="Set own deadline").click()
        assert "amy, bob" in page.inner_text("main")
        page.get_by_label("When").fill("2036-12-18T18:00")
        page.get_by_role("button", name="Set own deadline").click()
        assert (
            arena.person_called("bob").deadline == arena.person_called("amy").deadline == 2_113_203_600
        )  # 9:00 in UTC
        assert arena.person_called("cid").deadline is None
        context.close()
