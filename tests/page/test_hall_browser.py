"""The lecture hall in a real browser: slides that go on by themselves, games that play, and brackets that are told."""

from __future__ import annotations

import pytest

from league.page import write_page
from league.page.render import render
from league.results.standings import Standings
from league.results.store import Store
from league.values.settings import Isolation
from tests.page.leagues import play
from tests.page.made_up import page as made_up
from tests.page.serving import served, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A league of four bots that was played, with its page and pages of games."""
    folder = play(tmp_path_factory.mktemp("hall"))
    with Store.open(folder) as store:
        write_page(store, Standings.of(store), isolation=Isolation.TRUSTED)
    return folder


@pytest.fixture
def watched(chromium, folder):
    """`open(address)` shows the page of the league from its file."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    troubles = []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.clock.install()

    def open_page(address=""):
        page.goto((folder / "standings.html").as_uri() + address)
        return page

    yield open_page
    assert troubles == []
    context.close()


def hall(page):
    return page.get_by_role("region", name="Lecture hall")


def title(page):
    return hall(page).get_by_role("heading", level=2).inner_text()


def slide(page):
    return hall(page).get_by_role("combobox").input_value()


def test_the_button_opens_and_escape_leaves(watched):
    page = watched()
    page.get_by_role("button", name="Lecture hall").click()
    assert hall(page).is_visible()
    assert page.url.partition("#")[2].startswith("show")
    wait_until(page, "document.fullscreenElement !== null")
    assert not page.get_by_role("searchbox").is_enabled() or page.locator("main").get_attribute("inert") == ""
    page.keyboard.press("Escape")
    hall(page).wait_for(state="hidden")
    assert "show" not in page.url
    assert page.locator("main").get_attribute("inert") is None
    wait_until(page, "document.activeElement.textContent === 'Lecture hall'")


def test_back_leaves_the_hall(watched):
    page = watched()
    page.get_by_role("button", name="Lecture hall").click()
    page.go_back()
    hall(page).wait_for(state="hidden")


def test_slides_go_on_by_themselves_unless_paused(watched):
    page = watched("#show")
    first = slide(page)
    page.clock.run_for(16_000)
    second = slide(page)
    assert second != first
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(60_000)
    assert slide(page) == second
    page.keyboard.press("ArrowLeft")
    assert slide(page) == first
    page.keyboard.press("PageDown")
    assert slide(page) == second
    page.get_by_role("button", name="Previous").click()
    assert slide(page) == first
    page.get_by_role("button", name="Next").click()
    assert slide(page) == second


def test_reduced_motion_begins_paused(chromium, folder):
    page = chromium.new_page(reduced_motion="reduce")
    page.clock.install()
    page.goto((folder / "standings.html").as_uri() + "#show")
    first = slide(page)
    page.clock.run_for(60_000)
    assert slide(page) == first
    assert hall(page).get_by_role("button", name="Play", exact=True).is_visible()
    page.close()


def test_a_contest_shows_its_headline_and_the_first_rows(watched):
    page = watched("#show/raj-2p")
    assert title(page) == "Raj, 2 players"
    names = page.locator("#panel-raj-2p tbody th").all_inner_texts()
    rows = hall(page).get_by_role("row")
    assert [row.get_by_role("rowheader").inner_text() for row in rows.all()[1:]] == [name.split()[0] for name in names]
    assert "The best, with its chance" in hall(page).inner_text()


def test_a_game_plays_by_itself_and_hides_its_result_until_it_happens(watched):
    page = watched("#show/raj-2p-game-1")
    frame = page.frame_locator("iframe")
    now = frame.get_by_role("heading", level=2).first
    now.wait_for()
    wins = ("wins", "win")
    assert not any(word in hall(page).inner_text() + now.inner_text() for word in wins)
    assert not frame.get_by_role("button", name="To the end").is_visible()
    button = frame.locator("[data-go=play]")  # hidden, but it says whether the word to play or pause has arrived
    button.and_(frame.locator("[aria-label=Pause]")).wait_for(state="attached")
    page.clock.run_for(6_000)
    assert now.inner_text().startswith("Round"), "it plays"
    page.keyboard.press("Space")
    button.and_(frame.locator("[aria-label=Play]")).wait_for(state="attached")
    before = now.inner_text()
    page.clock.run_for(10_000)
    assert now.inner_text() == before, "it is paused"
    page.keyboard.press("Space")
    for _ in range(60):
        page.clock.run_for(1_000)
        if now.inner_text() == "first wins.":
            break
    assert now.inner_text() == "first wins."
    page.clock.run_for(9_000)
    assert slide(page) != "raj-2p-game-1", "the next slide comes by itself"


def test_keys_pressed_in_the_game_reach_the_hall(watched):
    page = watched("#show/raj-2p-game-1")
    frame = page.frame_locator("iframe")
    frame.get_by_role("heading", level=2).first.wait_for()
    frame.get_by_role("link").first.focus()
    page.keyboard.press("ArrowRight")
    wait_until(page, "location.hash !== '#show/raj-2p-game-1'")


def test_a_game_without_a_page_is_skipped(chromium, tmp_path):
    file = tmp_path / "alone.html"
    file.write_text(render(made_up(8)))
    page = chromium.new_page()
    page.clock.install()
    page.goto(f"{file.as_uri()}#show/raj-2p-game-1")
    page.clock.run_for(7_000)
    hall(page).get_by_text("This game cannot be watched here.").wait_for()
    page.clock.run_for(9_000)
    assert slide(page) != "raj-2p-game-1"
    page.close()


def test_a_bracket_is_told_pairing_by_pairing(visit):
    made = made_up(8)
    bracket = made.brackets[0]
    names = [made.bots[bot].name for bot in bracket.seeds]
    with visit(render(made)) as page:
        page.evaluate("location.hash = '#show/raj-2p-bracket'")
        page.get_by_role("button", name="Pause").click()
        text = hall(page).inner_text()
        assert "It decides nothing; the standings do." in text
        assert all(name in text for name in names)
        final = hall(page).get_by_role("listitem").filter(has=page.get_by_role("heading", name="Final", exact=True))
        assert final.inner_text().split()[1:] == ["?", "?"]
        page.keyboard.press("ArrowRight")
        assert f"{names[0]} goes on, 5½ to 2½ in 8 games, after 1 more deal." in hall(page).inner_text()
        page.keyboard.press("ArrowRight")
        story = hall(page).inner_text()
        assert f"By all games of the league, {names[1]} is better than {names[6]} with 83 %." in story
        assert "An upset." in story
        assert f"Upset: 83 % for {names[1]}" in story
        page.keyboard.press("ArrowRight")
        assert "Level after 24 games" in hall(page).inner_text()
        page.keyboard.press("ArrowRight")
        assert "never met at a table" in hall(page).inner_text()
        assert "too few games of them to tell" in hall(page).inner_text()
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        winner = hall(page).get_by_role("heading", name="Winner").locator("..").inner_text()
        assert winner.split()[-1] in names


def test_a_server_shows_every_game_of_a_pairing_in_the_hall(chromium, tmp_path):
    page = chromium.new_page()
    with served(play(tmp_path), Isolation.TRUSTED) as port:
        page.goto(f"http://localhost:{port}/#show/raj-2p-bracket")
        page.get_by_role("button", name="Pause").click()
        page.keyboard.press("ArrowRight")
        hall(page).get_by_role("button", name="deal 1, first seating").click()
        page.frame_locator("iframe").get_by_role("heading", level=2).first.wait_for()
        assert page.locator("iframe").get_attribute("src").startswith("play/raj-2p%3A")
        page.keyboard.press("ArrowLeft")
        assert slide(page) == "raj-2p-bracket"
        assert page.locator("iframe").count() == 0
    page.close()


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_no_slide_is_wider_than_the_window(visit, width):
    with visit(render(made_up(40)), width=width) as page:
        page.evaluate("location.hash = '#show'")
        page.get_by_role("button", name="Pause").click()
        for key in ("overall", "milestones", "raj-2p", "raj-2p-bracket"):
            hall(page).get_by_role("combobox").select_option(key)
            for _ in range(2):
                assert page.evaluate("document.getElementById('hall').scrollWidth <= innerWidth")
                assert page.evaluate("(s => s.scrollWidth <= s.clientWidth + 1)(document.querySelector('.stage'))")
                if "bracket" in key:
                    page.keyboard.press("ArrowRight")


def test_without_a_script_there_is_no_hall(chromium, tmp_path):
    file = tmp_path / "plain.html"
    file.write_text(render(made_up(4)))
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{file.as_uri()}#show")
    assert page.get_by_role("table", name="Standings, Overall").is_visible()
    assert page.get_by_role("button", name="Lecture hall").count() == 0
    assert not page.locator("#hall").is_visible()
    context.close()
