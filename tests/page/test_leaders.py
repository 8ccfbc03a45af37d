"""Who leads a contest, and which baselines are not behind."""

from types import SimpleNamespace

from league.page.data import Board
from league.page.render import first_of
from league.results.report import overall_comes_first
from tests.results.test_standings import line


def leaders(places, baselines=()):
    board = Board(
        "raj-2p", "Raj", [line(bot=name, place=place, best=1 / len(places)) for name, place in places.items()], 7
    )
    named, others, unbeaten = first_of(board, frozenset(baselines))
    return [line.bot for line in named], others, unbeaten


def test_leaders_share_the_first_place():
    assert leaders({"ann": "1-2", "bob": "1-2", "cid": "3", "dot": "4", "eve": "5"}) == (["ann", "bob"], 0, [])


def test_a_baseline_beside_or_before_the_leaders_is_unbeaten_and_does_not_lead():
    assert leaders({"ann": "1-2", "dice": "1-2", "bob": "3"}, ["dice"]) == (["ann"], 0, ["dice"])
    assert leaders({"dice": "1", "ann": "2", "bob": "3"}, ["dice"]) == (["ann"], 0, ["dice"])
    assert leaders({"ann": "1", "dice": "2", "bob": "3"}, ["dice"]) == (["ann"], 0, [])


def test_overall_standings_come_first_if_most_bots_have_a_place_in_them():
    def of(placed, others):
        lines = [line(place=str(number)) for number in range(1, placed + 1)] + [line(place="-")] * others
        return overall_comes_first(SimpleNamespace(contests=dict.fromkeys(("raj-2p", "raj-3p")), overall=lines))

    assert of(3, 1)
    assert not of(3, 2)
    assert not of(1, 0)
