"""The standings page and the viewer as HTML, without a browser."""

from __future__ import annotations

from html.parser import HTMLParser

import msgspec
import pytest

from league.games.contract import Lapse, Outcome
from league.page import charts
from league.page.bots import render_bot
from league.page.render import BOT_PAGES, render
from league.page.viewer import page_name
from league.page.viewer import render as render_game
from league.tools.text import listed
from league.values.block import Address, Fault
from tests.page.made_up import page, pairs_of, progress
from tests.page.playings import shown
from tests.tables import each

VOID = {"meta", "link", "input", "br", "use", "path", "circle", "ellipse"}
OPTIONAL = ("td", "th", "tr", "li")
"""Elements that need no end tag."""
ENDS = {"td": ("td", "th"), "th": ("td", "th"), "tr": ("td", "th", "tr"), "li": ("li",)}
"""Which of them another one ends, in this order."""
NASTY = "</script><script>alert(1)</script>"


class Reader(HTMLParser):
    """Notes every element, and fails on one that is not closed; cells need not be, as the next one closes them."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        for ends in ENDS.get(tag, ()):
            if self.open[-1] == ends:
                self.open.pop()
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        while self.open[-1] != tag and self.open[-1] in OPTIONAL:
            self.open.pop()
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.seen if name == tag]


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def small():
    return page(5)


@pytest.mark.parametrize("bots", [0, 1, 2, 3, 45])
def test_pools_of_every_size_make_a_page(bots):
    made = page(bots)
    seen = read(render(made))
    assert {*made.docs} <= {*seen.text}
    for board in made.boards:
        assert f'id="{board.key}"' in render(made)
    for bot in made.docs:
        read(render_bot(made, bot))


def test_ids_are_unique_and_labels_lead_somewhere(small):
    seen = read(render(small))
    ids = [attributes["id"] for _, attributes in seen.seen if "id" in attributes]
    assert len(ids) == len({*ids})
    for _, attributes in seen.seen:
        for name in ("aria-controls", "aria-labelledby"):
            if name in attributes:
                assert attributes[name] in ids


def test_tables_have_captions_and_headers(small):
    seen = read(render(small))
    assert len(seen.all("caption")) == 2 * len(small.boards) - 1, "of the standings, and of each head-to-head"
    assert {header.get("scope") for header in seen.all("th")} == {"col", "row", None}, "the head of a row needs none"


def test_nothing_is_loaded_from_anywhere(small):
    for html in (render(small), render_game(shown("raj", 2))):
        for _, attributes in read(html).seen:
            assert "src" not in attributes
            assert (attributes.get("href") or "#").startswith(("#", "games/", "bots/", "data:"))


def test_the_same_data_makes_the_same_page(small):
    assert render(small) == render(page(5))


def test_long_lists_are_cut_and_say_how_much_is_left(small):
    lines = [msgspec.structs.replace(line, place="1-5", best=0.2) for line in small.boards[1].lines]
    board = msgspec.structs.replace(small.boards[1], lines=lines)
    made = msgspec.structs.replace(
        small, faults=small.faults[:1] * 201, samples=small.samples * 13, boards=[board], running=False
    )
    words = " ".join("".join(read(render(made)).text).split())
    assert "And 1 more kinds, on the pages of the bots." in words
    assert "1 more are on the pages of the bots." in words.replace("And 1 more", "")
    assert "1 other may be as good." in words
    exactly = msgspec.structs.replace(made, faults=made.faults[:200], samples=made.samples[:12])
    assert "on the pages of the bots" not in "".join(read(render(exactly)).text)


def test_a_cycle_says_who_beats_whom(small):
    bots = small.boards[1].bots
    pairs = pairs_of(5, {(0, 1): (0.61, 0.5, 0.7), (1, 2): (0.72, 0.6, 0.8), (0, 2): (0.17, 0.1, 0.3)})
    board = msgspec.structs.replace(small.boards[1], pairs=pairs, cycles=[bots[:3]])
    text = " ".join("".join(read(render(msgspec.structs.replace(small, boards=[board]))).text).split())
    a, b, c = bots[:3]
    assert f"{a} beats {b} (61 %), {b} beats {c} (72 %), {c} beats {a} (83 %)" in text


@each(("steps", "drawn"), [(0, False), (1, False), (2, True), (7, True)])
def test_ratings_are_drawn_from_two_moments_on(small, steps, drawn):
    board = small.boards[0]
    few = msgspec.structs.replace(board, settling=board.settling[:steps])
    assert bool(charts._settling(few)) == drawn


def test_strangers_text_stays_text(small):
    named = page(5, called=NASTY)
    bot, docs = f"{NASTY}0", dict.fromkeys(named.docs, NASTY)
    faults = [(Fault(bot, NASTY, "error", NASTY, NASTY), 1)]
    made = msgspec.structs.replace(
        named, docs=docs, league=NASTY, faults=faults, config=NASTY, what=NASTY, folder=NASTY
    )
    for plain, nasty in (
        (render(small), render(made)),
        (render_bot(small, next(iter(small.docs))), render_bot(made, bot)),
    ):
        assert len(read(nasty).all("script")) == len(read(plain).all("script"))
        assert "alert(1)" in "".join(read(nasty).text)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_leaders_that_are_not_ahead_of_the_baselines_say_so(small, number):
    names = [line.bot for line in small.boards[1].lines[:number]]
    text = "".join(
        read(render(msgspec.structs.replace(small, baselines=frozenset(names), boards=small.boards[1:2]))).text
    )
    word = "baseline" if number == 1 else "baselines"
    assert text.count(f"No clear lead over the {word} {listed(names)}.") == 1


def test_headline_has_the_chances_of_those_who_may_be_best(small):
    chances = (0.81, 0.12, 0.04, 0.03, 0.0)
    lines = [
        msgspec.structs.replace(line, place="1-5", best=best)
        for line, best in zip(small.boards[1].lines, chances, strict=True)
    ]
    board = msgspec.structs.replace(small.boards[1], lines=lines)
    made = msgspec.structs.replace(small, boards=[board], baselines=frozenset())
    text = "".join("".join(read(render(made)).text).split())
    one, other, *_ = (line.bot for line in lines)
    assert "Whoisbest?Raj,2players" in text
    assert f"{one}81%{other}12%3othersmaybeasgood." in text


def test_only_the_best_bots_of_a_large_league_have_a_file():
    made = page(BOT_PAGES + 5, contests=1)
    html = render(made).partition("<table")[2]
    assert html.count('<a href="bots/') == BOT_PAGES
    assert html.count('<a data-href="bots/') == 5


def test_opponents_come_hardest_first_from_the_side_of_the_bot():
    made = page(4, contests=1)
    met = pairs_of(4, {(0, 2): (0.2, 0.1, 0.4), (2, 3): (0.6, 0.1, 0.4)})
    board = msgspec.structs.replace(made.boards[0], pairs=met)
    text = "".join(read(render_bot(msgspec.structs.replace(made, boards=[board]), board.bots[2])).text)
    assert text.index("60.0") < text.index("80.0"), "a won 0.2 of the games, so the other one 0.8"
    assert "60.0\u00a0% to 90.0\u00a0%" in text, "the interval is turned too"


def test_a_running_league_shows_how_far_it_is(small):
    assert "30,000 of 120,000 games" in render(page(2, progress=progress(30_000, 120_000)))
    assert "Being played:" not in render(small)


def test_nondeterministic_game_page_says_so():
    game = shown("raj", 2)
    assert "not the game that was counted" not in render_game(game)
    assert "not the game that was counted" in render_game(game._replace(differs=True))


def test_game_page_shows_faults_and_counted_places():
    game = shown("raj", 2)
    replay = msgspec.structs.replace(
        game.replay, outcome=Outcome((1, 0), (30, 10)), faults=(Lapse(0, 3, "error", NASTY),)
    )
    html = render_game(game._replace(replay=replay))
    seen = read(html)
    assert f"{replay.names[0]} was at fault at step 3" in "".join(seen.text)
    assert f"Step 3: {replay.names[0]} is at fault" in html, "the story tells it too"
    assert len(seen.all("script")) == 3
    assert '"ranks":[1,0],"scores":[30,10]' in html


def test_file_names_of_games_are_short_and_differ():
    long = [Address("magillat-6p", tuple(f"{letter * 63}{at}" for at in range(6)), 1, 0) for letter in "ab"]
    names = {page_name(address) for address in (*long, Address("raj-2p", ("ann", "bob"), 17, 1))}
    assert "raj-2p_ann+bob_17.1.html" in names
    assert len(names) == 3
    assert all(len(name.encode()) < 255 for name in names)
