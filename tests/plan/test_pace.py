"""How work is cut into blocks: by the clock, without losing or repeating a deal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.plan.lineups import Combinations
from league.plan.pace import BLOCK_GAMES, FIRST_GAMES, SECONDS, Pace
from league.plan.schedule import Fixture
from league.values.block import Block, BlockResult, Entrant, Series, Usage
from league.values.settings import Contest, Event, Limits
from tests.tables import each

LINEUP = (Entrant("ann", "1"), Entrant("bob", "2"))


def series(games_per_match: int = 1) -> Series:
    return Series(Contest("raj", 2, {}, 1, games_per_match), LINEUP, 0, 0, Limits())


def played(block: Block, *seconds_a_game: float) -> BlockResult:
    usage = tuple(Usage(30 * block.games, seconds * block.games) for seconds in seconds_a_game)
    return BlockResult(block, b"", (), usage)


def sizes(pace: Pace, work: Block) -> list[int]:
    return [block.games for block in pace.cut(work.series, work.first, work.stop)]


def test_strangers_begin_with_few_games():
    assert next(Pace().cut(series(), 0, 500)).games == FIRST_GAMES == 2


def test_a_stranger_among_bots_that_are_known_begins_with_few_games():
    pace = Pace()
    pace.know("raj-2p", LINEUP[0], 10, 1e-5)
    assert next(pace.cut(series(), 0, 500)).games == FIRST_GAMES


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
    blocks = pace.cut(series(), 0, 100)
    first = next(blocks)
    pace.learn(played(first, SECONDS / 4, SECONDS / 4))
    assert next(blocks).games == 2


def test_what_the_worker_needs_is_shared_by_the_bots():
    pace = Pace()
    usage = (Usage(300, 1.0, overhead=2.0), Usage(300, 3.0, overhead=2.0))
    pace.learn(BlockResult(Block(series(), 0, 10), b"", (), usage))
    assert sizes(pace, Block(series(), 0, 10)) == [2] * 5  # 0.8 s a game


def test_what_is_known_of_earlier_runs_counts():
    pace = Pace()
    for entrant in LINEUP:
        pace.know("raj-2p", entrant, 100, 100 * SECONDS / 8)
    assert sizes(pace, Block(series(), 0, 8)) == [4, 4]


def test_memory_that_was_not_measured_is_not_known():
    pace = Pace()
    pace.learn(played(Block(series(), 0, 2), 1.0, 1.0))
    assert pace.memory_mb(LINEUP[0]) == 0


def test_the_most_memory_and_the_mean_of_starts_that_were_seen_count():
    pace = Pace()
    for memory_mb, starting, starts in ((70, 0.2, 1.0), (60, 0.1, 1.0), (60, 0.0, 0.0), (60, 0.03, 0.25)):
        pace.know_process(LINEUP[0], Usage(1, 0.1, starting=starting, memory_mb=memory_mb, starts=starts))
    assert pace.memory_mb(LINEUP[0]) == 50  # 20 MB are shared with the process that they were forked from
    assert pace.starting_seconds(LINEUP[0]) == pytest.approx(0.33 / 2.25)


def test_one_slow_start_among_many_does_not_set_a_bot_apart():
    pace = Pace()
    for starting in (0.1, 0.8, 0.1):
        pace.know_process(LINEUP[0], Usage(1, 0.1, starting=starting, starts=1.0))
    assert not pace.is_apart("raj-2p", LINEUP[0])
    assert pace.is_costly_to_start(LINEUP[0])


def test_a_bot_that_needs_more_than_ten_times_the_median_plays_apart():
    pace = Pace()
    bots = {name: Entrant(name, "") for name in "abcde"}
    for name, seconds in zip("abcde", (1.0, 1.0, 1.0, 10.0, 10.5), strict=True):
        pace.know("raj-2p", bots[name], 1, seconds)
    assert [name for name, entrant in bots.items() if pace.is_apart("raj-2p", entrant)] == ["e"]


@each(("seconds", "apart"), [(0.04, False), (0.06, True)])
def test_a_bot_with_quick_games_plays_with_the_others(seconds, apart):
    pace = Pace()
    bots = [Entrant(name, "") for name in "abc"]
    for entrant, each_game in zip(bots, (0.001, 0.001, seconds), strict=True):
        pace.know("raj-2p", entrant, 1, each_game)
    assert pace.is_apart("raj-2p", bots[2]) is apart


def test_an_average_game_is_expected_from_the_bots_that_are_known():
    fixture = Fixture(Event(series().contest), (*LINEUP, Entrant("cid", "3")), Combinations(3, 2))
    pace = Pace()
    assert pace.game_seconds(fixture) is None
    pace.know("raj-2p", LINEUP[0], 10, 10.0)
    pace.know("raj-2p", LINEUP[1], 10, 30.0)
    assert pace.game_seconds(fixture) == 2 * 2.0
    assert [one.name for one in pace.unknown(fixture)] == ["cid"]


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
    cut = [block for one in work for block in pace.cut(one.series, one.first, one.stop)]
    assert [deal for block in cut for deal in range(block.first, block.stop)] == [
        deal for block in work for deal in range(block.first, block.stop)
    ]
    assert all(block.first % games_per_match == 0 and block.games % games_per_match == 0 for block in cut)


def test_bots_that_wait_get_more_games_at_once_as_long_as_that_takes_no_longer():
    """What they sleep is no measure of how many games they can play at once."""
    pace = Pace()
    sizes_played = []
    for _ in range(5):
        block = next(pace.cut(series(), 0, 10_000))
        sizes_played.append(block.games)
        usage = (Usage(1, 0.001 * block.games, asleep=4.0), Usage(1, 0.0))
        pace.learn(BlockResult(block, b"", (), usage))
    assert sizes_played == [2, 8, 32, 128, 512]


def test_bots_that_wait_for_one_game_after_the_other_get_few_at_once():
    pace = Pace()
    for _ in range(5):
        block = next(pace.cut(series(), 0, 10_000))
        pace.learn(BlockResult(block, b"", (), (Usage(1, 0.0, asleep=2.0 * block.games), Usage(1, 0.0))))
    assert block.games <= 16
