"""A league that somebody else has played is played again and counted again, and whatever was changed is named."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from click.testing import CliRunner

import league as library
from league.analysis.audit import audit
from league.analysis.verify import _differing
from league.cli import league
from league.errors import LeagueError, UnavailableError
from league.results.csvs import write_csvs
from league.results.games import games_of
from league.results.lock import hold
from league.results.outcomes import Ending, result_of
from league.results.schema import FILE
from league.results.standings import Standings
from league.results.store import Store
from league.setup.config import parse
from league.setup.roster import Bot
from league.values.block import Block, BlockResult, Fault, FaultKind, Unavailable
from league.values.settings import Isolation
from tests.counting import endings_of, stored
from tests.leagues import DICE, FIRST, LAST, bot, missing, play, series
from tests.tables import each

CONFIG = """
league: theirs
seed: 1
bots: bots
games:
  - {game: raj, deals: 20, games_per_match: 2}
  - {game: raj, players: 3, deals: 4}
"""
CHANCE = """
import os

class Bot:
    def choose(self, view):
        return view.legal[os.urandom(1)[0] % len(view.legal)]
"""
FAILING = """
class Bot:
    def choose(self, view):
        if len(view.legal) == 9:
            raise ValueError("oh")
        return view.legal[0]
"""
BOTS = (bot("ann", FIRST), bot("bob", DICE), bot("cid", LAST), bot("eve", FAILING))


def played(folder: Path, bots: tuple[Bot, ...]) -> None:
    """Play a league, and write its reports."""
    with Store.create(folder) as store:
        store.begin(parse(CONFIG, folder), bots)
        for block in missing(store.coverage()):
            store.add(play(block, bots, at_fault=["eve"]))
        write_csvs(folder, Standings.of(store))


@pytest.fixture(scope="module")
def theirs() -> Iterator[Path]:
    with TemporaryDirectory(prefix="league-test-") as name:
        played(Path(name) / "theirs", BOTS)
        yield Path(name) / "theirs"


@pytest.fixture
def folder(theirs: Path, tmp_path: Path) -> Path:
    """A copy of the league, to be changed."""
    shutil.copytree(theirs, tmp_path / "theirs")
    return tmp_path / "theirs"


NOTE = "whether eve is deterministic is unknown: it was at fault in every match"


def test_honest_league_is_good(theirs: Path) -> None:
    verified = library.verify(theirs, share=0.01, seed=1)
    assert verified.good
    assert (verified.games, verified.played, verified.not_compared, verified.notes) == (288, 171, 0, (NOTE,))
    assert verified.most == 1 - 0.05 ** (1 / 100)
    assert verified.proven == "171 of 288 games played again, all equal: with 95 % confidence at most 2.96 % differ."


def test_whole_league_leaves_nothing_open(theirs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.analysis.verify.randbits", lambda bits: bits)
    verified = library.verify(theirs, share=1, isolation="trusted")
    assert verified.seed == 32  # drawn, so that nobody can know which games it will be
    assert verified.proven == "288 of 288 games played again, all equal."
    assert verified.most == 0


def other_winner(folder: Path) -> None:
    """Turn the places of all games of one block around."""
    with Store.open(folder) as store:
        result = stored(store)[0]
    turned = result_of(result.block, [ending._replace(ranks=ending.ranks[::-1]) for ending in endings_of(result)])
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        db.execute("UPDATE blocks SET outcomes = ? WHERE outcomes = ?", (turned.outcomes, result.outcomes))


def test_changed_outcomes_are_found_by_playing(folder: Path) -> None:
    other_winner(folder)
    with Store.open(folder) as store:
        write_csvs(folder, Standings.of(store))  # so that all files agree with the changed outcomes
    verified = library.verify(folder, share=1, isolation="trusted")
    assert not verified.good
    assert len(verified.differing) >= 10
    assert all(address.startswith("raj-2p:ann+bob:") for address in verified.differing)
    assert "ended differently: raj-2p:ann+bob:0.0" in verified.proven


def test_changed_files_are_named(folder: Path) -> None:
    standings, pairs, contest = (folder / f"{name}.csv" for name in ("standings", "head_to_head", "standings-raj-2p"))
    standings.write_text(standings.read_text().replace("ann", "zoe", 1))
    pairs.write_text("".join(pairs.read_text().splitlines(keepends=True)[:-1]))
    contest.write_bytes(contest.read_bytes().replace(b"\n", b"\r\n"))
    result = CliRunner().invoke(league, ["verify", str(folder), "--isolation", "trusted"])
    assert result.exit_code == 1
    assert re.findall(r"Changed: (\S+): line (\d+) is not what the outcomes give\.", result.output) == [
        *(("standings.csv", "2"), ("standings-raj-2p.csv", "1"), ("head_to_head.csv", "25")),
    ]


def test_a_file_that_is_not_there_is_noted(folder: Path) -> None:
    (folder / "standings.csv").unlink()
    result = CliRunner().invoke(league, ["verify", str(folder), "--isolation", "trusted", "--json"])
    assert result.exit_code == 0
    verified = json.loads(result.output)
    assert (verified["games"], verified["differing"], verified["changed"]) == (288, [], [])
    assert verified["notes"][0] == "standings.csv is not there"


def test_bots_that_are_not_deterministic_are_left_out(tmp_path: Path) -> None:
    played(tmp_path / "theirs", (*BOTS[:3], bot("zed", CHANCE)))
    verified = library.verify(tmp_path / "theirs", share=1, isolation="trusted")
    assert verified.good
    assert [finding.bot for finding in verified.findings] == ["zed"]
    assert verified.played < verified.games
    assert "1 bot is not deterministic and left out: zed." in verified.proven


def test_an_audit_goes_on_until_its_time_is_over(theirs: Path) -> None:
    with Store.open(theirs) as store:
        whole, in_time, at_once = (audit(store, seconds, isolation=Isolation.TRUSTED) for seconds in (None, 600.0, 0.0))
    assert whole.matches == in_time.matches > at_once.matches


def test_league_that_is_being_played_is_refused(folder: Path) -> None:
    hold(folder)
    with pytest.raises(LeagueError, match="is being played"):
        library.verify(folder)


SERIES = series([bot("ann"), bot("bob")])
STORED = [Ending((0, 1), (9, 3)), Ending((1, 0), (2, 8))]
OTHER = [Ending((1, 0), (3, 9)), Ending((1, 0), (2, 8))]
THIRD = [Ending((0, 0), (5, 5)), Ending((1, 0), (2, 8))]
BLOCK = Block(SERIES, 0, 2)
FIRST_GAME = str(SERIES.address(0))


def ended(endings: list[Ending], kind: FaultKind | None = None) -> BlockResult:
    """A block that ended so, with a fault of this kind in its first game."""
    faults = () if kind is None else (Fault("ann", FIRST_GAME, kind, "no"),)
    return msgspec.structs.replace(result_of(BLOCK, endings), faults=faults)


class Scripted:
    """A worker whose blocks end as the test says."""

    def __init__(self, *results: BlockResult | None) -> None:
        self._results = iter(results)

    def play(self, block: Block) -> BlockResult:
        if (result := next(self._results)) is None:
            raise UnavailableError("ann", "away")
        return result


SAME, CHANGED, BY_MACHINE = ended(STORED), ended(OTHER), ended(OTHER, "timeout")
AWAY = Unavailable(BLOCK, "ann", "away")


@each(
    ("result", "alone", "of_machine", "differing"),
    [
        (SAME, (), frozenset(), []),
        (AWAY, (), frozenset(), None),
        (CHANGED, (CHANGED, CHANGED), frozenset(), [FIRST_GAME]),
        (CHANGED, (CHANGED, CHANGED), frozenset({FIRST_GAME}), None),
        (CHANGED, (CHANGED, CHANGED), frozenset({"another"}), [FIRST_GAME]),
        (CHANGED, (CHANGED, ended(THIRD)), frozenset(), None),
        (CHANGED, (SAME, SAME), frozenset(), None),
        (CHANGED, (CHANGED, None), frozenset(), None),
        (BY_MACHINE, (BY_MACHINE, BY_MACHINE), frozenset(), None),
        (BY_MACHINE, (CHANGED, CHANGED), frozenset(), None),
        (CHANGED, (CHANGED, BY_MACHINE), frozenset(), None),
        (ended(STORED, "error"), (ended(STORED, "error"),) * 2, frozenset(), [FIRST_GAME]),
    ],
)
def test_what_depends_on_the_machine_or_on_chance_is_no_difference(
    result: BlockResult | Unavailable,
    alone: tuple[BlockResult | None, ...],
    of_machine: frozenset[str],
    differing: list[str] | None,
) -> None:
    match = [games_of(SAME).game(row) for row in range(2)]
    assert _differing(Scripted(*alone), match, result, of_machine) == differing  # type: ignore[arg-type]
