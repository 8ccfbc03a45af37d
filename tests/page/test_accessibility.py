"""No page has a moderate, serious or critical violation of the accessibility rules that axe-core knows."""

from __future__ import annotations

from datetime import datetime
from importlib.resources import files

import pytest

from league.page.front import ContestLeaders, Entry, front_scripts
from league.page.inline import render_template
from league.page.live import Asked, News, games_page
from league.page.render import render
from league.page.viewer import render as render_game
from league.results.store import Store
from tests.page.leagues import play
from tests.page.made_up import page as made_up
from tests.page.playings import SETUPS, shown
from tests.page.test_browser import open_bot

pytestmark = pytest.mark.slow

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
GRAVE = ("moderate", "serious", "critical")
MORE_RULES = {"label-content-name-mismatch": {"enabled": True}}


@pytest.fixture(scope="module")
def axe():
    package = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    return files(package).joinpath("axe.min.js").read_text(encoding="utf-8")


def violations(page, axe):
    """What is gravely wrong, as rule and the first elements."""
    page.evaluate(axe)
    found = page.evaluate("(rules) => axe.run(document, rules)", {**RULES, "rules": MORE_RULES})
    return [
        (one["id"], [node["html"][:120] for node in one["nodes"][:3]])
        for one in found["violations"]
        if one["impact"] in GRAVE
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("bots", "width"), [(15, 1280), (44, 390), (15, 1920)])
def test_the_standings_page(visit, axe, bots, width, scheme):
    made = made_up(bots)
    with visit(render(made), width=width, scheme=scheme) as page:
        assert violations(page, axe) == []
        page.click("#tab-raj-3p")
        page.click("#more")
        assert violations(page, axe) == []
        open_bot(page, made, 0)
        page.evaluate("document.querySelectorAll('#panel details').forEach((one) => { one.open = true; })")
        assert violations(page, axe) == []
        page.select_option("#panel select", "1")
        page.wait_for_selector("#panel .verdict")
        assert violations(page, axe) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("bots", "width"), [(15, 1280), (44, 390), (15, 1920)])
def test_the_lecture_hall(visit, axe, bots, width, scheme):
    with visit(render(made_up(bots)), width=width, scheme=scheme) as page:
        page.evaluate("location.hash = '#show'")
        page.get_by_role("button", name="Pause").click()
        for slide, steps in (("overall", 0), ("milestones", 0), ("raj-2p", 0), ("raj-2p-bracket", 4)):
            page.get_by_role("region", name="Lecture hall").get_by_role("combobox").select_option(slide)
            for _ in range(steps):
                page.keyboard.press("PageDown")
            assert violations(page, axe) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("game", "players", "options"), SETUPS[::2], ids=lambda part: str(part)[:16])
def test_the_viewer(visit, axe, game, players, options, scheme):
    with visit(render_game(shown(game, players, options), back="../standings.html"), scheme=scheme) as page:
        page.wait_for_timeout(500)  # cards that are laid are not opaque at first
        assert violations(page, axe) == []
        for key in ("ArrowRight", "ArrowRight", "End"):
            page.keyboard.press(key)
        page.wait_for_timeout(500)
        assert violations(page, axe) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_list_of_games(visit, axe, tmp_path, scheme):
    with Store.open(play(tmp_path)) as store:
        html = games_page(store, Asked("rash", against="last", kind="fault"))
    with visit(html, scheme=scheme, width=390) as page:
        assert page.locator(".found a").count() > 0
        assert violations(page, axe) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_index_of_leagues(visit, axe, scheme):
    leaders = [ContestLeaders("raj-2p", "Raj", [("amy", "78 %")])]
    entries = [
        Entry("evening", News(0.0, False, 20, 40), "", datetime(2026, 1, 2), leaders),
        Entry("now", News(0.0, True, 20, 40, per_second=3.0)),
        Entry("broken", problem="It is damaged."),
    ]
    with visit(render_template("leagues.html.j2", front_scripts(), leagues=entries), scheme=scheme) as page:
        assert violations(page, axe) == []
