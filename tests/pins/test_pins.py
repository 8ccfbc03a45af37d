"""The standings of pinned leagues are what they were, byte for byte."""

import pytest

from tests.pins import FOLDER, PINS, played, stored


@pytest.mark.parametrize("name", PINS)
def test_standings_are_what_they_were(name, tmp_path):
    assert played(name, tmp_path) == stored(name), "if that is meant: `make pins`, then read the difference"


def test_no_league_is_pinned_that_is_gone():
    assert {path.parent.name for path in FOLDER.glob("*/standings.csv")} == {
        name for name, pin in PINS.items() if not pin.like
    }
