"""The first screen and the panels answer first: one page in a real browser, read by roles."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from league.page.data import BotCard, Sample
from league.page.render import render
from tests.page.conftest import Opened
from tests.page.made_up import page as made_up
from tests.page.test_browser import NO_SIDEWAYS

pytestmark = pytest.mark.slow

CONTESTS = ("Raj, 2 players", "Raj, 3 players", "Raj, 4 players", "BraveRats", "Cheese Rescue", "Poker", "Magilla't")
DOC = "Counts cards.\n\n" + "It remembers every card that was played, and bids more for prizes that are rare. " * 6
SHIFTS = """
shifted = 0;
new PerformanceObserver((list) => { for (const entry of list.getEntries()) shifted += entry.value; })
  .observe({ type: "layout-shift", buffered: true });
"""
BOT = 5


@pytest.fixture(scope="module")
def made():
    """A league of twenty bots and seven contests, with games of every kind for one of them."""
    league = made_up(20)
    bots = tuple(BotCard(bot.name, DOC, bot.baseline) if at == BOT else bot for at, bot in enumerate(league.bots))
    reasons = ("best win", "closest game", "worst loss", "upset", "worst loss against x")
    samples = tuple(
        Sample("raj-2p", f"raj-2p:a+b:{at}.1", f"games/{at}.html", (BOT, at), f"{at} to 3", reasons=((BOT, reason),))
        for at, reason in enumerate(reasons)
    )
    past = tuple(replace(run, edited=(BOT,) if number == 1 else ()) for number, run in enumerate(league.past))
    first = replace(league.firsts[0], bots=(0, 1, 2, 3), chances=("61 %", "20 %", "12 %", "4 %"), named=3)
    firsts = tuple(replace(first, title=title) for title in CONTESTS)
    return replace(league, bots=bots, samples=samples, past=past, firsts=firsts)


@pytest.fixture(scope="module")
def shown(chromium, made, tmp_path_factory):
    """The page, loaded once; quiet until the end."""
    file = tmp_path_factory.mktemp("page") / "page.html"
    file.write_text(render(made), encoding="utf-8")
    context = chromium.new_context(
        viewport={"width": 1280, "height": 800}, permissions=["clipboard-read", "clipboard-write"]
    )
    opened = Opened(context.new_page())
    opened.page.add_init_script(SHIFTS)
    opened.page.goto(file.as_uri())
    yield opened.page
    assert opened.troubles == []
    context.close()


@pytest.fixture
def page(shown):
    """The page without a panel, at the size of a desk."""
    shown.set_viewport_size({"width": 1280, "height": 800})
    shown.evaluate("league.leave()")
    shown.get_by_role("dialog").wait_for(state="hidden")
    shown.evaluate("league.go({ board: 'raj-2p', q: '', sort: '' })")
    return shown


def panel_of(page, made, *bots):
    page.evaluate("(bots) => league.go({ bot: bots[0], other: bots[1] ?? null })", list(bots))
    panel = page.get_by_role("dialog")
    panel.get_by_role("heading", level=2, name=" and ".join(made.bots[bot].name for bot in bots), exact=True).wait_for()
    return panel


def test_nothing_moves_while_the_page_loads(page):
    page.wait_for_timeout(300)
    assert page.evaluate("shifted") < 0.05


def test_seven_contests_leave_the_table_above_the_fold(page, made):
    leaders = page.get_by_role("region", name=re.compile("Best at each game"))
    assert leaders.get_by_role("listitem").count() == len(CONTESTS)
    assert leaders.get_by_role("listitem").first.inner_text().replace("\n", " ").endswith("12 % or 1 more")
    rows = page.get_by_role("table", name=re.compile("Standings, Raj, 2 players")).get_by_role("row")
    bottoms = [rows.nth(at).bounding_box() for at in range(9)]
    assert all(box["y"] + box["height"] <= 800 for box in bottoms), "head and eight bots"


def test_board_says_what_a_rating_means(page):
    said = page.get_by_text("The average rating is 25, and a lead of 4 wins about three games in four.")
    assert said.locator("visible=true").count() == 1


def test_panel_begins_with_place_rating_and_chance(page, made):
    panel = panel_of(page, made, BOT)
    row = next(row for row in made.boards[1].rows if row.bot == BOT)
    facts = panel.get_by_role("definition").all_inner_texts()
    assert facts[0] == f"{row.place} of 20".replace("-", "\N{EN DASH}")
    assert facts[1] == f"{row.line.rating:.2f} {row.line.low:.2f} … {row.line.high:.2f}"
    assert facts[2].strip() == f"{100 * row.line.best:.0f} %"
    order = panel.get_by_role("heading", level=3).all_inner_texts()
    assert order[:3] == ["Raj, 2 players", "Milestones", "Where it loses: Raj, 2 players"]
    assert order[3:5] == ["Most telling games", "Faults"]
    opponents = panel.get_by_role("heading", name="Where it loses")
    assert opponents.bounding_box()["y"] < 800, "without scrolling"


def test_opponents_come_worst_first_with_what_ratings_expect(page, made):
    panel = panel_of(page, made, BOT)
    table = panel.get_by_role("table", name="Against each opponent")
    shown = [float(text.removesuffix(" %")) for text in table.locator("td[data-label=Score]").all_inner_texts() if text]
    assert shown == sorted(shown)
    panel.get_by_role("button", name="Show all 19 opponents").click()
    assert table.get_by_role("row").count() == 20
    bars = table.get_by_role("img").all()
    assert len(bars) == 19
    assert "the ratings expect" in bars[0].text_content()


def test_panel_shows_three_telling_games_and_folds_the_rest(page, made):
    panel = panel_of(page, made, BOT)
    games = panel.locator("section", has=page.get_by_role("heading", name="Most telling games"))
    texts = [text.split("\n")[0] for text in games.get_by_role("listitem").all_inner_texts()]
    assert texts == ["worst loss", "closest game", "upset"]
    games.get_by_text("2 more games").click()
    assert games.get_by_role("listitem").count() == 5


def test_long_docstrings_are_folded(page, made):
    panel = panel_of(page, made, BOT)
    rest = panel.get_by_text("bids more for prizes that are rare")
    assert not rest.is_visible()
    panel.get_by_text("Counts cards.", exact=True).click()
    assert rest.is_visible()


def test_history_has_axes_versions_and_an_anchor(page, made):
    panel = panel_of(page, made, BOT)
    said = panel.get_by_text("did not change since (18 bots or more) have the same mean rating as now")
    assert said.count() == 1
    runs = [row for run in made.past for row in run.boards["raj-2p"] if row.bot == BOT]
    chart = panel.get_by_role("img", name=f"Rating over {len(runs)} runs, now {runs[-1].rating:.2f}")
    texts = chart.locator("text").all_text_contents()
    assert f"{max(row.high for row in runs):.2f}" in texts
    assert "version 2" in texts
    assert "7 November" in texts
    gain = round(runs[-1].rating, 2) - round(runs[0].rating, 2)
    assert f"a change of {gain:+.2f}" in panel.get_by_text("than the one before").inner_text()


def test_milestones_are_in_the_panel_and_in_the_table(page, made):
    row = page.get_by_role("row", name=re.compile(made.bots[BOT].name))
    assert "✓ bronze" in row.first.inner_text()
    panel = panel_of(page, made, BOT)
    marks = panel.locator("section", has=page.get_by_role("heading", name="Milestones")).get_by_role("listitem")
    assert marks.all_inner_texts() == [
        "✓ bronze reached: ahead of random, settled",
        "? silver undecided: level with nearest, 400 or more games would tell",
        "✕ gold not reached: behind habits, settled",
    ]


def test_contests_of_a_comparison_can_be_chosen(page, made):
    panel = panel_of(page, made, 0, 1)
    verdict = panel.get_by_role("status")
    assert verdict.inner_text() == made.comparisons[0].verdict
    pictures = panel.locator(".leads").get_by_role("listitem")
    assert pictures.all_inner_texts()[0].split("\n")[-1] == "+1.21 settled"
    panel.get_by_role("checkbox", name="Raj, 2 players").uncheck()
    panel.get_by_role("checkbox", name="BraveRats").uncheck()
    assert pictures.count() == 1
    assert verdict.inner_text() == (
        f"At Raj, 3 players it is not settled: {made.bots[1].name} is ahead by 0.20 (-0.70 … 1.10)."
    )
    assert panel.get_by_role("table", name="Ratings").locator("tbody tr").count() == 1
    panel.get_by_role("checkbox", name="BraveRats").check()
    half = (0.9**2 + 0.9**2) ** 0.5 / 2
    assert f"by 1.65 ({1.65 - half:.2f} … {1.65 + half:.2f})" in verdict.inner_text()


def test_back_and_escape_agree(page, made):
    before = page.url
    panel = panel_of(page, made, BOT)
    panel_of(page, made, BOT, 2)
    page.keyboard.press("Escape")
    page.wait_for_url(before)
    panel.wait_for(state="hidden")
    panel_of(page, made, BOT)
    page.go_back()
    panel.wait_for(state="hidden")
    assert page.url == before


def test_title_says_what_is_open(page, made):
    assert page.title() == "Raj, 2 players · Summer term: standings"
    panel_of(page, made, BOT)
    assert page.title() == f"{made.bots[BOT].name} · Raj, 2 players · Summer term: standings"


def test_link_to_what_is_open_is_copied(page, made):
    panel = panel_of(page, made, BOT)
    panel.get_by_role("button", name="Copy link").click()
    panel.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_unknown_names_in_an_address_get_a_word(page):
    page.evaluate("location.hash = '#raj-2p/nobody'")
    said = page.get_by_text("There is no bot called “nobody” in this league.")
    said.wait_for()
    page.evaluate("location.hash = '#chess-2p'")
    page.get_by_text("There is no contest called “chess-2p” in this league.").wait_for()
    page.get_by_role("tab", name="Raj, 3 players").click()
    assert page.get_by_text("There is no").count() == 0


def test_filter_counts_what_is_shown(page, made):
    page.get_by_role("searchbox").fill(made.bots[BOT].name)
    said = page.get_by_role("status").filter(has_text="of 20 bots")
    assert said.inner_text() == "1 of 20 bots"
    page.get_by_role("searchbox").fill("")
    assert said.count() == 0


def test_phone_shows_rows_of_a_panel_as_cards(page, made):
    page.set_viewport_size({"width": 390, "height": 844})
    panel = panel_of(page, made, BOT)
    assert page.evaluate(NO_SIDEWAYS)
    boxes = panel.locator(".scroll").all()
    assert boxes
    assert all(box.evaluate("(box) => box.scrollWidth <= box.clientWidth + 1") for box in boxes), "nothing is cut"


def test_no_part_of_a_whole_is_a_bare_fraction(page, made):
    """94.7 % everywhere, never 0.947."""
    page.evaluate("league.go({ all: true })")
    fraction = re.compile(r"(?<![\d.])0\.\d{3}(?!\d)")
    table = page.get_by_role("table", name=re.compile("Standings, Raj, 2 players"))
    scores = table.locator(".c-mean_score, .c-best").all_inner_texts()
    assert not [text for text in scores if fraction.search(text)]
    assert not fraction.search(panel_of(page, made, BOT).inner_text())
    page.evaluate("league.leave()")
    page.get_by_role("dialog").wait_for(state="hidden")
    page.evaluate("league.go({ all: false })")
