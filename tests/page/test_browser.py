"""The standings page in a real browser: it loads from a file, touches no network, and does what it says."""

from __future__ import annotations

import msgspec
import pytest

from league.page.data import BotCard, FaultNote
from league.page.render import render
from league.plan.coverage import ContestProgress, LeagueProgress
from tests.page.made_up import page as made_up
from tests.page.made_up import progress

pytestmark = pytest.mark.slow

NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
CUT_OFF = """
() => {
  const edge = document.documentElement.getBoundingClientRect().right + 1;
  const parts = document.querySelectorAll(".board :is(table, figure), figure :is(svg, text)");
  const beyond = [...parts].filter((part) => part.getBoundingClientRect().right > edge);
  return beyond.map((part) => part.outerHTML.slice(0, 99));
}
"""
A4_WIDTH = 710
"""Pixels of an upright sheet minus its margins."""
NO_SIDEWAYS = "() => document.documentElement.scrollWidth <= innerWidth"
SIZES = {"desk": (1440, 900), "tablet": (820, 1180), "phone": (390, 844)}
ROWS_ABOVE_THE_FOLD = {"desk": 10, "tablet": 10, "phone": 5}
MANY = 40


def names(page, board="overall"):
    return page.eval_on_selector_all(f"#panel-{board} tbody th bdi", "found => found.map(one => one.textContent)")


def table(page, board="overall"):
    return page.locator(f"#panel-{board} table.ranking")


def ranked(page, board="overall"):
    return page.eval_on_selector_all(
        f"#panel-{board} table.ranking tbody th bdi", "found => found.map(one => one.textContent)"
    )


def column(page, name, board="overall"):
    return table(page, board).locator(f"tbody .c-{name}").all_inner_texts()


def open_bot(page, league, bot, board="overall"):
    page.evaluate(f"location.hash = '#{board}/{league.bots[bot].name}'")
    page.wait_for_selector("#panel[open]")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("bots", [15, 44])
def test_the_first_rows_are_above_the_fold(visit, bots, size, scheme):
    width, height = SIZES[size]
    with visit(render(made_up(bots)), width=width, height=height, scheme=scheme) as page:
        rows = page.eval_on_selector_all(
            "#panel-overall table.ranking tbody tr", "found => found.map(one => one.getBoundingClientRect().bottom)"
        )
        assert sum(bottom <= height for bottom in rows) >= ROWS_ABOVE_THE_FOLD[size]
        heights = page.eval_on_selector_all(
            "#panel-overall table.ranking tbody tr", "found => found.map(one => one.offsetHeight)"
        )
        assert max(heights) < 40, "a row is one line"
        assert page.evaluate(NO_SIDEWAYS)


def test_leaders_are_named_as_the_terminal_does_and_there_is_no_podium(visit, html, league):
    with visit(html) as page:
        first = league.firsts[0]
        one, other = (league.bots[bot].name for bot in first.bots)
        assert f"{one} or {other}" in page.inner_text(".firsts li:first-child")
        assert page.locator(".podium").count() == 0
        page.click(".firsts li:first-child .contest")
        assert page.get_attribute("[role=tab][aria-selected=true]", "id") == f"tab-{first.contest}"


def test_every_chart_of_every_tab_has_marks(visit, html, league):
    with visit(html) as page:
        for board in league.boards:
            page.click(f"#tab-{board.key}")
            marks = page.eval_on_selector_all(
                f"#panel-{board.key} [data-chart]",
                "found => found.map(one => [one.dataset.chart, one.querySelectorAll('circle, polyline').length])",
            )
            assert {name for name, count in marks if count} >= {"ratings", "settling", "seats", "times"}
            assert dict(marks)["times"] >= len(board.rows)


def test_ties_count_half_so_that_no_number_is_called_a_win_rate(html):
    assert "win rate" not in html.lower()


def test_columns_sort_and_say_so(visit, html, league):
    with visit(html) as page:
        before = ranked(page)
        assert before == [league.bots[row.bot].name for row in league.boards[0].rows]
        page.click("#more")
        for direction, backwards in (("descending", True), ("ascending", False)):
            page.click("#panel-overall thead .c-ms button")
            assert page.get_attribute("#panel-overall thead .c-ms", "aria-sort") == direction
            shown = [float(text) for text in column(page, "ms")]
            assert shown == sorted(shown, reverse=backwards)
        page.click("#panel-overall thead .c-bot button")
        assert ranked(page) == sorted(before)
        assert page.locator("#panel-overall [aria-sort]").count() == 1
        page.focus("#panel-overall thead .c-place button")
        page.keyboard.press("Enter")
        assert ranked(page) == before


def test_more_columns_shows_conservative_ratings_and_times(visit, html):
    with visit(html) as page:
        heads = "#panel-overall table.ranking thead th"
        assert page.locator(heads).all_inner_texts()[:3] == ["Place", "Bot", "Rating"]
        assert page.locator(f"{heads}.c-conservative, {heads}.c-ms").count() == 0
        page.click("#more")
        assert page.locator(f"{heads}.c-conservative, {heads}.c-ms").count() == 2
        assert page.url.endswith("?all=1")


def test_the_filter_looks_at_names_and_docstrings(visit, html, league):
    with visit(html) as page:
        page.fill("#filter", league.bots[3].name.upper())
        assert ranked(page) == [league.bots[3].name]
        assert page.get_by_role("status").filter(has_text="bots").inner_text() == "1 of 8 bots"
        page.fill("#filter", "fifteen for the ten")
        assert sorted(ranked(page)) == sorted(bot.name for bot in league.bots if bot.doc)
        page.fill("#filter", "")
        assert len(ranked(page)) == len(league.bots)


def test_a_filter_without_a_match_says_so(visit, league):
    home = league.boards[1].rows[0].bot
    away = msgspec.structs.replace(
        league.boards[2], rows=tuple(row for row in league.boards[2].rows if row.bot != home)
    )
    with visit(render(msgspec.structs.replace(league, boards=(*league.boards[:2], away)))) as page:
        words = page.get_by_text("No bot matches this filter.")
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


def test_an_address_says_all_that_is_shown(visit, html, league):
    """Tab, bot, order and filter are in it, by names, and the back button goes through them."""
    name = league.bots[2].name
    with visit(html) as page:
        page.click("#tab-raj-2p")
        page.click("#panel-raj-2p thead .c-rating button")
        page.click("#panel-raj-2p thead .c-rating button")
        page.fill("#filter", name[:3])
        page.click(f"#panel-raj-2p table.ranking a:has-text('{name}')")
        page.wait_for_selector("#panel[open]")
        address = page.url
        assert address.endswith(f"#raj-2p/{name}?sort=-rating&q={name[:3]}")
        shown = ranked(page, "raj-2p")
        page.goto("about:blank")
        page.goto(address)
        page.wait_for_selector("#panel[open]")
        assert page.inner_text("#panel-name") == name
        assert page.input_value("#filter") == name[:3]
        assert ranked(page, "raj-2p") == shown
        page.keyboard.press("Escape")
        page.locator("#panel").wait_for(state="hidden")
        page.wait_for_url(f"**#raj-2p?sort=-rating&q={name[:3]}")


def test_back_goes_from_tab_to_tab(visit, html):
    with visit(html) as page:
        page.click("#tab-raj-2p")
        page.click("#tab-raj-3p")
        page.go_back()
        assert page.get_attribute("[role=tab][aria-selected=true]", "id") == "tab-raj-2p"
        page.go_forward()
        assert page.get_attribute("[role=tab][aria-selected=true]", "id") == "tab-raj-3p"


def test_the_panel_of_a_bot_opens_and_closes(visit, html, league):
    with visit(html) as page:
        row = league.boards[0].rows[2]
        page.focus(f"#panel-overall tr[data-bot='{row.bot}'] a")
        page.keyboard.press("Enter")
        page.locator("#panel").wait_for(state="visible")
        assert page.inner_text("#panel-name") == league.bots[row.bot].name
        panel = page.get_by_role("dialog")
        places = panel.get_by_role("table", name="Places")
        assert places.locator("tbody tr").count() == len(league.boards)
        against = panel.get_by_role("table", name="Against each opponent")
        heads = ["Opponent", "", "Score", "Interval", "Expected", "Games"]
        assert against.locator("thead th").all_inner_texts() == heads
        assert against.locator("tbody tr").count() == len(league.bots) - 1
        page.click("[data-close]")
        page.locator("#panel").wait_for(state="hidden")
        page.click(f"#panel-overall tr[data-bot='{row.bot}'] .c-games")
        page.locator("#panel").wait_for(state="visible")


def test_a_cell_of_the_head_to_head_leads_to_the_comparison(visit, html, league):
    """In the file, the answer of `league compare` is there for the best pairs, and their games."""
    with visit(html) as page:
        order = {row.bot: at for at, row in enumerate(league.boards[0].rows)}
        a, b = 0, 1
        cell = page.locator("#panel-overall table.meetings tbody tr").nth(order[a]).locator("td").nth(order[b])
        meeting = next(one for one in league.boards[0].meetings if {one.a, one.b} == {a, b})
        assert int(cell.inner_text()) == round(100 * meeting.score)
        cell.click()
        page.wait_for_selector("#panel[open]")
        assert page.url.endswith(f"#overall/{league.bots[a].name}/{league.bots[b].name}")
        assert page.inner_text("#panel .verdict") == league.comparisons[0].verdict
        assert page.locator("#panel .watch a").get_attribute("href") == league.samples[0].href


def test_two_bots_are_chosen_for_a_comparison(visit, html, league):
    with visit(html) as page:
        open_bot(page, league, 3)
        page.select_option("#panel select", label=league.bots[5].name)
        page.locator("#panel-name", has_text=league.bots[5].name).wait_for()
        meetings = page.get_by_role("table", name="Meetings")
        assert meetings.locator("tbody tr").count() == len(league.boards), "head to head in each contest"


def test_games_of_a_bot_say_why_they_were_chosen(visit, html, league):
    with visit(html) as page:
        open_bot(page, league, 1)
        assert page.inner_text("#panel .watch b") == "worst loss"


def test_numbers_are_rounded_once_and_alike_everywhere(visit, league):
    """22.3147 must not become 22.315 and then 22.32; a half goes the same way in the table and in the panel."""
    first, *others = league.boards[0].rows
    line = msgspec.structs.replace(first.line, rating=22.3147, low=21.8496, high=22.8504, mean_score=0.5625)
    row = msgspec.structs.replace(first, line=line)
    board = msgspec.structs.replace(league.boards[0], rows=(row, *others))
    made = msgspec.structs.replace(league, boards=(board, *league.boards[1:]))
    with visit(render(made)) as page:
        assert column(page, "rating")[0] == "22.31"
        assert column(page, "interval")[0].strip() == "21.85 … 22.85"
        assert column(page, "mean_score")[0] == "56.2 %"
        open_bot(page, league, row.bot)
        cells = page.get_by_role("table", name="Places").locator("tbody tr").first.locator("td").all_inner_texts()
        assert cells[1:4] == ["22.31 (21.85 … 22.85)", "60 %", "56.2 %"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_colour_schemes_and_the_switch(visit, html, scheme):
    ink = "getComputedStyle(document.querySelector('[data-chart=ratings] .axis text')).fill"
    paper = "getComputedStyle(document.body).backgroundColor"
    with visit(html, scheme=scheme) as page:
        before = page.evaluate(paper), page.evaluate(ink)
        assert (brightness(before[0]) > brightness(before[1])) == (scheme == "light")
        page.click("[data-theme-button]")
        after = page.evaluate(paper), page.evaluate(ink)
        assert (brightness(after[0]) > brightness(after[1])) == (scheme == "dark")
        for _ in range(20):
            page.wait_for_timeout(250)  # the browser takes a moment to save what a page remembers
            page.reload()
            if page.evaluate(paper) == after[0]:
                break
            page.click("[data-theme-button]")  # a reload that came too soon has lost it
        assert page.evaluate(paper) == after[0]
        page.emulate_media(media="print")
        assert brightness(page.evaluate(paper)) > 0.9
        assert not page.locator(".tools").is_visible()


def brightness(colour: str) -> float:
    red, green, blue = (int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(","))
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255


@pytest.mark.parametrize("bots", [14, 2, MANY, 60])
def test_paper_cuts_nothing_off(visit, bots):
    with visit(render(made_up(bots, contests=1)), scheme="dark") as page:
        page.emulate_media(media="print")
        page.set_viewport_size({"width": A4_WIDTH, "height": 1000})
        assert page.evaluate(CUT_OFF) == []
        charts = page.locator("[data-chart]")
        assert charts.count() == 5
        for at in range(5):
            assert charts.nth(at).locator("circle, polyline").first.is_visible()


@pytest.mark.parametrize("bots", [3, MANY + 5])
def test_a_phone_never_scrolls_the_page_sideways(visit, bots):
    made = made_up(bots)
    with visit(render(made), width=360, height=740) as page:
        assert page.evaluate(NO_SIDEWAYS)
        page.click("#tab-raj-3p")
        assert page.evaluate(NO_SIDEWAYS)
        page.click("#more")
        assert page.evaluate(NO_SIDEWAYS)
        open_bot(page, made, 1)
        assert page.evaluate(NO_SIDEWAYS)


@pytest.mark.parametrize("size", SIZES)
def test_the_header_and_the_names_stay_in_sight(visit, size):
    width, height = SIZES[size]
    with visit(render(made_up(60, contests=1)), width=width, height=height) as page:
        page.evaluate("document.querySelectorAll('table.ranking tbody tr')[40].scrollIntoView()")
        assert 0 <= page.evaluate("document.querySelector('table.ranking thead th').getBoundingClientRect().top") < 5
        page.click("#more")
        page.evaluate("document.querySelector('[data-table]').scrollTo(9999, 900)")
        box, head, name = (
            page.locator(part).first.bounding_box()
            for part in ("[data-table]", "table.ranking thead th", "table.ranking tbody tr:nth-child(45) th")
        )
        assert abs(head["y"] - box["y"]) < 3
        assert name["x"] > box["x"] - 3, "names stay, however far the numbers are moved"


@pytest.mark.parametrize("bots", [0, 1, 2])
def test_tiny_pools_render(visit, bots):
    with visit(render(made_up(bots))) as page:
        assert len(ranked(page)) == bots


def test_a_large_pool_keeps_names_and_numbers(visit):
    """The best are drawn by name, and those that are looked for with their neighbours."""
    made = made_up(60, contests=1)
    board = made.boards[0]
    late = board.rows[52].bot
    labels = "[data-chart=ratings] li:not([hidden]) bdi"
    with visit(render(made)) as page:
        assert page.locator("[role=tab]").count() == 0
        assert made.bots[late].name not in page.locator(labels).all_text_contents()
        assert "30 of 60 bots" in page.inner_text(".subset")
        cells = page.locator("table.meetings tbody td:not(.self)").all_inner_texts()
        assert len(cells) == 30 * 29
        assert all(cell.isdigit() for cell in cells)
        page.fill("#filter", made.bots[late].name)
        name = made.bots[late].name
        page.locator(labels, has_text=name).wait_for()
        assert made.bots[board.rows[51].bot].name in page.locator(labels).all_text_contents()
        assert page.locator("table.meetings tbody tr", has_text=name).locator("td:not(.self)").count() == 38
        picture = page.locator("canvas")
        picture.scroll_into_view_if_needed()
        picture.hover(position={"x": 200, "y": 20})
        assert " against " in page.inner_text(".reading")


def test_never_met_and_half_differ_by_more_than_colour(visit, league):
    board = league.boards[1]
    met = tuple(one._replace(score=0.5) for one in board.meetings if 3 not in (one.a, one.b))
    made = msgspec.structs.replace(league, boards=(msgspec.structs.replace(board, meetings=met),))
    with visit(render(made), scheme="dark") as page:
        texts = {*page.locator("table.meetings tbody td:not(.self)").all_inner_texts()}
        assert texts == {"50", "·"}


def test_bots_without_games_do_not_stretch_the_axes(visit, league):
    board = league.boards[1]
    idle = msgspec.structs.replace(
        board.rows[-1].line, games=0, wins=0, draws=0, low=-50.0, high=99.0, kinds=(), ms=None
    )
    rows = (*board.rows[:-1], msgspec.structs.replace(board.rows[-1], place="", line=idle))
    made = msgspec.structs.replace(league, boards=(msgspec.structs.replace(board, rows=rows),))
    with visit(render(made)) as page:
        ticks = [float(text) for text in page.locator("[data-chart=ratings] .axis text").all_text_contents()]
        assert max(ticks) < 60
        assert min(ticks) > -20
        assert page.locator("[data-chart=ratings] li").count() == len(rows) - 1
        assert not column(page, "rating", "raj-2p")[-1][0].isdigit()


def test_an_unfinished_league_says_so_on_every_tab(visit):
    parts = [("raj-2p", 300, 400), ("raj-3p", 400, 400), ("braverats-2p", 0, 500)]
    made = made_up(4, progress=LeagueProgress(0, 0, tuple(ContestProgress(*part) for part in parts)))
    with visit(render(made)) as page:
        for board in made.boards:
            page.click(f"#tab-{board.key}")
            said = page.inner_text("#progress")
            assert "Unfinished: 700 of 1,300 games." in said
            assert "Raj, 2 players: 300 of 400" in said
            assert "Raj, 3 players: complete" in said
            assert "BraveRats: not begun" in said
        assert " of 500 games" in page.inner_text("#panel-braverats-2p .subtitle")


def test_stale_live_page_says_so(visit):
    """Its run was killed: the file cannot know, but it knows its own age."""
    with visit(render(made_up(4, progress=progress(700, 1300), running=True))) as page:
        said = page.inner_text("#progress .state")
        assert said.startswith("Unfinished: 700 of 1,300 games. It was being played when this page was written")


def test_untrusted_text_is_shown_as_text(visit, league):
    bots = tuple(BotCard(f"{NASTY}{at}", NASTY) for at in range(len(league.bots)))
    fault = FaultNote(0, NASTY, "error", NASTY, 1, NASTY, f"{NASTY}\n  at {NASTY}")
    made = msgspec.structs.replace(
        league, bots=bots, league=NASTY, faults=(fault,), config=NASTY, folder=NASTY, logo=NASTY, remarks=(NASTY, NASTY)
    )
    with visit(render(made)) as page:
        assert page.inner_text("h1") == NASTY
        assert all(name.startswith(NASTY) for name in ranked(page))
        assert NASTY in page.locator("[data-chart=ratings] bdi").first.text_content()
        page.evaluate("document.querySelector('table.ranking tbody a').click()")
        page.wait_for_selector("#panel[open]")
        assert NASTY in page.inner_text("#panel-name")
        page.select_option("#panel select", index=2)
        assert page.locator("img").count() == 0


def test_injected_script_is_blocked(visit):
    """The page's policy is the second wall: take down the first, and an inline script still does nothing."""
    html = render(made_up(2)).replace("</main>", "<script>alert(1)</script></main>")
    with pytest.raises(AssertionError, match="violates the following Content Security Policy"), visit(html):
        pass
