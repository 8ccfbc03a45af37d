"""The arena in a real browser: each role, on a desk and on a phone, with script and without."""

import asyncio
import socket
import threading
from contextlib import contextmanager

import pytest
import uvicorn

from league.arena.checker import Checker
from league.arena.web import make_app
from tests.arena.conftest import FAILING, HIGHEST
from tests.page.test_accessibility import axe as axe
from tests.page.test_accessibility import violations

pytestmark = pytest.mark.slow


@contextmanager
def _served(folder):
    """The web application alone, in a thread of this process."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(make_app([folder]), ws="none", lifespan="off", log_config=None, log_level="critical")
    )
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])))
    thread.start()
    try:
        yield f"http://localhost:{listening.getsockname()[1]}"
    finally:
        server.should_exit = server.force_exit = True
        thread.join()
        listening.close()


def _codes(arena):
    people = [("Amy Miller", "amy", "", "author"), ("Lea Hill", "lea", "", "lecturer")]
    return [code for _, code in arena.invite(people, "test")]


def _checked(arena):
    checker = Checker(arena.folder)
    while checker.step():
        pass
    checker.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark"), (1920, "light")])
def test_an_author_hands_in_and_the_lecturer_sees_it(chromium, axe, arena, width, scheme, tmp_path):
    amy, lea = _codes(arena)
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
        page.get_by_label("A file or a .zip").set_input_files(bot)
        page.get_by_text("Received as version 1 at").wait_for()
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


def test_everything_needed_works_without_script(chromium, arena):
    amy, _ = _codes(arena)
    with _served(arena.folder) as url:
        context = chromium.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{url}/enter")
        page.get_by_label("Your code").fill(amy)
        page.get_by_role("button", name="Come in").click()
        page.get_by_label("Or paste the text of a bot").fill(FAILING.decode())
        page.get_by_role("button", name="Hand in this text").click()
        _checked(arena)
        page.reload()
        assert "has failed its check" in page.inner_text("main")
        assert "ZeroDivisionError" in page.inner_text("main")
        context.close()
