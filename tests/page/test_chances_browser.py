"""The chances over a game, asked for in the viewer under `league serve`."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from league.results.find import find
from league.results.store import Store
from league.values.settings import Isolation
from tests.page.leagues import play
from tests.page.serving import ask, served
from tests.page.test_accessibility import axe, violations  # noqa: F401 - a fixture

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]
BUTTON = "Where did it turn?"


@pytest.fixture
def league(tmp_path):
    """The folder of a league, and the address of one of its games."""
    folder = play(tmp_path)
    with Store.open(folder) as store:
        return folder, str(next(find(store)).address)


def visit_game(chromium, port: int, address: str, width: int, scheme: str = "light", fragment: str = ""):
    page = chromium.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto(f"http://localhost:{port}/play/{quote(address)}{fragment}")
    return page


def test_the_curve_is_drawn_on_demand_and_its_steps_are_links(chromium, league):
    folder, address = league
    with served(folder, Isolation.TRUSTED) as port:
        page = visit_game(chromium, port, address, 1280, fragment="#step=3")
        status, content, _ = ask(port, f"/curve/{quote(address)}")
        assert status == 200
        turn = json.loads(content)["turning_point"]
        chances = page.get_by_role("region", name="Chances over the game")
        assert chances.get_by_role("link").count() == 0
        chances.get_by_role("button", name=BUTTON).click()
        chances.get_by_role("heading", name="The chance to win after each step").wait_for()
        assert not chances.get_by_role("button").is_visible()
        marked = chances.get_by_role("link", name="The turning point")
        assert marked.get_attribute("href") == f"#step={turn['step']}"
        assert "all seats play on at random" in chances.inner_text()
        chances.get_by_role("link", name=f"step {turn['step']}", exact=True).click()
        assert page.url.endswith(f"#step={turn['step']}")
        chances.get_by_text(f"After step {turn['step']}:").wait_for()
        marked.focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert page.url.endswith(f"#step={turn['step'] + 1}")
        page.get_by_label("Hide the end").check()
        page.keyboard.press("Home")
        assert chances.get_by_role("link").count() == 1, "only the beginning"
        assert "Turning point" not in chances.inner_text()
        page.close()


@pytest.mark.parametrize("width", [390, 1280, 1920])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_curve_is_accessible(chromium, league, axe, width, scheme):  # noqa: F811
    folder, address = league
    with served(folder, Isolation.TRUSTED) as port:
        page = visit_game(chromium, port, address, width, scheme)
        page.get_by_role("button", name=BUTTON).click()
        page.get_by_role("heading", name="The chance to win after each step").wait_for()
        page.wait_for_timeout(500)  # cards that are laid are not opaque at first
        assert violations(page, axe) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.close()


def test_a_game_that_cannot_be_computed_says_why(chromium, league):
    folder, address = league
    with served(folder, Isolation.TRUSTED) as port:
        page = visit_game(chromium, port, address, 1280)
        page.route("**/curve/**", lambda route: route.fulfill(status=404, body="It has no end."))
        page.get_by_role("button", name=BUTTON).click()
        page.get_by_text("There is no curve: It has no end.").wait_for()
        assert page.get_by_role("button", name=BUTTON).is_enabled()
        page.close()
