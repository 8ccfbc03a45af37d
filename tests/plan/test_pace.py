"""How work is cut into blocks: by the clock, without losing or repeating a deal."""

from hypothesis import given
from hypothesis import strategies as st

from league.plan.pace import FIRST_GAMES, SECONDS, Pace
from league.plan.schedule import BLOCK_GAMES
from league.values.block import Block, BlockResult, Contest, Entrant, Limits, Series, Tally, Usage

LINEUP = (Entrant("ann", "1"), Entrant("bob", "2"))


def series(games_per_match: int = 1) -> Series:
    return Series(Contest("raj", 2, {}, 1, games_per_match), LINEUP, 0, 0, Limits())


def played(block: Block, *seconds_a_game: float) -> BlockResult:
    usage = tuple(Usage(30 * block.games, seconds * block.games) for seconds in seconds_a_game)
    return BlockResult(block, Tally((), (), ()), (), usage)


def sizes(pace: Pace, work: Block) -> list[int]:
    return [block.games for block in pace.cut([work])]


def test_strangers_begin_with_few_games():
    assert next(Pace().cut([Block(series(), 0, 500)])).games == FIRST_GAMES


def test_quick_bots_then_get_large_blocks():
    pace = Pace()
    pace.learn(played(Block(series(), 0, 10), 1e-5, 1e-5))
    assert sizes(pace, Block(series(), 10, 10 + 2 * BLOCK_GAMES)) == [BLOCK_GAMES, BLOCK_GAMES]


def test_slow_bots_get_blocks_of_about_the_time_wanted():
    pace = Pace()
    pace.learn(played(Block(series(), 0, 10), SECONDS / 8, SECONDS / 8))
    assert sizes(pace, Block(series(), 0, 10)) == [4, 4, 2]


def test_a_game_that_takes_longer_is_a_block_of_its_own():
    pace = Pace()
    pace.learn(played(Block(series(), 0, 10), 100 * SECONDS, 0.0))
    assert sizes(pace, Block(series(), 0, 3)) == [1, 1, 1]


def test_what_is_learnt_on_the_way_counts_for_the_rest():
    pace = Pace()
    blocks = pace.cut([Block(series(), 0, 100)])
    first = next(blocks)
    pace.learn(played(first, SECONDS / 4, SECONDS / 4))
    assert next(blocks).games == 2


@given(
    st.integers(1, 5),
    st.lists(st.tuples(st.integers(0, 50), st.integers(1, 60)), max_size=5),
    st.one_of(st.none(), st.floats(0, 10)),
)
def test_every_deal_once_and_matches_stay_whole(games_per_match, spans, seconds):
    pace = Pace()
    one = series(games_per_match)
    if seconds is not None:
        pace.learn(played(Block(one, 0, games_per_match), seconds, seconds))
    work = [Block(one, first * games_per_match, (first + length) * games_per_match) for first, length in spans]
    cut = list(pace.cut(work))
    assert [deal for block in cut for deal in range(block.first, block.stop)] == [
        deal for block in work for deal in range(block.first, block.stop)
    ]
    assert all(block.first % games_per_match == 0 and block.games % games_per_match == 0 for block in cut)
