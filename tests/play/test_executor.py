"""Blocks are all played, each once, whatever happens to the workers; and no worker is left behind."""

import multiprocessing
import os
import re
import signal
from contextlib import closing
from itertools import combinations, count, islice
from random import Random

import msgspec
import pytest

from league.commands import executors
from league.errors import LeagueError
from league.play.executors import executor_of, local
from league.play.executors.local import LocalExecutor
from league.play.worker import Team, Worker
from league.tools.logs import logging_to
from league.values.block import Abandoned, Block
from league.values.settings import Isolation, Limits
from tests.leagues import CHANCE, DICE, FIRST, LEARNER, alone, bot, series
from tests.play.driving import play_all

KILLER = FIRST.replace("return", "import os; os.kill(os.getpid(), 9)\n        return")
TALKER = """
import logging

class Bot:
    def choose(self, view):
        logging.getLogger("league.bot").info("<%s>", "x" * 3000)
        return view.legal[0]
"""

BOTS = (bot("ann", DICE), bot("bob", CHANCE), bot("cid", LEARNER))


def team(bots=BOTS):
    return Team(tuple(bots), Isolation.TRUSTED, Limits())


def blocks_of(bots=BOTS, number=5, size=6):
    """So many blocks of each pair of bots."""
    return [Block(series(pair), at * size, (at + 1) * size) for at in range(number) for pair in combinations(bots, 2)]


def without_timings(result):
    return msgspec.structs.replace(result, usage=())


def played_here(blocks, bots=BOTS):
    """The results by block, played in this process."""
    with closing(Worker(team(bots))) as worker:
        return {block.id: without_timings(worker.play(block)) for block in blocks}


def by_block(results):
    """The results by block; each has come once."""
    found = [without_timings(result) for result in results]
    assert len({result.block.id for result in found}) == len(found)
    return {result.block.id: result for result in found}


def until(enough, executor, blocks):
    """What was played by an executor that is told to stop after so many results."""
    results = []
    for result in play_all(executor, alone(blocks), lambda: len(results) >= enough):
        results.append(result)  # noqa: PERF402 - it is looked at while it grows
    return results


def kill(process):
    """End a worker, and wait until it is dead."""
    os.kill(process.pid, signal.SIGKILL)
    process.join()


@pytest.fixture
def log_file(tmp_path):
    with logging_to(tmp_path / "league.log"):
        yield tmp_path / "league.log"


@pytest.fixture(autouse=True)
def nobody_is_left():
    yield
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_block_is_played_once_with_the_same_result(log_file, workers):
    blocks = blocks_of()
    results = play_all(LocalExecutor(team(), workers, log_file), alone(blocks))
    assert by_block(results) == played_here(blocks)


def test_nothing_to_play_starts_nobody(log_file):
    assert list(play_all(LocalExecutor(team(), 2, log_file), alone([]))) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_workers_that_are_killed_while_they_play_cost_nothing(log_file, monkeypatch, seed):
    monkeypatch.setattr(local, "LIVES", 1000)  # so that bad luck cannot look like a deadly block
    rng = Random(seed)
    blocks = blocks_of(number=8)
    results = []
    for result in play_all(LocalExecutor(team(), 2, log_file), alone(blocks)):
        results.append(result)
        workers = multiprocessing.active_children()  # none if all of them have just been killed
        if workers and rng.random() < 0.4:
            kill(rng.choice(workers))
    assert by_block(results) == played_here(blocks)


def test_workers_that_are_killed_while_they_wait_cost_nothing(log_file, monkeypatch):
    monkeypatch.setattr(local, "IN_HAND", 1)  # so that a worker has nothing to do when its result is looked at
    blocks = blocks_of(number=2)
    results = []
    for result in play_all(LocalExecutor(team(), 1, log_file), alone(blocks)):
        results.append(result)
        for worker in multiprocessing.active_children()[:1]:
            kill(worker)
    assert by_block(results) == played_here(blocks)


def test_a_block_that_ends_three_workers_is_abandoned_and_named_and_all_others_are_played(log_file):
    deadly = bot("bad", KILLER)
    blocks = blocks_of()
    trap = Block(series([BOTS[0], deadly]), 0, 3)
    executor = LocalExecutor(team([*BOTS, deadly]), 2, log_file)
    found = list(play_all(executor, alone([*blocks[:4], trap, *blocks[4:]])))
    abandoned = [result for result in found if isinstance(result, Abandoned)]
    assert abandoned == [Abandoned(trap, "3 workers died playing it; the last one was ended by SIGKILL")]
    assert by_block([result for result in found if result not in abandoned]) == played_here(blocks)
    assert log_file.read_text().count("was ended by SIGKILL while playing raj-2p with ann and bad") == 3


def test_internal_error_is_logged_and_costs_its_block_only(log_file):
    stranger = Block(series([BOTS[0], bot("zoe")]), 0, 3)  # no bot of the team
    blocks = blocks_of(number=1)
    found = list(play_all(LocalExecutor(team(), 2, log_file), alone([stranger, *blocks])))
    abandoned = [result for result in found if isinstance(result, Abandoned)]
    assert abandoned == [Abandoned(stranger, "3 workers died playing it; the last one ended with exit code 70")]
    assert by_block([result for result in found if result not in abandoned]) == played_here(blocks)
    assert "internal error in a worker\nTraceback" in log_file.read_text()


def test_what_no_worker_can_do_stops_the_run_with_its_reason(log_file):
    """A missing sandbox is nobody's fault: it must not look like a block that kills workers."""
    one = series(BOTS[:2])
    unknown = msgspec.structs.replace(one, contest=msgspec.structs.replace(one.contest, game="chess"))
    with pytest.raises(LeagueError, match="There is no game 'chess'"):
        list(play_all(LocalExecutor(team(), 2, log_file), alone([Block(unknown, 0, 3), *blocks_of()])))


def test_other_rules_than_the_workers_own_stop_the_run(log_file):
    one = series(BOTS[:2])
    newer = msgspec.structs.replace(one, contest=msgspec.structs.replace(one.contest, version=2))
    with pytest.raises(LeagueError) as refused:
        list(play_all(LocalExecutor(team(), 2, log_file), alone([Block(newer, 0, 3), *blocks_of()])))
    assert str(refused.value) == (
        "Games of raj were planned under version 2 of its rules, but the worker that should play them has version 1. "
        "Install the same version everywhere, then start it again."
    )


def test_stopping_ends_with_what_is_finished(log_file):
    endless = (Block(series(BOTS[:2]), deal, deal + 4) for deal in count(step=4))
    results = until(3, LocalExecutor(team(), 2, log_file), endless)
    assert 3 <= len(results) <= 3 + 2 * local.IN_HAND
    assert by_block(results) == played_here([result.block for result in results])


def test_a_worker_that_does_not_come_back_cannot_keep_a_run_from_stopping(log_file):
    asleep = bot("bad", FIRST.replace("return", "import time; time.sleep(1000)\n        return"))
    blocks = [Block(series([BOTS[0], asleep]), 0, 1), *blocks_of(number=1)]
    results = until(2, LocalExecutor(team([*BOTS, asleep]), 2, log_file), blocks)
    assert by_block(results).items() <= played_here(blocks[1:]).items()


def test_only_a_few_blocks_are_taken_ahead(log_file):
    taken = []
    blocks = (taken.append(block) or block for block in blocks_of(number=10))
    for done, _ in enumerate(play_all(LocalExecutor(team(), 2, log_file), alone(blocks))):
        assert len(taken) <= done + 2 * local.IN_HAND


def test_who_stops_listening_ends_the_workers(log_file):
    """As a full disk does, in the middle of a run."""
    asleep = bot("bad", FIRST.replace("return", "import time; time.sleep(1000)\n        return"))
    blocks = [*blocks_of(number=1), Block(series([BOTS[0], asleep]), 0, 1)]
    with closing(play_all(LocalExecutor(team([*BOTS, asleep]), 2, log_file), alone(blocks))) as results:
        assert len(list(islice(results, 3))) == 3


def test_lines_of_all_processes_are_whole_and_in_one_file(log_file):
    talkers = [bot(name, TALKER) for name in ("ann", "bob", "cid")]
    blocks = blocks_of(talkers, number=2, size=4)
    list(play_all(LocalExecutor(team(talkers), 3, log_file), alone(blocks)))
    lines = log_file.read_text().splitlines()
    whole = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} INFO    worker-[123] league\.bot: <x{3000}>")
    assert all(whole.fullmatch(line) for line in lines)
    games = sum(block.games for block in blocks)
    assert len(lines) == games * 2 * 15, "two bots bid in fifteen rounds of every game"


def test_executors_are_found_by_name():
    assert [executor_of(word).__name__ for word in executors()] == ["local_executor", "dask_executor"]
    assert executor_of("local", "tcp://127.0.0.1:8786").keywords == {"scheduler": "tcp://127.0.0.1:8786"}


def test_unknown_executor_is_one_line_with_the_nearest_word():
    with pytest.raises(LeagueError) as refused:
        executor_of("dsk")
    assert str(refused.value) == "expected executor as one of local, dask, found 'dsk'. Did you mean 'dask'?"
