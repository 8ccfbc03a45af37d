"""From any number of the page to the games behind it, in a real browser; and what changed since the last run."""

from __future__ import annotations

import msgspec
import pytest

from league.page.privacy import Privacy
from league.page.render import render
from league.values.settings import PageSettings
from tests.page.made_up import BASELINE
from tests.page.made_up import page as made_up
from tests.page.test_browser import NO_SIDEWAYS, SIZES, column, open_bot, ranked

pytestmark = pytest.mark.slow

SIZES_AND_SCHEMES = [(size, scheme) for size in SIZES for scheme in ("light", "dark")]


def in_sight(page, selector):
    """Whether the top of an element is within the panel."""
    box, panel = page.locator(selector).first.bounding_box(), page.locator("#panel").bounding_box()
    return panel["y"] <= box["y"] < panel["y"] + panel["height"]


def test_a_fault_leads_to_the_faults_of_its_bot(visit, html, league):
    row = next(row for row in league.boards[0].rows if row.line.faults)
    with visit(html, height=500) as page:
        page.click(f"#panel-overall tr[data-bot='{row.bot}'] .c-faults a")
        page.wait_for_selector("#panel[open]")
        assert page.inner_text("#panel-name") == league.bots[row.bot].name
        assert in_sight(page, "#panel section[data-part=faults]")


def test_a_bar_of_results_leads_to_the_games_of_its_bot(visit, html, league):
    row = league.boards[0].rows[0]
    with visit(html, height=500) as page:
        page.click(f"#panel-overall tr[data-bot='{row.bot}'] .wdl")
        page.wait_for_selector("#panel[open]")
        assert in_sight(page, "#panel section[data-part=games]")


def test_a_mark_of_a_chart_leads_to_its_bot(visit, html, league):
    with visit(html) as page:
        mark = page.locator("#panel-overall [data-chart=times] li").first
        mark.scroll_into_view_if_needed()
        mark.click()
        page.wait_for_selector("#panel[open]")
        assert page.inner_text("#panel-name") == league.bots[league.boards[0].rows[0].bot].name


def test_reasons_are_not_repeated(visit, league):
    """The worst loss of all is the worst loss against its winner as well: once is enough."""
    a, b = (league.bots[bot].name for bot in (0, 1))
    reasons = ((0, "worst loss"), (0, f"worst loss against {b}"), (1, f"best win against {a}"))
    sample = msgspec.structs.replace(league.samples[0], reasons=reasons)
    with visit(render(msgspec.structs.replace(league, samples=(sample,)))) as page:
        open_bot(page, league, 0)
        assert page.inner_text("#panel .watch b") == "worst loss"
        page.select_option("#panel select", label=b)
        page.locator("#panel-name", has_text=" and ").wait_for()
        assert page.inner_text("#panel .watch b") == f"{a}: worst loss; {b}: best win against {a}"


def test_public_page_names_no_commands(visit, league):
    """A page that was handed out does not send its readers to a folder that they do not have."""
    for page_of, said in ((league, True), (Privacy([], PageSettings(public=True)).page(league), False)):
        with visit(render(page_of)) as page:
            open_bot(page, league, 2)
            assert ("league serve" in page.inner_text("#panel")) == said
            page.select_option("#panel select", label=league.bots[3].name)
            page.locator("#panel-name", has_text=" and ").wait_for()
            assert ("league compare" in page.inner_text("#panel")) == said


def test_baselines_are_marked(visit, html, league):
    with visit(html) as page:
        marked = page.locator("table.ranking .chip", has_text="baseline")
        assert marked.locator("visible=true").count() == 1
        assert page.locator(f"#panel-overall tr[data-bot='{BASELINE}'] .chip", has_text="baseline").count() == 1
        open_bot(page, league, BASELINE)
        assert "A baseline" in page.inner_text("#panel")


@pytest.mark.parametrize(("size", "scheme"), SIZES_AND_SCHEMES)
def test_large_pools_on_every_screen(visit, size, scheme):
    """The first rows are shown, and all on request; nothing is wider than the screen."""
    width, height = SIZES[size]
    with visit(render(made_up(200, contests=1)), width=width, height=height, scheme=scheme) as page:
        assert len(ranked(page, "raj-2p")) == 50
        page.click(".rest")
        assert len(ranked(page, "raj-2p")) == 200
        assert page.locator(".rest").count() == 0
        assert page.evaluate(NO_SIDEWAYS)


def test_the_table_says_what_changed_since_the_last_run(visit, html, league):
    before = {row.bot: row for row in league.before.boards["overall"]}
    rows = league.boards[0].rows
    assert "Since the last run:" in html
    with visit(html) as page:
        shown = column(page, "change")
        for text, row in zip(shown, rows, strict=True):
            change = round(row.line.rating, 2) - round(before[row.bot].rating, 2)
            assert float(text.split()[0].replace("±", "")) == pytest.approx(change, abs=0.011)
        page.click("#panel-overall thead .c-change button")
        numbers = [float(text.split()[0].replace("±", "")) for text in column(page, "change")]
        assert numbers == sorted(numbers, reverse=True)


def test_new_bots_and_new_places_are_marked(visit, league):
    first, second, *others = league.before.boards["overall"]
    rows = (second._replace(place="7"), *others)
    before = msgspec.structs.replace(league.before, boards={"overall": rows})
    with visit(render(msgspec.structs.replace(league, before=before))) as page:
        cell = "#panel-overall tr[data-bot='{}'] .c-change"
        assert page.inner_text(cell.format(first.bot)) == "new"
        assert page.inner_text(cell.format(second.bot)).endswith("7 → 1\N{EN DASH}2")
    with visit(render(msgspec.structs.replace(league, before=None))) as page:
        assert page.locator(".c-change").count() == 0


def test_the_panel_draws_a_rating_over_runs(visit, html, league):
    """A version is marked by a square and in words."""
    with visit(html) as page:
        open_bot(page, league, 0, "raj-2p")
        runs = page.locator("#panel section[data-part=past]")
        assert runs.locator("svg :is(circle, rect)").count() == len(league.past)
        assert runs.locator("svg .edited").count() == 1
        lines = runs.locator("tbody tr").all_inner_texts()
        assert [line.split("\t")[0] for line in lines] == [past.ended for past in reversed(league.past)]
        assert ["new version" in line for line in lines] == [False, True, False]
