"""The standings page and the pages of bots in a real browser: they load from a file, and touch no network."""

from __future__ import annotations

import re

import msgspec
import pytest

from league.page.bots import render_bot
from league.page.render import render
from league.plan.coverage import ContestProgress, LeagueProgress
from tests.page.made_up import page as made_up
from tests.page.made_up import progress

pytestmark = pytest.mark.slow

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


def standings(page, title="Overall"):
    return page.get_by_role("table", name=f"Standings, {title}", exact=True)


def ranked(page, title="Overall"):
    return standings(page, title).locator("tbody tr:visible th a").all_inner_texts()


def column(page, name, title="Overall"):
    heads = standings(page, title).locator("thead th").all_text_contents()
    return standings(page, title).locator(f"tbody tr > :nth-child({heads.index(name) + 1})").all_inner_texts()


def tab(page, title):
    return page.get_by_role("navigation", name="Contests").get_by_role("link", name=title, exact=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("bots", [15, 44])
def test_the_first_rows_are_above_the_fold(visit, bots, size, scheme):
    width, height = SIZES[size]
    with visit(render(made_up(bots)), width=width, height=height, scheme=scheme) as page:
        boxes = [row.bounding_box() for row in standings(page).locator("tbody tr:visible").all()]
        assert sum(box["y"] + box["height"] <= height for box in boxes) >= ROWS_ABOVE_THE_FOLD[size]
        assert max(box["height"] for box in boxes) < (60 if size == "phone" else 40), "a row is one line"
        assert page.evaluate(NO_SIDEWAYS)


def test_columns_sort_and_say_so(visit, html, league):
    with visit(html) as page:
        before = ranked(page)
        assert before == [line.bot for line in league.boards[0].lines]
        for direction, backwards in (("descending", True), ("ascending", False)):
            standings(page).get_by_role("button", name="Score").click()
            head = standings(page).locator("thead th", has_text="Score")
            assert head.get_attribute("aria-sort") == direction
            shown = [float(text.split("\u00a0")[0]) for text in column(page, "Score")]
            assert shown == sorted(shown, reverse=backwards)
        standings(page).get_by_role("button", name="95 % interval").click()
        lows = [float(text.split(" … ")[0]) for text in column(page, "95 % interval")]
        assert lows == sorted(lows, reverse=True)
        standings(page).get_by_role("button", name="Bot").click()
        assert ranked(page) == sorted(before)
        assert standings(page).locator("[aria-sort]").count() == 1
        standings(page).get_by_role("button", name="Place").focus()
        page.keyboard.press("Enter")
        assert ranked(page)[2:4] == before[2:4]
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        assert ranked(page) == before


def test_the_filter_counts_what_it_leaves(visit, html, league):
    with visit(html) as page:
        bot = league.boards[0].lines[3].bot
        page.get_by_role("searchbox").fill(bot.upper())
        assert ranked(page) == [bot]
        assert page.locator("[data-found]").inner_text() == "1 of 8"
        page.get_by_role("searchbox").fill("")
        assert len(ranked(page)) == len(league.docs)


def test_tabs_lead_to_contests_and_back_goes_through_them(visit, html, league):
    with visit(html) as page:
        for board in league.boards:
            tab(page, board.title).click()
            assert page.locator(".board:visible h2").all_inner_texts() == [board.title]
            assert page.url.endswith(f"#{board.key}")
            assert page.evaluate("scrollY") == 0
        page.go_back()
        assert page.locator(".board:visible h2").all_inner_texts() == [league.boards[-2].title]
        page.reload()
        assert page.locator(".board:visible h2").all_inner_texts() == [league.boards[-2].title]
        page.locator(".firsts").get_by_role("link", name="Raj, 3 players").click()
        assert page.locator(".board:visible h2").all_inner_texts() == ["Raj, 3 players"]


def test_without_script_every_board_is_there(chromium, html, league, tmp_path):
    (tmp_path / "page.html").write_text(html)
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    for board in league.boards:
        assert standings(page, board.title).locator("tbody tr:visible").count() == len(board.lines)
    assert page.get_by_role("button").count() == 0, "nothing that does not work"
    assert standings(page).get_by_role("link").first.get_attribute("href").startswith("bots/")
    context.close()


def test_large_tables_show_the_first_rows_until_all_are_asked_for(visit):
    with visit(render(made_up(60, contests=1))) as page:
        assert len(ranked(page, "Raj, 2 players")) == 50
        page.get_by_role("button", name="Show all 60 bots").click()
        assert len(ranked(page, "Raj, 2 players")) == 60
        assert page.locator("[data-chart=ratings] li").count() == 30


def test_numbers_are_rounded_once(visit, league):
    """22.3147 must not become 22.315 and then 22.32."""
    first, *others = league.boards[0].lines
    line = msgspec.structs.replace(first, rating=22.3147, low=21.8496, high=22.8504, mean_score=0.5625)
    board = msgspec.structs.replace(league.boards[0], lines=[line, *others])
    made = msgspec.structs.replace(league, boards=[board, *league.boards[1:]])
    with visit(render(made)) as page:
        assert column(page, "Rating")[0] == "22.31"
        assert column(page, "95 % interval")[0].strip() == "21.85 … 22.85"
        assert column(page, "Score")[0] == "56.2\u00a0%"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_colour_schemes_and_the_switch(visit, html, scheme):
    paper = "getComputedStyle(document.body).backgroundColor"
    with visit(html, scheme=scheme) as page:
        assert (brightness(page.evaluate(paper)) > 0.5) == (scheme == "light")
        page.get_by_role("button", name="colours").click()
        assert (brightness(page.evaluate(paper)) > 0.5) == (scheme == "dark")
        page.emulate_media(media="print")
        assert brightness(page.evaluate(paper)) > 0.9
        assert not page.locator(".tools").is_visible()


def brightness(colour: str) -> float:
    red, green, blue = (int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(","))
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255


@pytest.mark.parametrize("bots", [14, 2, 60])
def test_paper_cuts_nothing_off(visit, bots):
    with visit(render(made_up(bots, contests=1)), scheme="dark") as page:
        page.emulate_media(media="print")
        page.set_viewport_size({"width": A4_WIDTH, "height": 1000})
        assert page.evaluate(CUT_OFF) == []


@pytest.mark.parametrize("bots", [3, 45])
def test_a_phone_never_scrolls_the_page_sideways(visit, bots):
    made = made_up(bots)
    with visit(render(made), width=360, height=740) as page:
        assert page.evaluate(NO_SIDEWAYS)
        tab(page, "Raj, 3 players").click()
        page.get_by_role("button", name="More columns").click()
        assert page.evaluate(NO_SIDEWAYS)
    with visit(render_bot(made, next(iter(made.docs))), width=360, height=740) as page:
        assert page.evaluate(NO_SIDEWAYS)


def test_an_unfinished_league_says_so(visit):
    parts = [("raj-2p", 300, 400), ("raj-3p", 400, 400), ("braverats-2p", 0, 500)]
    made = made_up(4, progress=LeagueProgress(0, 0, tuple(ContestProgress(*part) for part in parts)))
    with visit(render(made)) as page:
        said = page.inner_text("#progress")
        for words in ("700 of 1,300 games", "2 players: 300 of 400", "3 players: complete", "BraveRats: not begun"):
            assert words in said
        tab(page, "BraveRats").click()
        assert " of 500 games" in page.inner_text("#braverats-2p .subtitle")


def test_stale_live_page_says_so(visit):
    """Its run was killed: the file cannot know, but it knows its own age."""
    with visit(render(made_up(4, progress=progress(700, 1300), running=True))) as page:
        said = page.inner_text("#progress .state")
        assert said.startswith("Unfinished: 700 of 1,300 games. It was being played when this page was written")


def test_injected_script_is_blocked(visit):
    """The page's policy is the second wall: take down the first, and an inline script still does nothing."""
    html = render(made_up(2)).replace("</main>", "<script>alert(1)</script></main>")
    with pytest.raises(AssertionError, match="violates the following Content Security Policy"), visit(html):
        pass


def test_page_of_a_bot_answers_first(visit, league):
    line = next(line for line in league.boards[0].lines[1:] if line.bot in league.milestones)
    bot = line.bot
    with visit(render_bot(league, bot)) as page:
        facts = page.get_by_role("definition").all_inner_texts()
        assert facts[0] == f"{line.place} of 8".replace("-", "\N{EN DASH}")
        assert facts[1] == f"{line.rating:.2f} {line.low:.2f} … {line.high:.2f}"
        heads = [text for text in page.get_by_role("heading", level=2).all_inner_texts() if text]
        assert heads[:3] == ["Overall", "Milestones", "Hardest opponents first: Raj, 2 players"]
        against = page.get_by_role("table", name=re.compile("Against each opponent, Raj, 2 players"))
        scores = [float(text.split("\u00a0")[0]) for text in against.locator("td:nth-child(2)").all_inner_texts()]
        assert scores == sorted(scores)
        assert len(scores) == len(league.docs) - 1
        assert page.get_by_role("table", name="All contests").locator("tbody tr").count() == len(league.boards)
        runs = [run.boards["overall"][bot] for run, _ in league.past if bot in run.boards["overall"]]
        said = f"Rating over {len(runs)} runs, now {runs[-1].rating:.2f}"
        assert page.get_by_role("img", name=said).count() == 1


def test_versions_are_marked_in_the_history(visit, league):
    bot = next(iter(league.docs))
    with visit(render_bot(league, bot)) as page:
        runs = [run.boards["raj-2p"][bot] for run, _ in league.past if bot in run.boards["raj-2p"]]
        page.get_by_text("Over runs: Raj, 2 players").click()
        part = page.locator("section", has=page.get_by_role("heading", name="Over runs: Raj, 2 players"))
        if len(runs) == 3:
            gain = runs[-1].rating - runs[0].rating
            assert f"a change of {gain:+.2f}" in part.locator(".verdict").inner_text()
        assert "version 2" in part.locator("svg.past text").all_text_contents()


def test_the_hall_shows_boards_and_goes_on(visit, html, league):
    with visit(html.replace('<a href="games/', '<a data-href="games/'), width=1920, height=1080) as page:
        page.get_by_role("link", name="Lecture hall").click()
        hall = page.get_by_role("region", name="Lecture hall")
        assert hall.get_by_role("heading").inner_text() == "Overall"
        page.keyboard.press("Space")
        assert hall.get_by_role("button", name="Play").count() == 1
        page.keyboard.press("ArrowRight")
        assert hall.get_by_role("heading").inner_text() == "Raj, 2 players"
        sizes = hall.locator(".ranking tbody tr:visible th a").evaluate_all(
            "(found) => found.map((one) => parseFloat(getComputedStyle(one).fontSize))"
        )
        assert min(sizes) >= 24
        page.keyboard.press("Escape")
        assert not hall.is_visible()
        assert ranked(page)
