"""A results folder may come from a stranger: what is played again from it is confined, whatever it says."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

import league as library
from league.cli import league
from league.errors import LeagueError
from league.page import write_page
from league.page.live import LeagueFolder
from league.results.schema import FILE
from league.results.standings import Standings
from league.results.store import Store
from league.setup.config import load
from league.values.settings import Isolation
from tests.leagues import LAST, play_league

ADDRESS = "raj-2p:bob+spy:0.0"


@pytest.fixture(scope="module")
def stage() -> Iterator[tuple[Path, Path]]:
    """A league that was played trusted and kept no moves, and the file that its bot writes whenever it is loaded."""
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
        config = "league: gift\nbots: bots\ngames: [{game: raj, deals: 4}]\nisolation: trusted\nmoves: none\n"
        (folder / "gift.yaml").write_text(config)
        yield play_league(load(folder / "gift.yaml"), folder / "results").folder, trace


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [("replay", "DIR", ADDRESS), ("verify", "DIR"), ("replay", "DIR", ADDRESS, "--json")],
    ids=["replay", "verify", "replay --json"],
)
def test_foreign_folder_is_trusted_only_on_request(stage: tuple[Path, Path], words: tuple[str, ...]) -> None:
    folder, trace = stage
    command = [str(folder) if word == "DIR" else word for word in words]
    for more, trusted in (((), False), (("--isolation", "process"), True), (("--isolation", "trusted"), True)):
        trace.unlink(missing_ok=True)
        result = CliRunner().invoke(league, [*command, *more], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        assert trace.exists() == trusted, more


def edited(folder: Path, change: Callable[[sqlite3.Connection], object]) -> None:
    """Change a league's database as a stranger may."""
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        change(db)


def with_values(table: str, column: str, change: Callable[[Any], object]) -> Callable[[sqlite3.Connection], object]:
    """A change of the values that the rows of a table hold in MessagePack, or in JSON."""

    def apply(db: sqlite3.Connection) -> None:
        for row, written in db.execute(f"SELECT rowid, {column} FROM {table}").fetchall():
            codec = msgspec.msgpack if isinstance(written, bytes) else msgspec.json
            try:
                value = codec.decode(written)
            except msgspec.DecodeError:  # other facts of the table are plain text
                continue
            change(value)
            encoded = codec.encode(value)
            db.execute(
                f"UPDATE {table} SET {column} = ? WHERE rowid = ?",
                (encoded if isinstance(written, bytes) else encoded.decode(), row),
            )

    return apply


def with_game(game: str) -> Callable[[sqlite3.Connection], object]:
    """A change of the game that a league plays."""

    def settings(value: Any) -> None:
        for event in value.get("events", ()) if isinstance(value, dict) else ():
            event["contest"]["game"] = game

    def both(db: sqlite3.Connection) -> None:
        with_values("meta", "value", settings)(db)
        with_values("terms", "terms", lambda value: value["contest"].update(game=game))(db)

    return both


EVIL_GAME = """
from pathlib import Path
Path({trace!r}).touch()
"""


@pytest.fixture
def evil(tmp_path: Path) -> tuple[Path, Path]:
    """The file of a game that leaves a trace when it is run, and the trace."""
    trace = tmp_path / "trace"
    file = tmp_path / "evil.py"
    file.write_text(EVIL_GAME.format(trace=str(trace)))
    return file, trace


@pytest.mark.parametrize("relative", [True, False], ids=["relative", "absolute"])
def test_replay_file_cannot_name_a_file_of_rules(
    evil: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, relative: bool
) -> None:
    file, trace = evil
    monkeypatch.chdir(file.parent)
    replay = json.loads(library.match("raj", ["random", "random"]).to_json())
    replay["game"] = "./evil.py" if relative else str(file)
    Path("crafted.json").write_text(json.dumps(replay))
    result = CliRunner().invoke(league, ["replay", "crafted.json"])
    assert result.exit_code == 1
    assert isinstance(result.exception, LeagueError | SystemExit)
    assert not trace.exists()


def test_replay_file_beyond_its_limits_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    replay = json.loads(library.match("raj", ["random", "random"]).to_json())
    for change, told in (
        ({"players": 101}, "<= 100"),
        ({"game": "openspiel:efg_game(filename=/etc/passwd)"}, "Data may name no files"),
        ({"game": "openspiel:hex(board_size=100000)"}, "no large numbers"),
        ({"names": ["x" * 10_000_000, "y"]}, "expected at most 10,000,000 bytes"),
    ):
        Path("crafted.json").write_text(json.dumps(replay | change))
        result = CliRunner().invoke(league, ["replay", "crafted.json"])
        assert result.exit_code == 1
        assert isinstance(result.exception, LeagueError)
        assert told in str(result.exception)
        assert "\n" not in str(result.exception)


def test_results_cannot_name_a_file_of_rules(
    stage: tuple[Path, Path], evil: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, trace = evil
    monkeypatch.chdir(file.parent)
    for number, game in enumerate(("./evil.py", str(file))):
        folder = tmp_path / str(number)
        shutil.copytree(stage[0], folder)
        edited(folder, with_game(game))
        for words in (["replay", str(folder), ADDRESS], ["verify", str(folder)], ["standings", str(folder), "--page"]):
            CliRunner().invoke(league, words)
            assert not trace.exists(), words
        with pytest.raises(LeagueError):
            LeagueFolder(folder).game(ADDRESS)
        CliRunner().invoke(league, ["standings", str(folder)])
        assert not trace.exists()


def test_pages_do_not_trust_it(stage: tuple[Path, Path]) -> None:
    folder, trace = stage
    trace.unlink(missing_ok=True)
    assert "bob" in LeagueFolder(folder).game(ADDRESS)
    with Store.open(folder) as store:
        write_page(store, Standings.of(store))
    assert list((folder / "games").iterdir())
    assert not trace.exists()
    LeagueFolder(folder, Isolation.TRUSTED).game(ADDRESS)
    assert trace.exists()
