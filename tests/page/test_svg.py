"""Drawings as text: scales, and what is done with values that are far from all others."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from league.page.charts import BEST, CHARTS, matrix, rating_scale
from league.page.render import render
from league.page.svg import Scale, apart, bar, dot, fenced
from tests.page.made_up import page as made_up
from tests.page.made_up import pairs_of


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (14.2, 31.9, [15, 20, 25, 30]),
        (-0.7, 0.8, [-0.5, 0, 0.5]),
        (0.46, 0.54, [0.46, 0.48, 0.5, 0.52, 0.54]),
        (0, 10, [0, 2, 4, 6, 8, 10]),
    ],
)
def test_ticks_are_round_and_within_the_scale(low, high, ticks):
    assert Scale(low, high).ticks(5) == pytest.approx(ticks)


def test_logarithmic_scales_have_powers_of_ten():
    scale = Scale(0.01, 100, log=True)
    assert scale.ticks() == pytest.approx([0.01, 0.1, 1, 10, 100])
    assert scale.at(1) == pytest.approx(50)


def test_outlier_does_not_squash_the_others():
    ratings = [-40.0, 22, 23, 24, 25, 26, 27, 28]
    low, high = fenced(ratings, [rating - 1 for rating in ratings], [rating + 1 for rating in ratings])
    assert low > 0
    assert high > 28.9
    assert dot(Scale(low, high), -40, number="-40.00") == '<text class="off" x="0">◂ -40.00</text>'


def test_scale_has_room_for_all_if_none_is_far_away():
    ratings = [15.0, 18, 22, 25, 29]
    low, high = fenced(ratings, [rating - 2 for rating in ratings], [rating + 2 for rating in ratings])
    assert low < 13
    assert high > 31


def test_interval_beyond_the_scale_ends_with_an_arrow():
    assert str(bar(Scale(0, 10), 2, 5)) == '<rect x="20%" width="30%"/>'
    assert str(bar(Scale(0, 10), -3, 5)) == '<rect x="0%" width="50%"/><text class="more" x="0">◂</text>'
    assert str(bar(Scale(0, 10), 5, 12)) == '<rect x="50%" width="50%"/><text class="more end" x="100%">▸</text>'


def test_names_beside_curves_do_not_lie_on_each_other():
    places = apart([50, 51, 99, 10, 98], 5)
    assert places[3] < places[0] < places[1] < places[4] < places[2] <= 100
    assert all(abs(a - b) >= 5 for a in places for b in places if a != b)
    assert apart([50, 10, 99], 5) == [50, 10, 99], "moved without need"


def test_table_and_chart_share_one_scale():
    """The bars of the table end where those of the chart do."""
    made = made_up(8, contests=1)
    board = made.boards[0]
    far = replace(board.lines[-1], rating=-90.0, low=-92.0, high=-88.0)
    board = replace(board, lines=[*board.lines[:-1], far])
    scale = rating_scale(board.lines)
    assert scale is not None
    assert scale.low > -50
    html = render(replace(made, boards=[board]))
    assert '</title><text class="off" x="0">◂ -90.00</text></svg>' in html, "no bar below the number"
    left, right = (f"{scale.at(end):.0f}" for end in (board.lines[0].low, board.lines[0].high))
    assert f"<i class=bar style=--a:{left};--b:{right};" in html


def test_the_axis_of_a_large_league_spans_the_bots_that_are_drawn():
    board = made_up(60, contests=1).boards[0]
    drawn, everybody = rating_scale(board.lines[:BEST]), rating_scale(board.lines)
    assert drawn is not None
    assert everybody is not None
    assert drawn.low > everybody.low
    ticks = re.findall(r">([\d.]+)</text>", CHARTS["ratings"].draw(board).partition('class="axis"')[2])
    assert [float(tick) for tick in ticks] == drawn.ticks()


def test_every_chart_has_marks():
    for number, board in enumerate(made_up(8).boards):
        drawn = {name for name, chart in CHARTS.items() if re.search("<circle|<polyline", chart.draw(board))}
        assert drawn >= {"ratings", "settling", "seats" if number else "times"}


def test_cells_of_the_matrix_say_what_is_settled():
    board = made_up(3, contests=1).boards[0]
    a, b, c = board.bots
    met = pairs_of(3, {(0, 1): (0.7, 0.55, 0.85), (0, 2): (0.6, 0.4, 0.8)})
    cells = {
        (bot, other): cell
        for rows in [matrix(replace(board, pairs=met))]
        for bot, row in rows
        for (other, _), cell in zip(rows, row, strict=True)
    }
    assert cells[a, b] == ("70", "e6")
    assert cells[b, a] == ("30", "e2")
    assert cells[c, a] == ("40", "d3")
    assert cells[b, c] == ("·", "unmet")
    assert cells[a, a] == ("", "")


@pytest.mark.parametrize(("bots", "contests", "most"), [(20, 3, 150), (300, 1, 400)])
def test_pages_are_small(bots, contests, most):
    assert len(render(made_up(bots, contests=contests)).encode()) <= 1024 * most
