"""How games ended is kept in few bytes."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.errors import DataError
from league.results.outcomes import Ending, numbers_of, pack, result_of
from league.values.block import Block
from tests.counting import endings_of
from tests.leagues import DICE, bot, play, series
from tests.tables import each


def endings(players):
    """The games of a block of so many players."""
    whole = st.integers(-(2**40), 2**40) | st.integers(-40, 40)
    row = st.tuples(*[st.integers(0, players - 1)] * players)
    out = st.sets(st.integers(0, players - 1)).map(lambda found: tuple(sorted(found)))
    return st.lists(st.builds(Ending, row, st.tuples(*[whole] * players), out), min_size=1, max_size=80)


class TestPacking:
    @pytest.mark.slow
    @given(st.integers(2, 5).flatmap(endings))
    def test_everything_comes_back(self, games):
        lineup = [bot(name) for name in "abcde"[: len(games[0].ranks)]]
        assert endings_of(result_of(Block(series(lineup), 3, 3 + len(games)), games)) == games

    def test_the_format(self):
        endings = [Ending((0, 1), (7, -3)), Ending((1, 0), (0, 127), (0,)), Ending((0, 1), (1, 0))]
        assert pack(endings) == bytes([1, 0, 1, 7, 253, 1, 0, 0, 127, 0, 1, 1, 0])

    @each(
        ("points", "width"), [(127, 1), (-128, 1), (128, 2), (-129, 2), (2**31 - 1, 4), (2**31, 8), (-(2**31) - 1, 8)]
    )
    def test_numbers_are_as_wide_as_the_largest_needs(self, points, width):
        packed = pack([Ending((0, 1), (points, 0))])
        assert (packed[0], len(packed)) == (width, 1 + 4 * width)

    @each(
        "packed", [b"", b"\x03abc", b"\x01", b"\x01abc", b"\x01abcde", b"\x11abcd", b"\x11" + zlib.compress(bytes(5))]
    )
    def test_outcomes_of_other_games_are_refused(self, packed):
        with pytest.raises((DataError, zlib.error)):
            numbers_of(packed[0] if packed else 0, [packed], [4])

    def test_two_bytes_a_game_are_enough_for_two_players(self):
        bots = [bot("ann", DICE), bot("bob", DICE)]
        result = play(Block(series(bots), 0, 512), bots)
        assert len(result.outcomes) < 2 * 512
