"""Long names and large numbers fit into every screen: nothing is wider than its place, and nothing is lost by it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from league.page.data import BotCard
from league.page.live import Asked, games_page
from league.page.render import render
from league.results.store import Store
from tests.page.leagues import FIRST, play
from tests.page.made_up import page as made_up
from tests.page.test_browser import NO_SIDEWAYS, ROWS_ABOVE_THE_FOLD, SIZES

pytestmark = pytest.mark.slow

LONG = "a_bot_whose_name_is_as_long_as_names_of_bots_ever_get"
WIDTHS = (390, 650, 765, 768, 820, 1045, 1195, 1440)
BEYOND = """
() => [...document.querySelectorAll(".board:not(.hidden) table.ranking")].flatMap((table) => {
  const edge = table.parentElement.getBoundingClientRect().right + 1;
  const parts = [table, ...table.querySelectorAll(".fault, .chip, .wdl, .interval")];
  return parts.filter((part) => part.getBoundingClientRect().right > edge).map((part) => part.className);
})
"""


@pytest.fixture(scope="module")
def long_and_large():
    """A league in which every name is long, every number large, and one bot new."""
    made = made_up(15)

    def row(of):
        line = replace(of.line, games=123_456, wins=100_000, draws=1_234, kinds=(("error", 120_000),))
        return replace(of, line=line)

    boards = tuple(replace(board, rows=tuple(map(row, board.rows))) for board in made.boards)
    bots = tuple(BotCard(f"{LONG}_{at}", bot.doc, bot.baseline) for at, bot in enumerate(made.bots))
    newcomer = made.boards[0].rows[0].bot
    old = {key: tuple(one for one in rows if one.bot != newcomer) for key, rows in made.before.boards.items()}
    return replace(made, bots=bots, boards=boards, before=replace(made.before, boards=old))


@pytest.mark.parametrize("width", WIDTHS)
def test_the_table_keeps_to_its_place(visit, long_and_large, width):
    with visit(render(long_and_large), width=width) as page:
        for key in ("overall", "raj-2p"):
            page.evaluate(f"location.hash = '#{key}'")
            page.locator(f"#panel-{key}").wait_for()
            assert page.evaluate(BEYOND) == []
            assert page.evaluate(NO_SIDEWAYS)
        assert page.locator("#panel-raj-2p .c-bot a").first.get_attribute("title").startswith(LONG)


@pytest.mark.parametrize("size", SIZES)
def test_long_names_of_leaders_leave_room_for_the_first_rows(visit, long_and_large, size):
    width, height = SIZES[size]
    with visit(render(long_and_large), width=width, height=height) as page:
        rows = page.eval_on_selector_all(
            "#panel-overall table.ranking tbody tr", "found => found.map(one => one.getBoundingClientRect().bottom)"
        )
        assert sum(bottom <= height for bottom in rows) >= ROWS_ABOVE_THE_FOLD[size]


@pytest.mark.parametrize("width", [820, 1440])
def test_a_new_bot_is_called_new_wherever_changes_are_shown(visit, long_and_large, width):
    newcomer = long_and_large.boards[0].rows[0].bot
    with visit(render(long_and_large), width=width) as page:
        assert page.locator(f"#panel-overall tr[data-bot='{newcomer}'] .c-change .chip").is_visible()


def test_the_list_of_games_on_a_phone(visit, tmp_path):
    with Store.open(play(tmp_path, {LONG: FIRST, f"{LONG}_too": FIRST, "short": FIRST})) as store:
        html = games_page(store, Asked("short", kind="drawn"))
    with visit(html, width=390) as page:
        assert page.locator(".found a").count() > 0
        assert page.evaluate(NO_SIDEWAYS)


def test_the_games_of_the_open_contest_come_first_in_a_panel(visit, long_and_large):
    sample = long_and_large.samples[0]
    there = replace(sample, contest="raj-3p", address="raj-3p:a+b+c:1.0", href="games/raj-3p-1.html")
    with visit(render(replace(long_and_large, samples=(there, sample)))) as page:
        page.evaluate(f"location.hash = '#raj-2p/{LONG}_0'")
        page.wait_for_selector("#panel[open]")
        assert page.locator("#panel .watch a").first.get_attribute("href") == sample.href
