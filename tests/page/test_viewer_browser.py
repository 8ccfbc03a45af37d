"""The viewer in a real browser: one game, step by step."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest

from league.games.contract import Lapse, Outcome
from league.page.viewer import Neighbour
from league.page.viewer import render as render_game
from tests.page.playings import SETUPS, shown

pytestmark = pytest.mark.slow

NO_SIDEWAYS = "() => document.documentElement.scrollWidth <= innerWidth"
OVERLAPPING = """
() => [...document.querySelectorAll(".seat header")].flatMap((header) => {
  const parts = [...header.querySelectorAll("h3 bdi, .toggle, .score")];
  const boxes = parts.map((part) => part.getBoundingClientRect());
  const aside = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1;
  const above = (a, b) => a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
  return boxes.flatMap((a, at) => boxes.slice(at + 1).filter((b) => !aside(a, b) && !above(a, b)));
})
"""
WHOLE = "(element) => element.offsetHeight > 0 && element.scrollHeight <= element.clientHeight + 1"
LINES = ".curve polyline"


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
        assert page.url.endswith("#step=4")
        page.reload()
        assert page.inner_text(".now h2") == "Round 4 of 15"
        assert page.locator(".log [aria-current]").count() == 1


def test_every_scene_of_a_step_has_a_link(visit):
    with visit(render_game(shown("magillat", 3))) as page:
        last = int(page.get_attribute(".controls input", "max"))
        assert last > len(shown("magillat", 3).replay.moves), "some steps have several scenes"
        page.keyboard.press("End")
        for number in range(last, -1, -1):
            assert page.inner_text("output") == f"{number} / {last}"
            page.reload()
            assert page.inner_text("output") == f"{number} / {last}"
            page.keyboard.press("ArrowLeft")


def test_a_page_without_a_server_names_the_command_for_the_curve(visit):
    with visit(render_game(shown("raj", 2), address="raj-2p:ann+bob:0.0")) as page:
        assert page.get_by_text("league replay DIR raj-2p:ann+bob:0.0 --curve").is_visible()
        assert page.get_by_role("button", name="Where did it turn?").count() == 0


@pytest.mark.parametrize(("game", "players"), [("cheese_rescue", 2), ("magillat", 3), ("raj", 2), ("braverats", 2)])
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["desk", "phone"])
def test_the_last_step_says_who_won_and_hides_nothing_of_it(visit, game, players, size):
    playing = shown(game, players)
    with visit(render_game(playing), width=size[0], height=size[1]) as page:
        page.keyboard.press("End")
        first = [name for name, rank in zip(playing.replay.names, playing.outcome.ranks, strict=True) if rank == 0]
        said = page.inner_text(".now h2")
        assert all(name in said for name in first) or said == "It is a draw."
        # A long story scrolls on a phone, where nothing may push the table down; who won is always in sight.
        assert page.locator(".now" if size[0] > 900 else ".now h2").evaluate(WHOLE)


@pytest.mark.parametrize("width", [1440, 820, 390])
def test_long_names_do_not_run_under_buttons(visit, width):
    playing = shown("raj", 3)
    names = tuple(f"{letter * 40}_{'long' * 5}" for letter in "abc")
    playing = playing._replace(replay=msgspec.structs.replace(playing.replay, names=names))
    with visit(render_game(playing), width=width) as page:
        page.keyboard.press("End")
        assert page.evaluate(OVERLAPPING) == []
        assert page.evaluate(NO_SIDEWAYS)


def attributes(page, name):
    return page.eval_on_selector_all(LINES, f"found => found.map(one => one.getAttribute('{name}'))")


def test_the_scores_are_drawn_and_lead_to_their_step(visit):
    playing = shown("raj", 2)
    with visit(render_game(playing)) as page:
        assert page.locator(LINES).count() == 2
        one, other = (float(points.split(",")[-1]) for points in attributes(page, "points"))
        assert (one < other) == (playing.outcome.scores[0] > playing.outcome.scores[1])
        assert len({*attributes(page, "stroke-dasharray")}) == 2, "lines differ by more than colour"
        box = page.locator(".plot").bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 10)
        assert page.inner_text("output") in ("7 / 15", "8 / 15")


def test_a_fault_is_marked_on_the_curve(visit):
    playing = shown("raj", 2)
    lapse = Lapse(0, 8, "error", "oops")
    replay = msgspec.structs.replace(playing.replay, outcome=Outcome((1, 0), (3, 10)), faults=(lapse,))
    with visit(render_game(playing._replace(replay=replay))) as page:
        mark, plot = page.locator(".fault-mark").bounding_box(), page.locator(".plot").bounding_box()
        middle = (mark["x"] + mark["width"] / 2 - plot["x"]) / plot["width"]
        assert middle == pytest.approx(8 / 15, abs=0.02)
        assert "at fault at step 8" in page.inner_text(".key")


def test_a_game_as_one_seat_sees_it(visit):
    """Its own hand, and the story as far as it knows it."""
    playing = shown("cheese_rescue", 2)
    with visit(render_game(playing)) as page:
        page.keyboard.press("ArrowRight")
        everything = page.inner_text(".log ol")
        assert "Your hand" not in everything
        page.select_option(".seen select", label="bob")
        assert page.locator(".seat:nth-child(1) .card.face-down").count() == 8
        assert page.locator(".seat:nth-child(2) .card.face-down").count() == 0
        hands = page.locator(".log li").all_inner_texts()
        assert all("Your hand" in text for text in hands)
        assert "Your hand" in page.inner_text(".now div")
        assert any(one != other for one, other in pairwise(hands))
        page.select_option(".seen select", label="everybody")
        assert page.inner_text(".log ol") == everything


def test_a_link_opens_its_step_in_every_game(visit):
    for game, players in (("raj", 2), ("braverats", 2), ("cheese_rescue", 3), ("magillat", 4)):
        with visit(render_game(shown(game, players))) as page:
            page.evaluate("location.hash = '#step=7'")
            scene = page.get_by_label("Step", exact=True).input_value()
            frames = "JSON.parse(document.getElementById('playing').textContent).frames"
            steps = page.evaluate(f"{frames}.map((frame) => frame.step)")
            assert int(scene) == steps.index(7), f"{game}: the first scene of step 7"
            assert page.locator(".now p").all_inner_texts() == page.evaluate(f"{frames}[{scene}].story"), game


def test_the_games_before_and_after_are_one_click_away(visit):
    around = Neighbour("before.html", "raj-2p:ann+bob:1.0"), Neighbour("after.html", "raj-2p:ann+bob:3.0")
    with visit(render_game(shown("raj", 2), back="../standings.html", neighbours=around)) as page:
        assert page.get_attribute("a[rel=prev]", "href") == "before.html"
        assert page.get_attribute("a[rel=next]", "href") == "after.html"
    with visit(render_game(shown("raj", 2))) as page:
        assert page.locator("a[rel]").count() == 0


PLACES = """
() => [...document.querySelectorAll(".felt :is(.zone, .seat, .table)")].map((part) => {
  const { left, top, width, height } = part.getBoundingClientRect();
  return [left, top, width, height].map(Math.round).join();
})
"""


@pytest.mark.parametrize(("game", "players", "options"), SETUPS[-1:] + SETUPS[:-1], ids=lambda part: str(part)[:16])
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desk", "phone"])
def test_zones_keep_their_places_and_fit_one_screen(visit, game, players, options, size):
    with visit(render_game(shown(game, players, options)), width=size[0], height=size[1]) as page:
        first = page.evaluate(PLACES)
        for _ in range(int(page.get_attribute(".controls input", "max"))):
            page.keyboard.press("ArrowRight")
            assert page.evaluate(PLACES) == first
        assert page.evaluate("document.querySelector('.felt').getBoundingClientRect().bottom + scrollY <= innerHeight")


def test_the_end_can_be_hidden(visit):
    with visit(render_game(shown("raj", 2))) as page:
        story = page.get_by_role("region", name="The whole story").get_by_role("listitem")
        whole = story.count()
        page.get_by_label("Hide the end").check()
        assert story.count() < whole
        page.keyboard.press("End")
        assert story.count() == whole


def test_names_lead_to_bots(visit):
    with visit(render_game(shown("raj", 2), address="raj-2p:ann+bob:0.0", back="../standings.html")) as page:
        link = page.get_by_role("article", name="bob").get_by_role("link", name="bob")
        assert link.get_attribute("href") == "../bots/bob.html"
