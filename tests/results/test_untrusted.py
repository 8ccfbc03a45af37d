"""Whatever a stranger does to league.db, reading it works or ends with one clear line, soon."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest

from league.errors import LeagueError, StoreError
from league.page import write_page
from league.results import untrusted
from league.results.csvs import head_to_head
from league.results.export import frames, together
from league.results.find import find_columns
from league.results.history import read_history, remember
from league.results.lines import board
from league.results.schema import FILE
from league.results.standings import Standings
from league.results.store import Store
from league.setup.config import parse
from league.setup.roster import load
from league.values.block import Fault
from league.values.settings import SAFE_NAME, Contest
from tests.leagues import DICE, FIRST, LAST, bot, missing, play
from tests.results.mutations import BOMB, mutate
from tests.tables import each

CONFIG = """
league: gift
seed: 1
bots: bots
games:
  - {game: raj, deals: 4, games_per_match: 2}
  - {game: raj, players: 3, deals: 2}
isolation: trusted
"""


@pytest.fixture(scope="module")
def gift() -> Iterator[Path]:
    """A league with everything that a league can have: faults, a folder, remarks, a history."""
    with TemporaryDirectory(prefix="league-test-") as name:
        folder = Path(name)
        (folder / "amy").mkdir()
        (folder / "amy" / "bot.py").write_text(LAST)
        (folder / "amy" / "net.bin").write_bytes(bytes(1000))
        bots = (load(folder / "amy"), bot("bob", DICE), bot("cid", FIRST))
        with Store.create(folder / "gift") as store:
            run = store.run_started(workers=2)
            store.begin(parse(CONFIG, folder), bots, {"broken": "broken.py:1: no bot"})
            results = [play(block, store.with_files(bots)) for block in missing(store.coverage())]
            names = [entrant.name for entrant in results[0].block.series.lineup]
            address = str(results[0].block.series.address(1))
            fault = Fault(names[0], address, "error", "ValueError: \x1b[31moh", "Traceback\n  oh\n")
            store.add(msgspec.structs.replace(results[0], faults=(fault,)), *results[1:])
            store.remember_erratic({bots[1].entrant(): "looks at the clock"})
            store.run_ended(run, games=24)
            remember(store, Standings.of(store))
        yield folder / "gift"


def read_all(folder: Path) -> None:
    """Read all that a league's database holds, and make all that is made of it, except the page."""
    with Store.open(folder) as store:
        bots = store.with_files(store.bots())
        standings = Standings.of(store)
        texts = [board(standings.overall).csv(), head_to_head(standings).csv()]
        table = together(frames(find_columns(store)))
        texts += [text for name in ("address", "bot", "opponents") for text in table[name]]
        store.coverage(), store.costs(), store.runs(), store.left_out(), store.erratic(), read_history(store)
        list(store.faults()), store.game_files()
        assert all(SAFE_NAME.fullmatch(member.name) for member in bots)
        assert not any("\x1b" in text or text.startswith(("=", "@")) for text in texts)


def test_the_league_can_be_read(gift: Path) -> None:
    read_all(gift)


def outcome_of(folder: Path, read: Callable[[Path], object]) -> str:
    told = ""
    try:
        read(folder)
    except LeagueError as problem:
        told = str(problem)
    assert "\n" not in told
    assert "\x1b" not in told
    return "refused" if told else "read"


def fuzz(gift: Path, tmp_path: Path, seeds: range, read: Callable[[Path], object] = read_all) -> dict[str, int]:
    """How many of some changed databases could be read, and how many were refused. All else is an error."""
    counts = {"read": 0, "refused": 0}
    for seed in seeds:
        folder = tmp_path / str(seed)
        shutil.copytree(gift, folder)
        what = mutate(folder, Random(seed))
        try:
            counts[outcome_of(folder, read)] += 1
        except Exception as problem:
            raise AssertionError(f"seed {seed}: {what}") from problem
        shutil.rmtree(folder)
    return counts


def test_longest_texts_are_read_and_longer_ones_refused(gift: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(sqlite3.connect(gift / FILE)) as db:
        ((stored,),) = db.execute("SELECT value FROM meta WHERE key = 'settings'")
    for read, text in ((untrusted.settings, stored), (untrusted.remarks, '{"a": "b"}')):
        monkeypatch.setattr(untrusted, "LONGEST_TEXT", len(text))
        read(text)
        with pytest.raises(StoreError, match="millions"):
            read(text + " ")


@pytest.mark.slow
def test_changed_databases_are_read_or_refused_in_one_line(gift: Path, tmp_path: Path) -> None:
    counts = fuzz(gift, tmp_path, range(30))
    assert min(counts.values()) > 3


@pytest.mark.soak
def test_many_changed_databases_are_read_or_refused_in_one_line(gift: Path, tmp_path: Path) -> None:
    fuzz(gift, tmp_path, range(1000, 1300))


def changed(gift: Path, tmp_path: Path, *statements: str) -> Path:
    """A copy of the league in which these statements were executed."""
    folder = tmp_path / "changed"
    shutil.copytree(gift, folder)
    with closing(sqlite3.connect(folder / FILE)) as db:
        db.executescript(";".join(statements))
    return folder


@each(
    ("change", "fits"),
    [
        ({"players": 1, "games_per_match": 1}, True),
        ({"players": 100, "games_per_match": 1_000_000, "source": "0" * 32}, True),
        ({"players": 0}, False),
        ({"players": 101}, False),
        ({"games_per_match": 0}, False),
        ({"games_per_match": 1_000_001}, False),
        ({"source": "0" * 31}, False),
        ({"game": "../raj"}, False),
    ],
)
def test_a_contest_that_no_config_could_ask_for_is_refused(change: dict[str, Any], fits: bool) -> None:
    asked = {"game": "raj", "players": 2, "options": {}, "version": 1} | change
    with nullcontext() if fits else pytest.raises(msgspec.ValidationError, match="Expected"):
        msgspec.convert(asked, Contest)


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'k' AS key, i AS value FROM n"


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        (f"DROP TABLE meta; CREATE VIEW meta AS {ENDLESS}", "meta"),
        ("CREATE VIEW extra AS SELECT 1", "extra"),
        ("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM blocks; END", "t"),
        ("CREATE TABLE more (x)", "more"),
        ("CREATE INDEX i ON meta (length(value))", "i"),
        ("ALTER TABLE meta ADD COLUMN c TEXT AS (hex(hex(value)))", "meta"),
        ("DROP TABLE tails", "tails"),
        ("DROP INDEX faults_of_block", "faults_of_block"),
    ],
)
def test_other_tables_than_ours_are_refused(gift: Path, tmp_path: Path, statement: str, name: str) -> None:
    folder = changed(gift, tmp_path, statement)
    for opening in (Store.open, Store.create):
        with pytest.raises(StoreError, match=f"the table '{name}' is not as it was made"):
            opening(folder)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        *(
            ("faults SET " + wrong, "faults of bots at the table")
            for wrong in ("bot = 99", "deal = 99", "kind = 'odd'")
        ),
        ("blocks SET rotation = 9 WHERE id = 1", "rotations below 2"),
        ("blocks SET stop = first", "the deals of blocks"),
        ("blocks SET lineup = x'00' WHERE id = 1", "lineups of 2"),
        ('meta SET value = replace(value, \'"fill":""\', \'"fill":"../x"\') WHERE key = \'settings\'', "a name"),
    ],
)
def test_values_that_do_not_fit_together_are_refused(gift: Path, tmp_path: Path, change: str, told: str) -> None:
    folder = changed(gift, tmp_path, f"UPDATE {change}")
    with pytest.raises(StoreError, match=f"expected {told}"):
        read_all(folder)


@each("chosen", ["[[9,[0,1],[0,1]]]", "[[0,[0,9],[0,1]]]", "[[0,[0,0],[0,1]]]", "[[0,[0,1],[1,1]]]"])
def test_rounds_of_other_bots_are_refused(gift: Path, chosen: str) -> None:
    with Store.open(gift) as store, pytest.raises(StoreError, match="expected rounds of its"):
        untrusted.chosen_round(chosen, store.plan())


@pytest.mark.parametrize(
    "name", ["a/../../../../pwn_d", "=cmd|' /C calc'!A1", "\x1b[31mred", "x" * 65, "", "-x", "a b"]
)
def test_bot_of_another_name_is_refused(gift: Path, tmp_path: Path, name: str) -> None:
    folder = changed(gift, tmp_path)
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        ((row, packed),) = db.execute("SELECT id, bot FROM bots WHERE name = 'bob'").fetchall()
        packed = msgspec.msgpack.encode(msgspec.msgpack.decode(packed) | {"name": name})
        db.execute("UPDATE bots SET name = ?, bot = ? WHERE id = ?", (name, packed, row))
    with Store.open(folder) as store, pytest.raises(StoreError, match="expected a name") as raised:
        Standings.of(store)
    assert "\x1b" not in str(raised.value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        *(
            ({"files": [{"path": path, "hash": "0" * 32}]}, "a path inside a bot's folder")
            for path in ("//tmp/pwned", "../pwned", "/tmp/pwned", "a/./b", "")
        ),
        ({"files": [], "source": FIRST.encode()}, "expected the hash of the bot amy"),
        ({"made": [{"path": "A.class", "hash": "0" * 32, "content": b"evil"}]}, "found what its build made"),
    ],
)
def test_bot_that_is_not_what_was_handed_in_is_refused(
    gift: Path, tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    folder = changed(gift, tmp_path)
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        ((row, packed),) = db.execute("SELECT id, bot FROM bots WHERE name = 'amy'").fetchall()
        packed = msgspec.msgpack.encode(msgspec.msgpack.decode(packed) | change)
        db.execute("UPDATE bots SET bot = ? WHERE id = ?", (packed, row))
    with Store.open(folder) as store, pytest.raises(StoreError, match=told):
        store.bots()


@pytest.mark.parametrize(("column", "table"), [("outcomes", "blocks"), ("content", "files")])
def test_bytes_that_stand_for_gigabytes_are_refused(gift: Path, tmp_path: Path, column: str, table: str) -> None:
    folder = changed(gift, tmp_path)
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        db.execute(f"UPDATE {table} SET {column} = ?", ((b"\x11" if column == "outcomes" else b"") + BOMB,))
    with pytest.raises(StoreError, match=r"expected at most [\d,]+ packed bytes|another$|that a hash stands for"):
        read_all(folder)


@pytest.mark.slow
def test_pages_of_changed_databases_are_made_or_refused(gift: Path, tmp_path: Path) -> None:
    def write(folder: Path) -> None:
        with Store.open(folder) as store:
            write_page(store, Standings.of(store))

    fuzz(gift, tmp_path, range(5000, 5003), write)
