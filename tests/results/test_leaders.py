"""Who leads a contest, and which baselines are not behind."""

from types import SimpleNamespace

from league.results.report import leaders_of, overall_comes_first
from tests.results.test_standings import line


def standings(places, baselines=(), overall=()):
    contest = SimpleNamespace(
        lines=[line(bot=name, place=place) for name, place in places.items()],
        games=7,
    )
    return SimpleNamespace(contests={"raj-2p": contest}, baselines=frozenset(baselines), overall=overall)


def test_leaders_share_the_first_place_and_two_are_named_behind_them():
    (found,) = leaders_of(standings({"ann": "1-2", "bob": "1-2", "cid": "3", "dot": "4", "eve": "5"}))
    assert (found.first, found.behind, found.bots, found.games) == (("ann", "bob"), ("cid", "dot"), 5, 7)


def test_a_baseline_beside_or_before_the_leaders_is_unbeaten_and_does_not_lead():
    (beside,) = leaders_of(standings({"ann": "1-2", "dice": "1-2", "bob": "3"}, ["dice"]))
    assert (beside.first, beside.unbeaten) == (("ann",), ("dice",))
    (before,) = leaders_of(standings({"dice": "1", "ann": "2", "bob": "3"}, ["dice"]))
    assert (before.first, before.unbeaten) == (("ann",), ("dice",))
    (behind,) = leaders_of(standings({"ann": "1", "dice": "2", "bob": "3"}, ["dice"]))
    assert (behind.first, behind.unbeaten) == (("ann",), ())


def test_overall_standings_come_first_if_most_bots_have_a_place_in_them():
    def of(placed, others):
        lines = [line(place=str(number)) for number in range(1, placed + 1)] + [line(place="-")] * others
        both = standings({}, overall=lines)
        both.contests["raj-3p"] = both.contests["raj-2p"]
        return overall_comes_first(both)

    assert of(3, 1)
    assert not of(3, 2)
    assert not of(1, 0)
