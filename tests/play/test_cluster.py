"""Whatever happens to a cluster, all blocks are played, each result counts once, and the user reads a line about it.

The scheduler and the workers are real processes.
"""

import gc
import os
import signal
from contextlib import closing
from itertools import count
from threading import Thread

import pytest

from league.errors import LeagueError
from league.extensions.dask import cluster as clusters
from league.extensions.dask import cluster_workers
from league.extensions.dask.cluster import Cluster
from league.values.block import Abandoned, Block
from tests.leagues import FIRST, LAST, alone, series
from tests.play.clusters import RealCluster, end, running
from tests.play.driving import play_all
from tests.play.test_executor import BOTS, KILLER, blocks_of, bot, by_block, played_here, team

pytest.importorskip("distributed", reason="the package distributed is not installed")
from league.extensions.dask.executor import DaskExecutor

pytestmark = [
    pytest.mark.slow,
    # Dask closes the sockets of a client in the background; on a busy machine some are collected before.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
    pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def _collected():
    """What Dask leaves behind is collected here, and not in a later test that would be blamed for it."""
    yield
    gc.collect()


SLOW = FIRST.replace("return", "import time; time.sleep(0.002)\n        return")
SLOW_BOTS = (*BOTS[:2], bot("bea", SLOW))
WITHOUT_LEAGUE = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "league":
            raise ModuleNotFoundError("No module named 'league'", name="league")

sys.meta_path.insert(0, Missing())
"""
OLDER = "import league\nleague.__version__ = '0.0.1'\n"
EDITED = "from league.extensions.dask import worker_side\nworker_side._source_hash = lambda: 'another'\n"


class Said(list):
    """The lines that a user reads, one after the other."""

    def __call__(self, line):
        self.append(line)


@pytest.fixture
def said():
    return Said()


@pytest.fixture
def cluster(tmp_path):
    with running(tmp_path) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def steady(tmp_path_factory):
    """A cluster whose one worker has two threads, for tests that leave it as it is."""
    with running(tmp_path_factory.mktemp("cluster"), 2) as cluster:
        yield cluster


def executor(cluster, said, bots=BOTS):
    return DaskExecutor(team(bots), 1, cluster.address, said)


def played(cluster, said, blocks, events, bots=BOTS):
    """The results by block, from a run in which things happen: a condition and what to do, one after the other."""
    results = []
    ahead = list(events)

    def look():
        if ahead and ahead[0][0](results):
            ahead.pop(0)[1]()
        return False

    for result in play_all(executor(cluster, said, bots), alone(blocks), look):
        results.append(result)
        look()
    assert not ahead, "not everything has happened"
    return by_block(results)


def after(number):
    """When this many blocks were played."""
    return lambda results: len(results) >= number


def where(cluster):
    return f"on the Dask cluster at {cluster.address}"


@pytest.mark.soak
def test_a_cluster_of_this_machine(said):
    blocks = blocks_of(number=2)
    assert by_block(play_all(DaskExecutor(team(), 2, notice=said), alone(blocks))) == played_here(blocks)
    assert said == ["no scheduler was named: starting a Dask cluster of 2 workers on this machine."]


def test_no_scheduler(monkeypatch):
    monkeypatch.setattr(clusters, "CONNECT_SECONDS", 1)
    nowhere = RealCluster(None).address
    with pytest.raises(LeagueError, match=f"There is no Dask scheduler at {nowhere}"):
        list(play_all(DaskExecutor(team(), 1, nowhere), alone(blocks_of())))


def test_a_run_that_waits_for_workers_can_be_stopped(cluster, said):
    assert list(play_all(executor(cluster, said), alone(blocks_of()), lambda: bool(said))) == []


def test_workers_come_late_and_leave(cluster, said):
    blocks = blocks_of(SLOW_BOTS, number=8)
    events = [
        (lambda _: said, cluster.join),
        (after(1), lambda: cluster.join(threads=2)),
        (after(4), lambda: end(cluster.workers[0])),
    ]
    assert played(cluster, said, blocks, events, SLOW_BOTS) == played_here(blocks, SLOW_BOTS)
    assert said[:2] == [
        f"there are no workers that can play yet {where(cluster)}: waiting for some.",
        f"playing {where(cluster)}: 1 worker with 1 thread so far.",
    ]


def test_all_workers_are_lost_at_once(cluster, said):
    cluster.join()
    cluster.join()

    def preempt():
        for worker in cluster.workers:
            end(worker)

    blocks = blocks_of(SLOW_BOTS, number=5)
    gone = f"all workers are gone {where(cluster)}: waiting for some."
    events = [(after(3), preempt), (lambda _: gone in said, cluster.join)]
    assert played(cluster, said, blocks, events, SLOW_BOTS) == played_here(blocks, SLOW_BOTS)
    assert said[-1] == f"playing {where(cluster)}: 1 worker with 1 thread so far."


@pytest.mark.soak
def test_the_scheduler_is_lost_and_started_again(cluster, said):
    cluster.join()

    def begin_again():
        cluster.start()
        cluster.join()

    blocks = blocks_of(SLOW_BOTS, number=5)
    lost = f"the Dask scheduler at {cluster.address} was lost: waiting for it."
    events = [(after(3), lambda: end(cluster.scheduler)), (lambda _: lost in said, begin_again)]
    assert played(cluster, said, blocks, events, SLOW_BOTS) == played_here(blocks, SLOW_BOTS)
    playing = f"playing {where(cluster)}: 1 worker with 1 thread so far."
    assert [line for line in said if "waiting for some" not in line] == [playing, lost, playing]


@pytest.mark.soak
def test_workers_without_league_or_with_another_one_are_named_and_not_used(cluster, said, monkeypatch):
    for preload in (WITHOUT_LEAGUE, OLDER, EDITED):
        cluster.join(preload=preload)
    named = [
        "has no League: install it there, in the same version as here",
        "has League 0.0.1 instead of 0.1.0",
        "has League 0.1.0 with other source files",
    ]

    def unfit():
        return sorted(line.split(" is not used: it ")[1] for line in said if " is not used: " in line)

    blocks = blocks_of(number=5)
    assert played(cluster, said, blocks, [(lambda _: len(unfit()) == 3, cluster.join)]) == played_here(blocks)
    assert unfit() == sorted(named)
    end(cluster.workers[-1])
    monkeypatch.setattr(cluster_workers, "PATIENCE_SECONDS", 0.0)
    with pytest.raises(LeagueError, match=r"No worker of the Dask cluster at .* can play\. tcp://.*: it has"):
        list(play_all(executor(cluster, said), alone(blocks)))


@pytest.mark.soak
def test_a_worker_that_is_restarted_at_its_address_is_greeted_again(cluster, said):
    cluster.join(nanny=True, options=("--worker-port", str(cluster.free_port())))
    killed = []

    def restart():
        killed.append(cluster.worker_under(cluster.workers[0]))
        os.kill(killed[0], signal.SIGKILL)

    blocks = blocks_of(SLOW_BOTS, number=5)
    assert played(cluster, said, blocks, [(after(3), restart)], SLOW_BOTS) == played_here(blocks, SLOW_BOTS)
    assert killed


@pytest.mark.soak
def test_a_block_that_ends_three_processes_is_abandoned_and_the_worker_stays(steady, said):
    deadly = bot("bad", KILLER)
    trap = Block(series([BOTS[0], deadly]), 0, 3)
    blocks = blocks_of()
    found = list(play_all(executor(steady, said, [*BOTS, deadly]), alone([*blocks[:4], trap, *blocks[4:]])))
    abandoned = [result for result in found if isinstance(result, Abandoned)]
    assert abandoned == [Abandoned(trap, "3 workers died playing it; the last one was ended by SIGKILL")]
    assert by_block([result for result in found if result not in abandoned]) == played_here(blocks)
    assert steady.workers[0].poll() is None


def leaving_traces(name, folder, source):
    """A bot that leaves a file with the number of its process."""
    folder.mkdir()
    line = f"import os, time; open(f'{folder}/{{os.getpid()}}', 'w').close(); time.sleep(0.002)\n        return"
    return bot(name, source.replace("return", line))


@pytest.mark.soak
def test_two_leagues_share_a_worker_with_many_threads_and_keep_their_processes(steady, said, tmp_path):
    leagues = [
        (leaving_traces("ann", tmp_path / "one", FIRST), BOTS[1]),
        (leaving_traces("ann", tmp_path / "two", LAST), BOTS[1]),
    ]
    blocks = [blocks_of(bots, number=8) for bots in leagues]
    found = [[], []]

    def play(at):
        found[at] += play_all(executor(steady, said, leagues[at]), alone(blocks[at]))

    threads = [Thread(target=play, args=(at,)) for at in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for at in range(2):
        assert by_block(found[at]) == played_here(blocks[at], leagues[at])
    for folder in ("one", "two"):
        processes = {int(path.name) for path in (tmp_path / folder).iterdir()} - {os.getpid()}
        assert 1 <= len(processes) <= 2, "one for each thread, from the first block to the last"


def test_all_threads_of_a_worker_play_at_once(steady, said, tmp_path):
    bots = (leaving_traces("ann", tmp_path / "one", FIRST), BOTS[1])
    list(play_all(executor(steady, said, bots), alone(blocks_of(bots, number=8))))
    assert len(list((tmp_path / "one").iterdir())) == 2


def test_bots_are_sent_to_a_worker_once(steady, said, monkeypatch):
    bots = (bot("una", FIRST + "# once\n"), bot("two", LAST + "# once\n"))
    sent = []
    call = Cluster.call

    def spy(cluster, workers, name, *arguments):
        sent.append(name)
        return call(cluster, workers, name, *arguments)

    monkeypatch.setattr(Cluster, "call", spy)
    list(play_all(executor(steady, said, bots), alone(blocks_of(bots, number=3))))
    assert sent == ["greet", "supply", "dismiss"]


def test_stopping_ends_with_what_is_finished_and_frees_the_cluster(steady, said):
    asleep = bot("bad", FIRST.replace("return", "import time; time.sleep(1000)\n        return"))
    blocks = [Block(series([BOTS[0], asleep]), 0, 1), *blocks_of(number=1)]
    results = []
    for result in play_all(executor(steady, said, [*BOTS, asleep]), alone(blocks), lambda: len(results) >= 2):
        results.append(result)  # noqa: PERF402 - it is looked at while it grows
    assert by_block(results).items() <= played_here(blocks[1:]).items()
    endless = (Block(series(BOTS[:2]), deal, deal + 4) for deal in count(step=4))
    with closing(play_all(executor(steady, said), alone(endless))) as again:
        next(again)
