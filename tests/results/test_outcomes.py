"""How games ended is kept in few bytes, and any part of a block counts as if it had been played alone."""

import zlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.errors import StoreError
from league.results.outcomes import Ending, cut, pack, unpack
from league.values.block import Block
from tests.leagues import DICE, LEARNER, bot, play, series

ROUGH = DICE.replace("return", "if self.rng.random() < 0.1: raise ValueError('out of luck')\n        return")


def endings(players):
    """The games of a block of so many players."""
    whole = st.integers(-(2**40), 2**40) | st.integers(-40, 40)
    row = st.tuples(*[st.integers(0, players - 1)] * players)
    out = st.sets(st.integers(0, players - 1)).map(lambda found: tuple(sorted(found)))
    return st.lists(st.builds(Ending, row, st.tuples(*[whole] * players), out), min_size=1, max_size=80)


class TestPacking:
    @pytest.mark.slow
    @given(st.integers(2, 6).flatmap(endings))
    def test_everything_comes_back(self, games):
        assert unpack(pack(games), len(games[0].ranks), len(games)) == games

    def test_the_format(self):
        packed = pack([Ending((0, 1), (7, -3)), Ending((1, 0), (0, 300), (0,)), Ending((0, 1), (1, 0))])
        assert packed[0] == 1
        assert msgspec.msgpack.decode(zlib.decompress(packed[1:])) == [
            [[[0, 1], []], [[1, 0], [0]]],
            [0, 1, 0],
            [[7, 0, 1], [-3, 300, 0]],
        ]

    @pytest.mark.parametrize("packed", [b"", b"\x02abc"])
    def test_another_format_is_refused(self, packed):
        with pytest.raises(StoreError, match="another version of League wrote them"):
            unpack(packed, 2, 1)

    def test_two_bytes_a_game_are_enough_for_two_players(self):
        bots = [bot("ann", DICE), bot("bob", DICE)]
        result = play(Block(series(bots), 0, 512), bots)
        assert len(result.outcomes) < 2 * 512


class TestCutting:
    @pytest.mark.parametrize(
        ("players", "games_per_match", "whole", "part"),
        [
            (2, 1, (0, 200), (0, 10)),
            (2, 1, (30, 200), (66, 131)),
            (3, 1, (0, 90), (64, 90)),
            (3, 4, (0, 40), (0, 12)),
            (5, 2, (10, 40), (20, 26)),
        ],
    )
    def test_a_part_is_as_if_it_had_been_played_alone(self, players, games_per_match, whole, part):
        bots = [bot("ann", ROUGH), bot("bob", LEARNER), bot("cid", ROUGH), bot("dot", DICE), bot("eve", DICE)][:players]
        one = series(bots, rotation=1, games_per_match=games_per_match, max_faults=1)
        parted = cut(play(Block(one, *whole), bots, at_fault=("ann", "cid")), *part)
        alone = play(Block(one, *part), bots, at_fault=("ann", "cid"))
        assert alone.faults
        assert bool(sum(alone.forfeits)) == (games_per_match > 1)
        by_deal = {"key": lambda fault: (fault.deal, fault.bot)}
        assert sorted(parted.faults, **by_deal) == sorted(alone.faults, **by_deal)
        rest = {"usage": (), "faults": (), "moves": b""}
        assert msgspec.structs.replace(parted, **rest) == msgspec.structs.replace(alone, **rest)

    def test_the_whole_is_itself(self):
        bots = [bot("ann", ROUGH), bot("bob", DICE)]
        result = play(Block(series(bots, games_per_match=3), 3, 30), bots, at_fault=("ann",))
        assert cut(result, 3, 30) == msgspec.structs.replace(result, moves=b"")
