"""Who leads a contest, and which baselines are not behind."""

from types import SimpleNamespace

from league.page.build import firsts
from league.results.report import overall_comes_first
from tests.results.test_standings import line


def standings(places, baselines=(), overall=()):
    contest = SimpleNamespace(
        lines=[line(bot=name, place=place) for name, place in places.items()],
        games=7,
    )
    return SimpleNamespace(contests={"raj-2p": contest}, baselines=frozenset(baselines), overall=overall)


def first(places, baselines=()):
    (found,) = firsts(standings(places, baselines), {"raj-2p": "Raj"}, {name: name for name in places})
    return found


def test_leaders_share_the_first_place():
    found = first({"ann": "1-2", "bob": "1-2", "cid": "3", "dot": "4", "eve": "5"})
    assert (found.bots, found.field, found.games) == (("ann", "bob"), 5, 7)


def test_a_baseline_beside_or_before_the_leaders_is_unbeaten_and_does_not_lead():
    beside = first({"ann": "1-2", "dice": "1-2", "bob": "3"}, ["dice"])
    assert (beside.bots, beside.unbeaten) == (("ann",), ("dice",))
    before = first({"dice": "1", "ann": "2", "bob": "3"}, ["dice"])
    assert (before.bots, before.unbeaten) == (("ann",), ("dice",))
    behind = first({"ann": "1", "dice": "2", "bob": "3"}, ["dice"])
    assert (behind.bots, behind.unbeaten) == (("ann",), ())


def test_overall_standings_come_first_if_most_bots_have_a_place_in_them():
    def of(placed, others):
        lines = [line(place=str(number)) for number in range(1, placed + 1)] + [line(place="-")] * others
        both = standings({}, overall=lines)
        both.contests["raj-3p"] = both.contests["raj-2p"]
        return overall_comes_first(both)

    assert of(3, 1)
    assert not of(3, 2)
    assert not of(1, 0)
