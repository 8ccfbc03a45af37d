"""The same config and the same bots give the same standings, byte for byte, whatever happened on the way.

Every league here is played by the real command in processes of its own.
"""

import os
import shutil
import signal
import subprocess
from contextlib import suppress
from math import comb
from pathlib import Path
from random import Random
from time import sleep

import pytest

from tests.commands import WITHOUT_PAGE
from tests.leagues import CHANCE, DICE, FIRST, LAST, LEARNER
from tests.play.clusters import running
from tests.play.real_league import RealLeague

FRAGILE = DICE.replace("return", "if self.rng.random() < 0.02: raise ValueError('out of luck')\n        return")
PAUSING = "import os, time\n" + FIRST.replace(
    "return", "time.sleep(float(os.environ.get('PAUSE', '0')))\n        return"
)
"""Where a run is to be killed in the middle, however quick the machine is, it takes its time."""
PAUSE = "0.0005"
BOTS = {"ann": DICE, "bob": CHANCE, "cid": LEARNER, "dot": FRAGILE, "eve": PAUSING, "fay": LAST}
CONFIG = """\
league: small
seed: 5
bots: bots
games:
  - {game: raj, players: [2, 3], deals: 6}
  - {game: braverats, deals: 8, games_per_match: 4}
isolation: trusted
"""
GAMES = comb(6, 2) * 2 * (6 + 8) + comb(6, 3) * 3 * 6
"""Each lineup in each rotation."""


def league_of(bots: dict[str, str], folder: Path) -> RealLeague:
    """A league that writes no page."""
    return RealLeague(folder, CONFIG, bots, WITHOUT_PAGE)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A league that was played in one go by one worker."""
    league = league_of(BOTS, tmp_path_factory.mktemp("finished"))
    league.run_in_a_copy("--workers", "1")
    assert league.games() == GAMES
    return league


@pytest.fixture(scope="module")
def reference(finished):
    """Its files."""
    return finished.files()


@pytest.fixture
def league_of_its_own(finished, tmp_path):
    """A copy of it that a test may change."""
    shutil.copytree(finished.folder, tmp_path / "copy", dirs_exist_ok=True)
    return league_of(BOTS, tmp_path / "copy")


def children(pid: int) -> list[int]:
    """The processes that a process has started and that are alive."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_any_number_of_workers(tmp_path, reference):
    """Two of them play in other tests of this module."""
    league = league_of(BOTS, tmp_path)
    league.run_in_a_copy("--workers", "5")
    assert league.files() == reference


def test_bots_held_in_sandboxes(tmp_path, reference):
    league = league_of(BOTS, tmp_path)
    league.run_in_a_copy("--workers", "2", "--isolation", "sandbox")
    assert league.files() == reference


@pytest.mark.slow
def test_a_dask_cluster(tmp_path, reference):
    pytest.importorskip("distributed", reason="the package distributed is not installed")
    league = league_of(BOTS, tmp_path)
    league.run("--workers", "2", "--executor", "dask")
    assert league.files() == reference


@pytest.mark.slow
@pytest.mark.soak
def test_the_client_of_a_cluster_is_killed(tmp_path, reference):
    pytest.importorskip("distributed", reason="the package distributed is not installed")
    league = league_of(BOTS, tmp_path / "league")
    with running(tmp_path, 2) as cluster:
        with league.start("--scheduler", cluster.address) as process:
            assert league.wait_for(GAMES // 4, process)
            os.killpg(process.pid, signal.SIGKILL)
        assert league.games() < GAMES, "the kill must have come in the middle"
        said = league.run("--scheduler", cluster.address)
    assert league.files() == reference
    assert "games played before" in said
    assert f"playing on the Dask cluster at {cluster.address}: 1 worker with 2 threads so far." in said


@pytest.mark.slow
@pytest.mark.soak
def test_a_cluster_that_is_found_by_a_file_and_talks_tls(tmp_path, reference, monkeypatch):
    pytest.importorskip("distributed", reason="the package distributed is not installed")
    if not (openssl := shutil.which("openssl")):
        pytest.skip("there is no openssl to make a certificate with")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["-newkey", "rsa:2048", "-nodes", "-subj", "/CN=league", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([openssl, "req", "-x509", *made], check=True, capture_output=True)
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION", "true")
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TLS__CA_FILE", str(certificate))
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        monkeypatch.setenv(f"DASK_DISTRIBUTED__COMM__TLS__{role}__CERT", str(certificate))
        monkeypatch.setenv(f"DASK_DISTRIBUTED__COMM__TLS__{role}__KEY", str(key))
    league = league_of(BOTS, tmp_path / "league")
    file = tmp_path / "scheduler.json"
    with running(tmp_path, 2, options=("--scheduler-file", str(file)), protocol="tls"):
        said = league.run("--scheduler", str(file))
    assert '"tls://' in file.read_text()
    assert league.files() == reference
    assert f"playing on the Dask cluster of {file}: 1 worker with 2 threads so far." in said


@pytest.mark.slow
@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.soak)])
def test_everything_killed_at_some_moments(tmp_path, reference, kills):
    rng = Random(10)
    league = league_of(BOTS, tmp_path)
    in_the_middle = 0
    for _ in range(kills):
        before = league.games()
        with league.start("--workers", "2", pause=PAUSE) as process:
            if league.wait_for(before + rng.randrange(GAMES // 20), process):
                sleep(rng.random() * 0.01)
                with suppress(ProcessLookupError):  # it has just come to its end
                    os.killpg(process.pid, signal.SIGKILL)
        assert league.games() >= before
        in_the_middle += process.returncode == -signal.SIGKILL and 0 < league.games() < GAMES
    assert in_the_middle > 0
    before = league.games()
    said = league.run_in_a_copy()
    assert f"league: {before:,} games played before." in said or before == GAMES
    assert league.files() == reference


@pytest.mark.slow
def test_single_workers_killed(tmp_path, reference):
    rng = Random(3)
    league = league_of(BOTS, tmp_path)
    killed = 0
    with league.start("--workers", "2", pause=PAUSE) as process:
        while league.wait_for(killed * 60 + rng.randrange(30), process):
            if workers := children(process.pid):
                with suppress(ProcessLookupError):  # it has just ended
                    os.kill(rng.choice(workers), signal.SIGKILL)
                    killed += 1
        _, said = process.communicate()
    assert process.returncode == 0, said
    assert killed > 1
    assert (tmp_path / "results/small/league.log").read_text().count("was ended by SIGKILL") > 0
    assert league.files() == reference


@pytest.mark.slow
def test_bots_that_come_one_by_one(tmp_path, reference):
    names = ["fay", "bob", "dot", "ann", "eve", "cid"]
    league = league_of({name: BOTS[name] for name in names[:3]}, tmp_path)
    for count, name in enumerate([None, *names[3:]], 3):
        if name:
            league.add(name, BOTS[name])
        before = league.games()
        said = league.run_in_a_copy("--workers", "2")
        assert league.games() == comb(count, 2) * 2 * (6 + 8) + comb(count, 3) * 3 * 6
        assert not before or f"league: {before:,} games played before." in said
    assert league.files() == reference


@pytest.mark.slow
def test_fewer_deals_play_nothing_and_neither_does_going_back(tmp_path, league_of_its_own, reference):
    fewer = CONFIG.replace("deals: 6", "deals: 3").replace("deals: 8", "deals: 4")
    league = league_of_its_own
    (league.folder / "config.yaml").write_text(fewer)
    assert "nothing is missing." in league.run_in_a_copy()
    only = league_of(BOTS, tmp_path / "only ever asked for fewer")
    (only.folder / "config.yaml").write_text(fewer)
    only.run_in_a_copy()
    assert league.files() == only.files() != reference
    (league.folder / "config.yaml").write_text(CONFIG)
    assert "nothing is missing." in league.run_in_a_copy()
    assert league.files() == reference
    assert league.games() == GAMES


@pytest.mark.slow
def test_a_changed_bot_replays_its_lineups_only(tmp_path, league_of_its_own, reference):
    league = league_of_its_own
    league.add("cid", LEARNER.replace("* 7", "* 5"))
    said = league.run_in_a_copy()
    kept = comb(5, 2) * 2 * (6 + 8) + comb(5, 3) * 3 * 6
    assert f"league: {kept:,} games played before." in said
    of_pair, of_three = comb(6, 2) - comb(5, 2), comb(6, 3) - comb(5, 3)
    assert f"league: {of_pair * 2 * (6 + 8) + of_three * 3 * 6:,} games to play;" in said
    changed = league.files()
    assert changed != reference
    league.add("cid", LEARNER)
    assert "nothing is missing." in league.run_in_a_copy()
    assert league.files() == reference
    afresh = league_of({**BOTS, "cid": LEARNER.replace("* 7", "* 5")}, tmp_path / "again")
    afresh.run_in_a_copy()
    assert afresh.files() == changed
