"""The standings of pinned leagues are what they were, byte for byte."""

import pytest

from league.results.store import Store
from tests.counting import check_counts
from tests.pins import FOLDER, PINS, played, stored
from tests.play.real_league import RESULTS


@pytest.mark.parametrize("name", PINS)
def test_standings_are_what_they_were(name, tmp_path):
    assert played(name, tmp_path) == stored(name), "if that is meant: `make pins`, then read the difference"
    with Store.open(tmp_path / RESULTS) as store:
        assert check_counts(store) == store.games_stored()


def test_no_league_is_pinned_that_is_gone():
    assert {path.parent.name for path in FOLDER.glob("*/standings.csv")} == {
        name for name, pin in PINS.items() if not pin.like
    }
