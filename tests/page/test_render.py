"""The standings page and the viewer as HTML, without a browser."""

from __future__ import annotations

from base64 import b64decode
from html.parser import HTMLParser

import msgspec
import numpy as np
import pytest

from league.games.contract import Lapse, Outcome
from league.page.data import BotCard, Cycle, FaultNote, Meeting
from league.page.render import NODE, RADIUS, _drawn, _meetings, _positions, render
from league.page.viewer import page_name
from league.page.viewer import render as render_game
from league.tools.text import listed
from league.values.block import Address
from tests.page.made_up import page, progress
from tests.page.playings import shown

VOID = {"meta", "input", "br", "use", "path", "circle", "ellipse"}
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
        if tag in ("td", "th"):
            self.close_cell()
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag == "tr":
            self.close_cell()
        assert self.open.pop() == tag

    def close_cell(self):
        if self.open[-1] == "td":
            self.open.pop()

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
    assert len([row for row in seen.all("tr") if "data-bot" in row]) == bots * len(made.boards)


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
    assert len(seen.all("caption")) == 2 * len(small.boards), "of the standings, and of the head-to-head"
    assert {header.get("scope") for header in seen.all("th")} == {"col", "row"}


def test_nothing_is_loaded_from_anywhere(small):
    for html in (render(small), render_game(shown("raj", 2))):
        for _, attributes in read(html).seen:
            assert "src" not in attributes
            assert (attributes.get("href") or "#").startswith(("#", "games/"))


def test_the_same_data_makes_the_same_page(small):
    assert render(small) == render(page(5))


def test_long_lists_are_cut_and_say_how_much_is_left(small):
    first = msgspec.structs.replace(small.firsts[0], bots=(0, 1, 2, 3, 4))
    made = msgspec.structs.replace(
        small, faults=small.faults[:1] * 201, samples=small.samples * 13, firsts=(first,), running=False
    )
    words = " ".join("".join(read(render(made)).text).split())
    assert "And 1 more kinds, in the panels of the bots." in words
    assert "1 more are in the panels of the bots." in words.replace("And 1 more", "")
    assert " or 2 more" in words
    exactly = msgspec.structs.replace(made, faults=made.faults[:200], samples=made.samples[:12])
    assert "in the panels of the bots" not in "".join(read(render(exactly)).text)


def test_a_cycle_is_drawn_evenly_around_a_circle_with_arrows_from_node_to_node():
    nodes, arrows = _drawn(Cycle((7, 8, 9, 4), (0.6, 0.7, 0.8, 0.9)))
    spots = [complex(x, y) for _, x, y, _ in nodes]
    assert [bot for bot, *_ in nodes] == [7, 8, 9, 4]
    assert [spot * 1j for spot in spots] == pytest.approx(spots[1:] + spots[:1], abs=0.1)
    assert spots[0] == pytest.approx(-1j * RADIUS, abs=0.1)
    for spot, following, (start, end, *_) in zip(spots, spots[1:] + spots[:1], arrows, strict=True):
        direction = (following - spot) / abs(following - spot)
        assert complex(*start) == pytest.approx(spot + NODE * direction, abs=0.2)
        assert complex(*end) == pytest.approx(following - (NODE + 6) * direction, abs=0.2)


def test_meetings_are_packed_row_by_row():
    met = [Meeting(a, b, 1, 0.5, 0.5, 0.0, 1.0) for a in range(5) for b in range(a + 1, 5)]
    places, turned = _positions(met, {bot: bot for bot in range(5)}, 5)
    assert places.tolist() == [*range(10)]
    assert not turned.any()


def test_numbers_of_games_beyond_two_bytes_are_scaled(small):
    board = small.boards[0]
    first, second = board.rows[:2]
    met = Meeting(first.bot, second.bot, 100_000, 0.5, 0.4, 0.6, 0.5)
    packed = _meetings(msgspec.structs.replace(board, meetings=(met,)))
    assert packed["scale"] == 2
    assert np.frombuffer(b64decode(packed["games"]), "<u2").tolist() == [50_000]


def test_strangers_text_stays_text(small):
    bots = tuple(BotCard(NASTY, NASTY) for _ in small.bots)
    faults = (FaultNote(0, NASTY, "error", NASTY, 1, NASTY, NASTY),)
    made = msgspec.structs.replace(
        small, bots=bots, league=NASTY, faults=faults, config=NASTY, what=NASTY, folder=NASTY
    )
    plain, nasty = read(render(small)), read(render(made))
    assert len(nasty.all("script")) == len(plain.all("script"))
    assert "alert(1)" in "".join(nasty.text)


@pytest.mark.parametrize("unbeaten", [(2,), (2, 3), (2, 3, 4)])
def test_leaders_that_are_not_ahead_of_the_baselines_say_so(small, unbeaten):
    first, *others = small.firsts
    names = listed([small.bots[bot].name for bot in unbeaten])
    firsts = (msgspec.structs.replace(first, unbeaten=unbeaten), *others)
    text = "".join(read(render(msgspec.structs.replace(small, firsts=firsts))).text)
    assert text.count(f"not ahead of {names}; ") == 1


def test_headline_of_one_game_has_the_chances(small):
    first = msgspec.structs.replace(small.firsts[0], bots=(0, 1), chances=("81 %", "19 %"))
    text = "".join(read(render(msgspec.structs.replace(small, firsts=(first,)))).text)
    one, other = (small.bots[bot].name for bot in first.bots)
    assert f"{one} 81 % or {other} 19 %" in text
    assert "Best, with the chance of being the best" in text


def test_a_running_league_shows_how_far_it_is(small):
    assert "30,000 of 120,000 games" in render(page(2, progress=progress(30_000, 120_000)))
    assert "Being played:" not in "".join(read(render(small)).text).split("const league")[0]


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


def test_a_meeting_is_turned_when_the_second_bot_ranks_higher():
    """Score, bounds and expectation are then those of the other bot."""
    made = page(4)
    board = made.boards[0]
    best, second = (row.bot for row in board.rows[:2])
    met = Meeting(min(best, second), max(best, second), 40, 0.3, 0.2, 0.45, 0.35)
    straight, turned = (
        _meetings(msgspec.structs.replace(board, rows=rows, meetings=(met,)))
        for rows in sorted((board.rows[:2], board.rows[1::-1]), key=lambda rows: rows[0].bot)
    )
    assert [unpacked(values) for values in straight["values"]] == [[300], [200], [450], [350]]
    assert [unpacked(values) for values in turned["values"]] == [[700], [550], [800], [650]]
    assert unpacked(straight["games"]) == unpacked(turned["games"]) == [40]


def unpacked(text: str) -> list[int]:
    return np.frombuffer(b64decode(text), "<u2").tolist()
