"""The pages in a real browser: they load from a file, touch no network, and do what they say."""

from __future__ import annotations

import os
from threading import Thread

import msgspec
import pytest

from league.page import write_page
from league.page.charts import MANY
from league.page.data import BotCard, FaultNote
from league.page.render import render
from league.page.server import PageServer
from league.page.viewer import render as render_game
from league.results.standings import Standings
from league.results.store import Store
from tests.page.leagues import play
from tests.page.made_up import page as made_up
from tests.page.playings import SETUPS, shown

pytestmark = pytest.mark.xdist_group("browser")

NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
ALL_DRAWN = """
() => [...document.querySelectorAll(".board:not(.hidden) [data-chart]")].every((box) => box.hidden || box.dataset.drawn)
"""
NOTE_WHAT_IS_PRINTED = """
requestIdleCallback = () => 0;  // so that nothing but printing draws
addEventListener("afterprint", () => {
  printed = [...document.querySelectorAll(".board:not(.hidden) [data-chart]")].map((box) => ({
    chart: box.dataset.chart,
    marks: box.querySelectorAll(".role-mark path").length,
    pictures: box.querySelectorAll(".chart svg").length,
    width: Number(box.querySelector(".chart svg")?.getAttribute("width")),
  }));
});
"""
CUT_OFF = """
() => {
  const edge = document.documentElement.getBoundingClientRect().right + 1;
  const parts = document.querySelectorAll(".board :is(table, figure), .chart :is(svg, canvas, text)");
  const beyond = [...parts].filter((part) => part.getBoundingClientRect().right > edge);
  return beyond.map((part) => part.outerHTML.slice(0, 99));
}
"""
A4_WIDTH = 710
"""Pixels of an upright sheet, less its margins."""
NO_SIDEWAYS = "() => document.documentElement.scrollWidth <= innerWidth"


@pytest.fixture(scope="module")
def league():
    return made_up(8)


@pytest.fixture(scope="module")
def html(league):
    return render(league)


def names(page, board="overall"):
    return page.eval_on_selector_all(
        f"#panel-{board} tbody tr:not([hidden]) th bdi", "found => found.map(one => one.textContent)"
    )


def cells(page, column):
    return page.eval_on_selector_all(
        f"#panel-overall tbody td:nth-child({column})", "found => found.map(one => Number(one.dataset.v))"
    )


def test_every_chart_of_every_tab_has_marks(visit, html, league):
    with visit(html) as page:
        for board in league.boards:
            page.click(f"#tab-{board.key}")
            page.wait_for_function(ALL_DRAWN)
            marks = page.eval_on_selector_all(
                f"#panel-{board.key} [data-chart]",
                "found => found.map(one => [one.dataset.chart, one.querySelectorAll('.role-mark path').length])",
            )
            assert {name for name, count in marks if count} >= {"ratings", "meetings", "settling", "seats", "times"}
            drawn = dict(marks)
            assert drawn["times"] >= len(board.rows)
            assert drawn["meetings"] >= len(board.rows) * (len(board.rows) - 1)


def test_ties_count_half_so_that_no_number_is_called_a_win_rate(html):
    assert "win rate" not in html.lower()


def test_columns_sort_and_say_so(visit, html, league):
    with visit(html) as page:
        before = names(page)
        assert before == [league.bots[row.bot].name for row in league.boards[0].rows]
        column = "#panel-overall thead th:nth-child(9)"
        assert page.inner_text(column) == "ms"
        for direction, backwards in (("descending", True), ("ascending", False)):
            page.click(f"{column} button")
            assert page.get_attribute(column, "aria-sort") == direction
            assert cells(page, 9) == sorted(cells(page, 9), reverse=backwards)
        page.click("#panel-overall thead th:nth-child(2) button")
        assert names(page) == sorted(before)
        assert page.locator("#panel-overall [aria-sort]").count() == 1
        page.focus("#panel-overall thead th:nth-child(1) button")
        page.keyboard.press("Enter")
        assert names(page) == before


def test_the_filter_looks_at_names_and_docstrings(visit, html, league):
    with visit(html) as page:
        page.fill("#filter", league.bots[3].name.upper())
        assert names(page) == [league.bots[3].name]
        assert page.text_content("#found") == "1 of 8 bots"
        page.fill("#filter", "fifteen for the ten")
        assert sorted(names(page)) == sorted(bot.name for bot in league.bots if bot.doc)
        page.fill("#filter", "")
        assert len(names(page)) == len(league.bots)


def test_a_filter_without_a_match_says_so(visit, league):
    home = league.boards[1].rows[0].bot
    away = msgspec.structs.replace(
        league.boards[2], rows=tuple(row for row in league.boards[2].rows if row.bot != home)
    )
    with visit(render(msgspec.structs.replace(league, boards=(*league.boards[:2], away)))) as page:
        words = page.get_by_text("No bot here has that in its name or docstring.")
        for wanted, board, nobody in (
            ("nobody_at_all", 0, True),
            (league.bots[home].name, 1, False),
            (league.bots[home].name, 2, True),
            ("", 2, False),
        ):
            page.fill("#filter", wanted)
            page.click(f"#tab-{league.boards[board].key}")
            assert words.locator("visible=true").count() == nobody


def test_tabs_by_mouse_and_keyboard(visit, html, league):
    with visit(html) as page:
        keys = [board.key for board in league.boards]
        page.click(f"#tab-{keys[2]}")
        for key, expected in (("ArrowRight", keys[3]), ("ArrowRight", keys[0]), ("End", keys[3]), ("Home", keys[0])):
            page.keyboard.press(key)
            assert page.get_attribute("[role=tab][aria-selected=true]", "id") == f"tab-{expected}"
            assert page.evaluate("document.activeElement.id") == f"tab-{expected}"
            visible = page.eval_on_selector_all(
                ".board", "found => found.filter(one => one.offsetParent).map(one => one.id)"
            )
            assert visible == [f"panel-{expected}"]
        page.click(f"#tab-{keys[1]}")
        page.reload()
        assert page.get_attribute("[role=tab][aria-selected=true]", "id") == f"tab-{keys[1]}"


def test_the_panel_of_a_bot_opens_and_closes(visit, html, league):
    with visit(html) as page:
        row = league.boards[0].rows[2]
        page.focus(f"#panel-overall tr[data-bot='{row.bot}'] a")
        page.keyboard.press("Enter")
        page.locator("#panel").wait_for(state="visible")
        assert page.inner_text("#panel-name") == league.bots[row.bot].name
        assert page.locator("#panel table").first.locator("tbody tr").count() == len(league.boards)
        against = page.locator("#panel table").nth(1)
        assert against.locator("thead th").all_inner_texts() == ["Opponent", "Games", "Score", "Interval", "Expected"]
        opponents = against.locator("tbody tr")
        assert opponents.count() == len(league.bots) - 1
        page.keyboard.press("Escape")
        page.locator("#panel").wait_for(state="hidden")
        page.wait_for_function("!location.hash.startsWith('#bot')")
        page.go_back()
        page.locator("#panel").wait_for(state="visible")


def test_numbers_are_rounded_once_and_alike_everywhere(visit, league):
    """22.3147 must not become 22.315 and then 22.32; a half goes the same way in the table and in the panel."""
    first, *others = league.boards[0].rows
    line = msgspec.structs.replace(first.line, rating=22.3147, low=21.8496, high=22.8504, mean_score=0.5625)
    row = msgspec.structs.replace(first, line=line)
    board = msgspec.structs.replace(league.boards[0], rows=(row, *others))
    with visit(render(msgspec.structs.replace(league, boards=(board, *league.boards[1:])))) as page:
        cells = page.locator("#panel-overall tbody tr").first.locator("td")
        assert cells.nth(1).inner_text() == "22.31"
        assert cells.nth(2).inner_text().strip() == "21.8 to 22.9"
        assert cells.nth(6).inner_text() == "0.562"
        page.evaluate(f"location.hash = '#bot={row.bot}'")
        page.wait_for_selector("#panel[open]")
        cells = page.locator("#panel table").first.locator("tbody tr").first.locator("td")
        assert [cells.nth(1).inner_text(), cells.nth(3).inner_text()] == ["22.31 (21.8 to 22.9)", "0.562"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_colour_schemes_and_the_switch(visit, html, scheme):
    ink = "getComputedStyle(document.querySelector('[data-chart=ratings] .role-axis-label text')).fill"
    paper = "getComputedStyle(document.body).backgroundColor"
    with visit(html, scheme=scheme) as page:
        page.wait_for_function(ALL_DRAWN)
        before = page.evaluate(paper), page.evaluate(ink)
        assert (brightness(before[0]) > brightness(before[1])) == (scheme == "light")
        page.click("[data-theme-button]")
        after = page.evaluate(paper), page.evaluate(ink)
        assert (brightness(after[0]) > brightness(after[1])) == (scheme == "dark")
        for _ in range(20):  # the browser takes a moment to save what a page remembers
            page.reload()
            if page.evaluate(paper) == after[0]:
                break
            page.wait_for_timeout(250)
        assert page.evaluate(paper) == after[0]
        page.emulate_media(media="print")
        assert brightness(page.evaluate(paper)) > 0.9
        assert not page.locator(".tools").is_visible()


def brightness(colour: str) -> float:
    red, green, blue = (int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(","))
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255


def test_printing_draws_the_charts_of_the_open_tab_for_paper(visit, html):
    with visit(html) as page:
        page.click("#tab-raj-3p")
        page.add_init_script(NOTE_WHAT_IS_PRINTED)
        page.reload()
        page.pdf(format="A4")
        printed = page.evaluate("printed")
        assert [box["chart"] for box in printed] == ["ratings", "meetings", "settling", "spreads", "times", "seats"]
        for box in printed:
            assert box["marks"] > 0
            assert box["pictures"] == 1
            assert 0 < box["width"] < A4_WIDTH
        page.wait_for_function(
            "document.querySelector('#panel-raj-3p [data-chart=ratings] svg').clientWidth > 1000"
        )  # the screen has its own again


@pytest.mark.parametrize("bots", [2, 14, MANY, 60])
@pytest.mark.parametrize("told", [True, False], ids=["printed by the browser", "printed by a script"])
def test_paper_cuts_nothing_off(visit, bots, told):
    """A script that prints leaves no time to draw: then charts are as on the screen, but smaller."""
    with visit(render(made_up(bots, contests=1)), scheme="dark") as page:
        page.wait_for_function(ALL_DRAWN, timeout=60_000)
        if told:
            page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        page.evaluate(f"document.documentElement.style.width = '{A4_WIDTH}px'")  # a smaller window would redraw
        assert page.evaluate(CUT_OFF) == []


@pytest.mark.parametrize("bots", [3, MANY + 5])
def test_a_phone_never_scrolls_the_page_sideways(visit, bots):
    with visit(render(made_up(bots)), width=360, height=740) as page:
        page.wait_for_function(ALL_DRAWN)
        assert page.evaluate(NO_SIDEWAYS)
        page.click("#tab-raj-3p")
        page.wait_for_function(ALL_DRAWN)
        assert page.evaluate(NO_SIDEWAYS)
        page.evaluate("location.hash = '#bot=1'")
        page.wait_for_selector("#panel[open]")
        assert page.evaluate(NO_SIDEWAYS)


@pytest.mark.parametrize("bots", [0, 1, 2])
def test_tiny_pools_are_no_trouble(visit, bots):
    with visit(render(made_up(bots))) as page:
        page.wait_for_function(ALL_DRAWN)
        assert len(names(page)) == bots


def test_a_large_pool_is_drawn_on_canvas(visit):
    with visit(render(made_up(60, contests=1))) as page:
        page.wait_for_function(ALL_DRAWN, timeout=60_000)
        assert page.get_attribute("[data-chart=meetings]", "data-drawn") == "canvas"
        assert page.get_attribute("[data-chart=ratings]", "data-drawn") == "svg"
        assert page.locator("[role=tab]").count() == 0


def test_strangers_text_is_shown_and_does_nothing(visit, league):
    bots = tuple(BotCard(f"{NASTY}{at}", NASTY) for at in range(len(league.bots)))
    fault = FaultNote(0, NASTY, "error", NASTY, 1, NASTY, f"{NASTY}\n  at {NASTY}")
    made = msgspec.structs.replace(league, bots=bots, league=NASTY, faults=(fault,), config=NASTY, folder=NASTY)
    with visit(render(made)) as page:
        page.wait_for_function(ALL_DRAWN)
        assert page.inner_text("h1") == NASTY
        assert all(name.startswith(NASTY) for name in names(page))
        cell = page.locator("[data-chart=meetings] .role-mark text").first
        cell.scroll_into_view_if_needed()
        cell.hover()
        page.wait_for_selector("#vg-tooltip-element.visible")
        assert NASTY in page.inner_text("#vg-tooltip-element")
        page.evaluate("location.hash = '#bot=0'")
        page.wait_for_selector("#panel[open]")
        assert NASTY in page.inner_text("#panel .doc")
        assert page.locator("img").count() == 0


def test_no_script_runs_even_if_something_got_in(visit):
    """The page's policy is the second wall: take down the first, and an inline script still does nothing."""
    html = render(made_up(2)).replace("</main>", "<script>alert(1)</script></main>")
    with pytest.raises(AssertionError, match="violates the following Content Security Policy"), visit(html):
        pass


@pytest.mark.parametrize(("game", "players", "options"), SETUPS[1::2], ids=lambda part: str(part)[:16])
def test_games_step_by_keys_and_buttons(visit, game, players, options):
    with visit(render_game(shown(game, players, options)), width=360, height=740) as page:
        last = int(page.get_attribute(".controls input", "max"))
        assert last >= len(shown(game, players, options).replay.moves)
        first = page.inner_text(".felt")
        page.keyboard.press("ArrowRight")
        assert page.inner_text("output") == f"1 / {last}"
        assert page.inner_text(".felt") != first
        assert page.inner_text(".now div") != ""
        page.click("[data-go=back]")
        assert page.inner_text(".felt") == first
        page.keyboard.press("End")
        assert page.inner_text("output") == f"{last} / {last}"
        assert page.locator(".place-0").count() >= 1
        assert page.evaluate(NO_SIDEWAYS)
        page.keyboard.press("Home")
        page.click("h1")
        page.keyboard.press(" ")
        assert page.get_attribute("[data-go=play]", "aria-label") == "Pause"
        page.keyboard.press(" ")
        assert page.get_attribute("[data-go=play]", "aria-label") == "Play"


def test_hands_are_shown_or_hidden_seat_by_seat(visit):
    with visit(render_game(shown("cheese_rescue", 3))) as page:
        hidden = ".seat:nth-child({}) .card.face-down"
        assert page.locator(hidden.format(1)).count() == 0
        page.click(".seat:nth-child(1) .toggle")
        assert page.locator(hidden.format(1)).count() == 8
        assert page.locator(hidden.format(2)).count() == 0
        assert page.inner_text(".seat:nth-child(1) .cards") == ""
        colours = page.eval_on_selector_all(
            hidden.format(1), "found => [...new Set(found.map(one => getComputedStyle(one).backgroundImage))]"
        )
        assert len(colours) == 1
        page.keyboard.press("ArrowRight")
        assert page.locator(hidden.format(1)).count() == 8
        page.keyboard.press("1")
        page.keyboard.press("2")
        assert page.locator(hidden.format(1)).count() == 0
        assert page.locator(hidden.format(2)).count() == 8


def test_a_link_leads_to_a_step(visit):
    with visit(render_game(shown("raj", 2))) as page:
        page.click(".log li:nth-child(4) button")
        assert page.inner_text(".now h2") == "Round 4 of 15"
        assert page.url.endswith("#4")
        page.reload()
        assert page.inner_text(".now h2") == "Round 4 of 15"
        assert page.locator(".log [aria-current]").count() == 1


def test_a_served_page_tells_how_far_the_league_is_and_renews_itself(chromium, tmp_path):
    folder = play(tmp_path, blocks=2)
    server = PageServer(folder)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    try:
        page = chromium.new_page()
        renewed = "document.title === 'small: standings'"
        with Store.create(folder) as store:
            write_page(store, Standings.of(store), running=True)
            page.goto(f"http://localhost:{server.port}/")
            page.evaluate("document.title = 'before'")
            page.wait_for_function("document.querySelector('#progress p').textContent.endsWith(' games.')")
            assert page.locator("#progress").is_visible()
            os.utime(folder / "standings.html", (1, 1))
            page.wait_for_function(renewed)
            page.evaluate("document.title = 'before'")
            page.wait_for_function("document.querySelector('#progress p').textContent.endsWith(' games.')")
        page.wait_for_function(renewed)
        assert page.locator("#progress").is_hidden()
        page.close()
    finally:
        server.stop()
        thread.join()
