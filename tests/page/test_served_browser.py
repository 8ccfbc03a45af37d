"""A league in a real browser, shown by the server: live, and with every game and comparison on demand."""

from __future__ import annotations

import re

import pytest

from league.page import write_page
from league.page.inline import script_hashes
from league.page.render import page_scripts
from league.page.reports import write_reports
from league.results.compare import compare, verdict
from league.results.standings import Standings
from league.results.store import Store
from league.values.settings import Isolation
from tests.page.leagues import play
from tests.page.serving import served, wait_until

pytestmark = pytest.mark.slow


def test_new_results_replace_what_is_shown_in_place(chromium, tmp_path):
    """Somebody types into the filter while the page changes: focus, order, tab and scroll are as they were."""
    folder = play(tmp_path, games=30)
    page = chromium.new_page(viewport={"width": 800, "height": 400})
    with served(folder) as port:
        with Store.create(folder) as store:
            write_page(store, Standings.of(store), running=True)
            page.goto(f"http://localhost:{port}/#raj-2p")
            page.evaluate("window.kept = 'not loaded again'")
            assert page.inner_text("#progress .state").startswith("Being played: ")
            page.locator("#raj-2p thead").get_by_role("button", name="Rating").click()
            page.get_by_role("searchbox").focus()
            page.keyboard.type("a")
            page.evaluate("scrollTo(0, 300)")
            wait_until(page, "document.querySelector('[data-page]')")
            shown = (folder / "standings.html").read_text()
            games = re.search(r"([\d,]+) of [\d,]+ games", page.inner_text("#raj-2p .subtitle"))[1]
            (folder / "standings.html").write_text(
                shown.replace(f'<p class="subtitle">{games} of', '<p class="subtitle">777 of')
            )
            wait_until(page, "document.querySelector('#raj-2p .subtitle').textContent.startsWith('777 of')")
            page.keyboard.type("s")
            assert page.get_by_role("searchbox").input_value() == "as"
            assert page.evaluate("window.kept") == "not loaded again"
            assert page.evaluate("scrollY") == 300
            assert page.locator(".board:visible h2").all_inner_texts() == ["Raj, 2 players"]
            assert page.locator("#raj-2p thead [aria-sort]").inner_text() == "Rating"
            page.get_by_role("button", name="colours").click()
            assert page.evaluate("document.documentElement.dataset.theme") == "dark", "the button still works"
        wait_until(page, "document.querySelector('#progress .state').textContent.startsWith('Unfinished: ')")
    wait_until(page, "document.querySelector('#lost').textContent.startsWith('Connection lost. Retrying')")
    page.close()


def test_nothing_is_asked_for_while_nobody_looks(chromium, tmp_path):
    """And no connection is held: what has not changed is answered by nothing."""
    folder = play(tmp_path, games=30)
    page = chromium.new_page()
    statuses = []
    page.on("response", lambda answer: statuses.append((answer.url.rpartition("/")[2], answer.status)))
    with served(folder) as port:
        page.goto(f"http://localhost:{port}/")
        page.wait_for_timeout(7000)
    page.close()
    assert statuses[:3] == [("", 200), ("progress", 200), ("progress", 304)]


def test_any_two_bots_are_compared_on_demand(chromium, tmp_path):
    folder = play(tmp_path)
    with Store.open(folder) as store:
        standings = Standings.of(store)
    page = chromium.new_page()
    with served(folder) as port:
        page.goto(f"http://localhost:{port}/#raj-2p")
        page.locator("#raj-2p .meetings tbody td[class]").first.click()
        page.wait_for_selector(".verdict")
        a, b = page.url.split("/")[-2:]
        assert page.inner_text(".verdict") == verdict(compare(standings, a, b))
        page.get_by_role("link", name=a, exact=True).click()
        assert page.inner_text("h1") == a
    page.close()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_numbers_lead_to_lists_of_games_and_these_to_any_game(chromium, tmp_path, width, scheme):
    """Those of two bots, or of one in one seat, the lost ones first; the next game is one click away."""
    folder = play(tmp_path)
    page = chromium.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    troubles = []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    with served(folder) as port:
        page.goto(f"http://localhost:{port}/compare/rash/last")
        page.get_by_role("link", name="Lost games").click()
        assert page.inner_text("h1") == "Games of rash against last"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        rows = page.locator(".data tbody tr")
        assert rows.count() > 8, "all that rash lost against last"
        assert all("fault" in text for text in rows.all_inner_texts())
        page.get_by_role("link", name="Won games").click()
        assert page.inner_text("main p") == "There are none."
        page.goto(f"http://localhost:{port}/games?bot=last&contest=raj-3p&seat=2")
        assert page.inner_text("h1") == "Games of last in seat 2"
        page.click(".data a >> nth=0")
        page.wait_for_selector(".felt .seat")
        assert page.inner_text(".versus .player:nth-child(2) bdi") == "last"
        page.click("a:is([rel=next], [rel=prev]) >> nth=0")
        page.wait_for_selector(".felt .seat")
        assert page.locator(".versus .player").count() == 3
        page.click(".back a:has-text('Standings')")
        page.wait_for_selector("table.ranking")
        assert page.locator("[data-chart] svg").count() > 0
    page.close()
    assert troubles == [], "every page works under its policy"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A folder of two leagues: one of our own, and one of a stranger who wrote a page with a script."""
    results = tmp_path_factory.mktemp("results")
    for name in ("good", "evil"):
        play(tmp_path_factory.mktemp(name)).rename(results / name)
        with Store.open(results / name) as store:
            write_reports(store, Standings.of(store), isolation=Isolation.TRUSTED)
    page = results / "evil" / "standings.html"
    html = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page.read_text(), count=1)
    marks = " ".join(script_hashes(page_scripts()))  # it says that it is ours, so it is served
    page.write_text(html.replace("<head>", f"<head><!-- {marks} --><script>document.title = 'ran'</script>", 1))
    (results / "evil" / "games" / "more.html").write_text("<title>more</title><script>document.title = 'ran'</script>")
    return results


def test_a_strangers_script_does_not_run(chromium, results):
    page = chromium.new_page()
    with served(results) as port:
        for path in ("evil/", "evil/games/more.html"):
            page.goto(f"http://localhost:{port}/{path}")
            assert page.title() != "ran"
    page.close()


def test_a_page_reaches_its_own_league_only(chromium, results):
    page = chromium.new_page()
    with served(results) as port:
        page.goto(f"http://localhost:{port}/evil/")
        reached = {
            path: page.evaluate(f"fetch('{path}').then((answer) => answer.status, () => 0)")
            for path in ("progress", "../good/progress", "../")
        }
    page.close()
    assert reached == {"progress": 200, "../good/progress": 0, "../": 0}
