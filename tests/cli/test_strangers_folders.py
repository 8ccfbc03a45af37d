"""A results folder may come from a stranger: what is played again from it is confined, whatever it says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner

from league.cli import league
from league.page import write_page
from league.page.live import LeagueFolder
from league.play.run import LeagueRun
from league.results.standings import Standings
from league.results.store import Store
from tests.cli.test_match_replay import Silent
from tests.leagues import LAST

ADDRESS = "raj-2p:bob+spy:0.0"


@pytest.fixture(scope="module")
def stage() -> Iterator[tuple[Path, Path]]:
    """The folder of a league that was played trusted, and the file that its bot writes whenever it is loaded."""
    with TemporaryDirectory(prefix="league-test-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "bots").mkdir()
        trace = folder / "trace"
        spy = f"""
import os
try:
    os.close(os.open({str(trace)!r}, os.O_CREAT | os.O_WRONLY))
except OSError:
    pass
{LAST}"""
        (folder / "bots" / "spy.py").write_text(spy)
        (folder / "bots" / "bob.py").write_text(LAST)
        config = "league: gift\nbots: bots\ngames: [{game: raj, deals: 4}]\nisolation: trusted\n"
        (folder / "gift.yaml").write_text(config)
        run = LeagueRun.of(folder / "gift.yaml", folder / "results")
        run.play(1, "local", Silent(), lambda: False)
        yield run.folder, trace


@pytest.mark.parametrize(
    "words",
    [("replay", "DIR", ADDRESS), ("audit", "DIR"), ("replay", "DIR", ADDRESS, "--json")],
    ids=["replay", "audit", "replay --json"],
)
def test_commands_trust_it_only_if_they_are_told_to(stage: tuple[Path, Path], words: tuple[str, ...]) -> None:
    folder, trace = stage
    command = [str(folder) if word == "DIR" else word for word in words]
    for more, trusted in (((), False), (("--isolation", "process"), True), (("--isolation", "trusted"), True)):
        trace.unlink(missing_ok=True)
        result = CliRunner().invoke(league, [*command, *more], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        assert trace.exists() == trusted, more


def test_pages_do_not_trust_it(stage: tuple[Path, Path]) -> None:
    folder, trace = stage
    trace.unlink(missing_ok=True)
    assert "bob" in LeagueFolder(folder).game(ADDRESS)
    with Store.open(folder) as store:
        write_page(store, Standings.of(store))
    assert list((folder / "games").iterdir())
    assert not trace.exists()
    LeagueFolder(folder, "trusted").game(ADDRESS)
    assert trace.exists()
