"""A league that somebody else has played is played again and counted again, and whatever was changed is named."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from click.testing import CliRunner

import league as library
from league.cli import league
from league.errors import LeagueError
from league.page import page_of
from league.page.data import PAGE
from league.page.render import render
from league.results.csvs import write_csvs
from league.results.history import remember
from league.results.lock import hold
from league.results.outcomes import result_of, unpack
from league.results.schema import FILE
from league.results.standings import Standings
from league.results.store import Store
from league.setup.config import parse
from league.setup.roster import Bot
from tests.leagues import DICE, FIRST, LAST, bot, missing, play

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


def write_files(store: Store, standings: Standings) -> None:
    """Write what a run writes at its end, without games to watch."""
    write_csvs(store.folder, standings)
    (store.folder / PAGE).write_text(render(page_of(store, standings, store.settings().page)))


def played(folder: Path, bots: tuple[Bot, ...]) -> None:
    """Play a league, and write its reports."""
    with Store.create(folder) as store:
        store.begin(parse(CONFIG, folder), bots)
        for block in missing(store.coverage()):
            store.add(play(block, bots, at_fault=["eve"]))
        standings = Standings.of(store)
        remember(store, standings)
        write_files(store, standings)


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


NOTE = "whether eve is deterministic is open: it was at fault in every match"


def test_honest_league_is_good(theirs: Path) -> None:
    verified = library.verify(theirs, share=0.01, seed=1)
    assert verified.good
    assert (verified.games, verified.played, verified.not_compared, verified.notes) == (288, 101, 0, (NOTE,))
    assert verified.most == 1 - 0.05 ** (1 / 58)
    assert verified.proven == "101 of 288 games played again, all equal: with 95 % confidence at most 5.04 % differ."


def test_whole_league_leaves_nothing_open(theirs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.analysis.verify.randbits", lambda bits: bits)
    verified = library.verify(theirs, share=1, isolation="trusted")
    assert verified.seed == 32  # drawn, so that nobody can know which games it will be
    assert verified.proven == "288 of 288 games played again, all equal."
    assert verified.most == 0


def other_winner(folder: Path, *, with_tally: bool) -> None:
    """Turn the places of all games of one block around, in its tally too or only there."""
    with Store.open(folder) as store:
        result = next(iter(store.results()))
        endings = unpack(result.outcomes, 2, result.block.games)
        turned = result_of(result.block, [ending._replace(ranks=ending.ranks[::-1]) for ending in endings])
    tally = zlib.compress(msgspec.msgpack.encode(turned.tally))
    outcomes = turned.outcomes if with_tally else result.outcomes
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        row = db.execute("SELECT id FROM blocks WHERE outcomes = ?", (result.outcomes,)).fetchone()[0]
        db.execute("UPDATE blocks SET tally = ?, outcomes = ? WHERE id = ?", (tally, outcomes, row))


def test_changed_outcomes_are_found_by_playing(folder: Path) -> None:
    other_winner(folder, with_tally=True)
    with Store.open(folder) as store:
        write_files(store, Standings.of(store))  # so that all files agree with the changed outcomes
    verified = library.verify(folder, share=1, isolation="trusted")
    assert not verified.good
    assert len(verified.differing) >= 10
    assert all(address.startswith("raj-2p:ann+bob:") for address in verified.differing)
    assert "ended differently: raj-2p:ann+bob:0.0" in verified.proven


def test_changed_tally_is_named(folder: Path) -> None:
    other_winner(folder, with_tally=False)
    verified = library.verify(folder, isolation="trusted")
    assert verified.changed == ("the tally of raj-2p:ann+bob:0.0 up to deal 19 is not what its outcomes give",)
    assert not verified.differing


def cell(name: str, line: int, column: int, text: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        rows = [row.split(",") for row in (folder / name).read_text().splitlines()]
        rows[line - 1][column] = text
        (folder / name).write_text("".join(f"{','.join(row)}\n" for row in rows))

    return change


def without_a_row(folder: Path) -> None:
    lines = (folder / "head_to_head.csv").read_text().splitlines(keepends=True)
    (folder / "head_to_head.csv").write_text("".join(lines[:-1]))


def other_page(folder: Path) -> None:
    page = folder / "standings.html"
    page.write_text(page.read_text().replace('<th scope="row"><bdi>ann</bdi>', '<th scope="row"><bdi>cid</bdi>', 1))


def other_history(folder: Path) -> None:
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        entry = msgspec.msgpack.decode(zlib.decompress(db.execute("SELECT entry FROM history").fetchone()[0]))
        entry["boards"]["raj-2p"]["ann"]["rating"] += 5
        db.execute("UPDATE history SET entry = ?", (zlib.compress(msgspec.msgpack.encode(entry)),))


CHANGES = (
    (cell("standings.csv", 2, 3, "99.0000"), "standings.csv: line 2: rating is 99.0000, but the outcomes give "),
    (cell("standings-raj-2p.csv", 3, 1, "zoe"), "standings-raj-2p.csv: line 3: bot is zoe, but the outcomes give "),
    (without_a_row, "head_to_head.csv has 23 rows, but the outcomes give 24"),
    (other_page, "standings.html has other tables than the outcomes give"),
    (other_history, "the history's last entry has another rating of ann in raj-2p than the outcomes give"),
)


def test_changed_files_are_named(folder: Path) -> None:
    for change, _ in CHANGES:
        change(folder)
    result = CliRunner().invoke(league, ["verify", str(folder), "--isolation", "trusted"])
    assert result.exit_code == 1
    for _, told in CHANGES:
        assert f"Changed: {told}" in result.output
    assert result.output.count("Changed: ") == len(CHANGES)


def test_page_with_other_scripts_is_not_compared(folder: Path) -> None:
    page = folder / "standings.html"
    page.write_text(page.read_text() + "<script>alert(1)</script>")
    result = CliRunner().invoke(league, ["verify", str(folder), "--isolation", "trusted", "--json"])
    assert result.exit_code == 0
    verified = json.loads(result.output)
    assert (verified["games"], verified["differing"], verified["changed"]) == (288, [], [])
    assert verified["notes"][0].startswith("standings.html has other scripts than this version of League writes")


def test_bots_that_are_not_deterministic_are_left_out(tmp_path: Path) -> None:
    played(tmp_path / "theirs", (*BOTS[:3], bot("zed", CHANCE)))
    verified = library.verify(tmp_path / "theirs", share=1, isolation="trusted")
    assert verified.good
    assert [finding.bot for finding in verified.findings] == ["zed"]
    assert verified.played < verified.games
    assert "1 bot is not deterministic and left out: zed." in verified.proven


def test_command_prints_what_it_proves(theirs: Path) -> None:
    words = ["verify", str(theirs), "--share", "100%", "--isolation", "trusted", "--seed", "3"]
    result = CliRunner().invoke(league, words)
    assert result.exit_code == 0
    assert result.output == (
        "288 of 288 games played again, all equal.\n"
        f"Note: {NOTE}.\n"
        "Tallies, ratings and files are what the outcomes give.\n"
        "The same games are played again with --seed 3.\n"
    )


@pytest.mark.parametrize("share", ["0", "101%", "-1%", "x", "nan", "2"])
def test_share_that_is_none_is_refused(theirs: Path, share: str) -> None:
    result = CliRunner().invoke(league, ["verify", str(theirs), "--share", share])
    assert result.exit_code == 2
    assert "expected a share above 0 and up to 100%, such as 1% or 0.01" in " ".join(result.output.split())


def test_league_that_is_being_played_is_refused(folder: Path) -> None:
    hold(folder)
    with pytest.raises(LeagueError, match="is being played"):
        library.verify(folder)
