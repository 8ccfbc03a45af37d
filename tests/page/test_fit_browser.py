"""Long names and large numbers fit into every screen: nothing is wider than its place, and nothing is lost by it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from league.page.live import Asked, games_page
from league.page.render import render
from league.results.store import Store
from tests.page.leagues import FIRST, play
from tests.page.made_up import page as made_up
from tests.page.test_browser import NO_SIDEWAYS, ROWS_ABOVE_THE_FOLD, SIZES, column, ranked, standings, tab

pytestmark = pytest.mark.slow

LONG = "a_bot_whose_name_is_as_long_as_names_of_bots_ever_get"
WIDTHS = (390, 650, 765, 768, 820, 1045, 1195, 1440)
BEYOND = """
() => [...document.querySelectorAll(".board:not([hidden]) .ranking")].flatMap((table) => {
  const edge = table.parentElement.getBoundingClientRect().right + 1;
  const parts = [table, ...table.querySelectorAll(".fault, .chip, .wdl, .bar")];
  return parts.filter((part) => part.getBoundingClientRect().right > edge).map((part) => part.className);
})
"""
NAMES_BEYOND = """
() => [...document.querySelectorAll(".board:not([hidden]) .right bdi")].filter((name) =>
  name.getBoundingClientRect().right > name.closest("figure").getBoundingClientRect().right,
)
"""
"""Names at the ends of curves that run out of their figure."""


@pytest.fixture(scope="module")
def long_and_large():
    """A league in which every name is long, every number large, and one bot new."""
    made = made_up(15, called=f"{LONG}_")
    large = {"games": 123_456, "wins": 100_000, "draws": 1_234, "kinds": (("error", 120_000),)}
    boards = [replace(board, lines=[replace(line, **large) for line in board.lines]) for board in made.boards]
    newcomer = made.boards[0].lines[0].bot
    old = {key: {bot: one for bot, one in rows.items() if bot != newcomer} for key, rows in made.before.boards.items()}
    return replace(made, boards=boards, before=replace(made.before, boards=old))


@pytest.mark.parametrize("width", WIDTHS)
def test_the_table_keeps_to_its_place(visit, long_and_large, width):
    with visit(render(long_and_large), width=width) as page:
        for title in ("Overall", "Raj, 2 players"):
            tab(page, title).click()
            assert page.evaluate(BEYOND) == []
            assert page.evaluate(NO_SIDEWAYS)
            assert page.evaluate(NAMES_BEYOND) == []
            assert all(name.startswith(LONG) for name in ranked(page, title))


@pytest.mark.parametrize("size", SIZES)
def test_long_names_of_leaders_leave_room_for_the_first_rows(visit, long_and_large, size):
    width, height = SIZES[size]
    with visit(render(long_and_large), width=width, height=height) as page:
        boxes = [row.bounding_box() for row in standings(page).locator("tbody tr").all()]
        assert sum(box["y"] + box["height"] <= height for box in boxes) >= ROWS_ABOVE_THE_FOLD[size]


@pytest.mark.parametrize("width", [820, 1440])
def test_a_new_bot_is_called_new_where_changes_are_shown(visit, long_and_large, width):
    with visit(render(long_and_large), width=width) as page:
        changes = column(page, "Change")
        assert changes[0] == "new"
        assert changes.count("new") == 1


def test_the_list_of_games_on_a_phone(visit, tmp_path):
    with Store.open(play(tmp_path, {LONG: FIRST, f"{LONG}_too": FIRST, "short": FIRST})) as store:
        html = games_page(store, Asked("short", kind="drawn"))
    with visit(html, width=390) as page:
        assert page.locator(".data a").count() > 0
        assert page.evaluate(NO_SIDEWAYS)
