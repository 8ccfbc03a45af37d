"""No page has a moderate, serious or critical violation of the accessibility rules that axe-core knows."""

from __future__ import annotations

from datetime import datetime
from importlib.resources import files
from threading import Thread

import pytest

from league import games
from league.page.bots import render_bot, render_comparison
from league.page.front import Entry, front_scripts
from league.page.inline import render_template
from league.page.live import Asked, News, games_page
from league.page.render import render
from league.page.server import PageServer
from league.page.tables import TableSetting
from league.page.viewer import render as render_game
from league.results.compare import compare
from league.results.standings import Standings
from league.results.store import Store
from league.setup.roster import find
from league.values.settings import Isolation, Limits
from tests.page.leagues import play
from tests.page.made_up import page as made_up
from tests.page.made_up import progress
from tests.page.playings import SETUPS, shown

pytestmark = pytest.mark.slow

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
GRAVE = ("moderate", "serious", "critical")
MORE_RULES = {"label-content-name-mismatch": {"enabled": True}}


@pytest.fixture(scope="module")
def axe():
    package = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    return files(package).joinpath("axe.min.js").read_text(encoding="utf-8")


RUN = """
async ([rules, impacts]) => {
  const { violations } = await axe.run(document, rules);
  const grave = violations.filter((one) => impacts.includes(one.impact));
  return grave.map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 120))]);
}
"""
"""What is grave, chosen in the page: all that is right would be megabytes."""


def violations(page, axe):
    """What is gravely wrong, as rule and the first elements."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe)
    return page.evaluate(RUN, [{**RULES, "rules": MORE_RULES, "resultTypes": ["violations"]}, list(GRAVE)])


SCHEMES = ("light", "dark")
WIDTHS = (1280, 390, 1920)


def grave_everywhere(page, axe, *, widths=WIDTHS, ready=lambda: None):
    """What is gravely wrong in any colours at any width, on a page as it is now; `ready` waits after a resize."""
    found = {}
    for width in widths:
        page.set_viewport_size({"width": width, "height": 844 if width < 600 else 900})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            ready()
            if grave := violations(page, axe):
                found[width, scheme] = grave
    return found


def test_the_standings_page(visit, axe):
    with visit(render(made_up(15)).replace("<a data-href=", "<a href=")) as page:
        page.evaluate("Object.assign(document.documentElement.dataset, { served: '', play: '' })")
        assert grave_everywhere(page, axe) == {}
        page.set_viewport_size({"width": 1280, "height": 900})
        page.get_by_role("link", name="Raj, 3 players").last.click()
        page.set_viewport_size({"width": 390, "height": 844})
        page.get_by_role("button", name="More columns").click()
        assert grave_everywhere(page, axe, widths=(1280, 390)) == {}


def test_the_page_of_a_bot(visit, axe):
    with visit(render_bot(made := made_up(15), next(iter(made.docs)))) as page:
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert grave_everywhere(page, axe) == {}


def test_a_large_league(visit, axe):
    with visit(render(made_up(60))) as page:
        assert grave_everywhere(page, axe, widths=(390,)) == {}


def test_the_lecture_hall(visit, axe):
    with visit(render(made_up(15))) as page:
        page.evaluate("location.hash = '#show'")
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("button", name="Next").click()  # a contest, with who is best
        assert grave_everywhere(page, axe) == {}


ONE_OF_EACH_GAME = {setup[0]: setup for setup in SETUPS}
"""The largest table of each game."""


def test_the_viewer_of_each_game(chromium, axe, tmp_path):
    page = chromium.new_page(reduced_motion="reduce")
    for game, setup in ONE_OF_EACH_GAME.items():
        file = tmp_path / f"{game}.html"
        file.write_text(render_game(shown(*setup), back="../standings.html"), encoding="utf-8")
        page.goto(file.as_uri())
        page.get_by_role("button", name="One step on").click()
        assert grave_everywhere(page, axe) == {}, game
        page.get_by_role("button", name="To the end").click()
        assert grave_everywhere(page, axe, widths=(390,)) == {}, game
        page.goto("about:blank")
        page.goto(f"{file.as_uri()}#watch")
        assert grave_everywhere(page, axe, widths=(1920,)) == {}, f"{game} in the lecture hall"
    page.close()


def test_the_list_of_games_and_a_comparison(visit, axe, tmp_path):
    with Store.open(play(tmp_path)) as store:
        html = games_page(store, Asked("rash", against="last", kind="fault"))
        comparison = render_comparison(compare(Standings.of(store), "rash", "last"))
    with visit(html) as page:
        assert page.locator(".data a").count() > 0
        assert grave_everywhere(page, axe) == {}
    with visit(comparison) as page:
        assert grave_everywhere(page, axe) == {}


def test_the_front_page_of_a_server(visit, axe):
    leaders = [("raj-2p", "Raj", [("amy", 0.78)])]
    entries = [
        Entry("evening", News(0.0, False, progress(20, 40), {}), "", datetime(2026, 1, 2), leaders),
        Entry("now", News(0.0, True, progress(20, 40), {}, per_second=3.0)),
        Entry("broken", problem="It is damaged."),
    ]
    with visit(render_template("leagues.html.j2", front_scripts(), leagues=entries)) as page:
        assert grave_everywhere(page, axe) == {}


def test_playing_in_the_browser(chromium, axe):
    setting = TableSetting(games.make("cheese_rescue", 3), [find("random")] * 2, Isolation.TRUSTED, Limits())
    server = PageServer(setting, seat=1)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    page = chromium.new_page(reduced_motion="reduce")
    page.goto(f"http://localhost:{server.port}/")
    assert grave_everywhere(page, axe) == {}
    page.get_by_role("button", name="Begin").click()
    page.locator(".felt").get_by_role("button").first.wait_for()
    assert grave_everywhere(page, axe) == {}
    page.close()
    server.stop()
    thread.join(30)
