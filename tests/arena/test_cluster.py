"""The ladder of an arena on a Dask cluster: the same rounds, the same files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from league.errors import ArenaError
from league.extensions.arena.folder import RESULTS, make_arena
from league.extensions.arena.ladder import Ladder
from league.extensions.arena.serve import ServeOptions, main, refuse_unsafe
from league.values.settings import Isolation
from tests.arena.conftest import CONFIG, HIGHEST, LOWEST
from tests.arena.test_ladder import enter, never
from tests.play.clusters import running


@pytest.mark.slow
# Dask closes the sockets of a client in the background; on a busy machine some are collected before.
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
@pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning")
def test_a_cluster_plays_the_same_rounds(tmp_path):
    pytest.importorskip("distributed", reason="the package distributed is not installed")
    (tmp_path / "demo.yaml").write_text(CONFIG)
    arena, _, _ = make_arena(tmp_path / "here", tmp_path / "demo.yaml")
    arena.invite([("Amy", "amy", "", "author"), ("Bob", "bob", "", "author")], "lecturer")
    for person, body in zip(arena.people()[:2], (HIGHEST, LOWEST), strict=True):
        enter(arena, person, body)
    arena.close()
    played(tmp_path / "here")  # the first round draws the secret of the deals
    shutil.copytree(tmp_path / "here", tmp_path / "there")
    with running(tmp_path, 2) as cluster:
        there = played(tmp_path / "there", cluster.address)
    assert played(tmp_path / "here") == there
    assert b"amy" in there["standings.csv"]


def played(folder: Path, scheduler: str = "") -> dict[str, bytes]:
    """The CSV files after one more round."""
    ladder = Ladder(folder, 1, Isolation.SANDBOX, scheduler=scheduler)
    try:
        assert ladder.step(never)
    finally:
        ladder.close()
    return {path.name: path.read_bytes() for path in (folder / RESULTS).rglob("*.csv")}


@pytest.mark.parametrize("given", ["", "tcp://127.0.0.1:1"])
def test_the_player_asks_the_cluster_that_serve_was_given(tmp_path, monkeypatch, given):
    asked = []

    class AskedLadder:
        def __init__(self, *_, scheduler):
            asked.append(scheduler)

        def close(self):
            pass

    monkeypatch.setattr("league.extensions.arena.ladder.Ladder", AskedLadder)
    monkeypatch.setattr("league.extensions.arena.serve.let_go", lambda _: True)
    monkeypatch.setattr("os.nice", lambda _: None)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    main("player", ServeOptions(str(tmp_path), scheduler=given))
    assert asked == [given]


def test_a_missing_scheduler_file_is_one_line(tmp_path):
    with pytest.raises(
        ArenaError, match=r"^There is no file .*cluster\.json\. Start the cluster first: `dask scheduler "
    ):
        refuse_unsafe(ServeOptions("", scheduler=str(tmp_path / "cluster.json")))
