"""A person plays against bots in a real browser: by cards, by keyboard, on a phone."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Thread

import pytest

from league import games
from league.page.server import PageServer
from league.page.tables import TableSetting
from league.setup.roster import find
from league.values.settings import Isolation, Limits
from tests.page.leagues import play
from tests.page.serving import served
from tests.page.test_accessibility import axe, violations  # noqa: F401 - a fixture

pytestmark = pytest.mark.slow


@contextmanager
def begun(chromium, game, players=2, **how):
    """The address of a table for one game, and a page on which it has begun."""
    bots = [find("random")] * (players - 1)
    server = PageServer(TableSetting(games.make(game, players), bots, Isolation.TRUSTED, Limits()))
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    context = chromium.new_context(reduced_motion="reduce", **how)
    page, address = context.new_page(), f"http://localhost:{server.port}/"
    page.goto(address)
    page.get_by_role("button", name="Begin").click()
    yield address, page
    context.close()
    server.stop()
    thread.join(30)


def test_a_game_against_a_bot_of_the_league(chromium, axe, tmp_path):  # noqa: F811
    folder = play(tmp_path, games=4)
    context = chromium.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = context.new_page()
    troubles = []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    with served(folder, Isolation.TRUSTED) as port:
        page.goto(f"http://localhost:{port}/bots/last.html")
        page.get_by_role("link", name="Play against it").click()
        assert page.locator("[data-contest]:visible").get_by_label("Opponent").input_value() == "last"
        assert violations(page, axe) == []
        page.get_by_role("button", name="Begin").click()
        table = page.get_by_role("region", name="Table")
        table.get_by_role("button", name="bids 15").wait_for()
        assert violations(page, axe) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.get_by_role("heading", name="Your turn: choose a card").is_visible()
        assert table.get_by_text("At stake now").is_visible()
        page.get_by_role("button", name="Rules").click()
        rules = page.get_by_role("complementary", name="Rules")
        assert rules.get_by_role("heading", name="Options of this game").is_visible()
        assert violations(page, axe) == []
        rules.get_by_role("button", name="Close").click()
        assert page.locator(".seat").nth(1).locator(".card:not(.face-down):not(.ghost)").count() == 0, "last's hand"
        for bid in range(1, 16):
            table.get_by_role("button", name=f"bids {bid}", exact=True).focus()
            page.keyboard.press("Enter")
            if bid < 15:
                table.get_by_role("button", name=f"bids {bid}", exact=True).wait_for(state="detached")
                table.get_by_role("button", name="bids 15", exact=True).wait_for()
        assert page.locator(".now.won h2").inner_text().startswith(("You won, ", "You lost, ", "A draw, "))
        page.get_by_role("link", name="See how it turned").click()
        page.get_by_text("turning point").first.wait_for()
        assert page.get_by_role("heading", name="Raj", level=1).is_visible()
        assert page.get_by_label("Seen by").locator("option").all_inner_texts() == ["everybody", "you", "last"]
    context.close()
    assert troubles == []


def test_cards_tell_what_they_can_do_and_a_closed_page_is_resumed(chromium):
    with begun(chromium, "braverats") as (address, page):
        page.get_by_role("button", name="plays the Ambassador").focus()
        page.get_by_text("Ambassador 4: Winning with this card counts as two rounds.", exact=True).wait_for()
        page.get_by_role("button", name="plays the Prince (7)").hover()
        page.get_by_text("Prince 7: Wins the round, whatever the values.", exact=True).wait_for()
        other = page.context.new_page()
        page.close()
        other.goto(address)
        other.get_by_role("button", name="Go on with your game").click()
        other.get_by_role("button", name="plays the Ambassador").press("Enter")  # which never ends the game at once
        other.get_by_text("Last round you played the Ambassador").wait_for()
        assert other.get_by_text("Ambassador 4: Winning").count() == 0, "it is played"
        other.get_by_role("button", name="Leave the table").click()
        other.get_by_text("You left the table").wait_for()
        other.get_by_role("button", name="Change seats").click()
        other.get_by_role("heading", name="Your turn: choose a card").wait_for()
        assert other.locator(".versus bdi").all_inner_texts() == ["random", "you"]


def test_two_picks_make_a_move_and_escape_takes_one_back(chromium):
    with begun(chromium, "cheese_rescue", 3) as (_, page):
        hand = page.locator(".felt").get_by_role("button", name="lays")
        hand.first.wait_for()
        first = hand.first.get_attribute("aria-label").partition(" (")[0]
        hand.first.press("Enter")
        assert page.get_by_role("button", pressed=True).count() == 1
        page.keyboard.press("Escape")
        assert page.get_by_role("button", pressed=True).count() == 0
        hand.first.press("Enter")
        page.get_by_role("button", name=f"{first} at").first.press("Enter")
        page.locator(".board .card:not(.empty)").nth(2).wait_for()


def test_a_reload_goes_on_at_the_same_table(chromium):
    with begun(chromium, "raj") as (address, page):
        bids = page.locator(".felt").get_by_role("button", name="bids")
        bids.first.wait_for()
        page.get_by_role("button", name="bids 15", exact=True).press("Enter")
        page.get_by_role("button", name="bids 15", exact=True).wait_for(state="detached")
        page.reload()
        bids.first.wait_for()
        assert bids.count() == 14, "the table after the first bid"
        page.goto("about:blank")
        page.goto(f"{address}#gone")
        page.get_by_text("There is no such table").wait_for()
        assert page.get_by_role("button", name="Begin").is_visible()


def test_a_first_tap_shows_what_a_card_does_and_a_second_one_plays_it(chromium):
    with begun(chromium, "braverats", has_touch=True) as (_, page):
        page.get_by_role("button", name="plays the Ambassador").tap()
        page.get_by_text("Ambassador 4: Winning with this card counts as two rounds.", exact=True).wait_for()
        assert page.get_by_role("heading", name="Tap it again to play it").is_visible()
        page.get_by_role("button", name="plays the Prince (7)").tap()
        page.get_by_text("Prince 7: Wins the round, whatever the values.", exact=True).wait_for()
        page.get_by_role("button", name="plays the Prince (7)", pressed=True).tap()
        page.get_by_text("Last round you played the Prince").wait_for()
    with begun(chromium, "cheese_rescue", 3, has_touch=True) as (_, page):
        page.locator(".felt").get_by_role("button", name="lays").first.tap()
        page.get_by_role("button", name="at G7").tap()
        assert page.get_by_role("button", pressed=True).count() == 2, "a card and its place"
        page.get_by_role("button", name="at G7").tap()
        page.locator(".board .card:not(.empty)").nth(2).wait_for()
