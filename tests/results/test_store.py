"""What was finished is kept, whole, whatever happens; what is not ours or not right is not touched."""

import fcntl
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from msgspec.structs import replace

from league.errors import StoreError
from league.games.raj import Raj
from league.page.reports import standings_now
from league.plan.coverage import Coverage
from league.plan.rounds import progress
from league.plan.schedule import ChosenLineup, plan
from league.results import schema
from league.results import store as store_module
from league.results.lock import LOCK, is_being_played, last_change
from league.results.schema import FILE, PAGE_BYTES, SCHEMA_VERSION
from league.results.standings import Standings
from league.results.store import Store
from league.results.tallies import Results
from league.setup.config import parse
from league.setup.roster import Roster, load
from league.tools.files import refuse_link, write_text
from league.tools.logs import logging_to
from league.values.block import Block, Fault
from tests.counting import bare, stored
from tests.leagues import DICE, FIRST, LAST, bot, missing, play
from tests.tables import each

BOTS = (bot("ann"), bot("bob", LAST), bot("cid", DICE))
FAULT = Fault("ann", "raj-2p:ann+bob:0.0", "error", "ValueError: oh", "Traceback\n  oh\n")


def config(deals=6, more=""):
    games = f"games: [{{game: raj, deals: {deals}}}]"
    return parse(f"league: t\nseed: 1\nbots: bots\n{games}\nisolation: trusted\n{more}", Path())


def begin(store, bots=BOTS, deals=6, **choice):
    """Write down what the league is; returns what is missing of it, in small blocks."""
    store.begin(config(deals), bots, **choice)
    return missing(store.coverage())


def results_of(blocks, bots=BOTS):
    """Without moves and costs, which are read apart."""
    return [bare(play(block, bots)) for block in blocks]


def names_of(result):
    return [entrant.name for entrant in result.block.series.lineup]


def games_of(store):
    """Played and planned."""
    reached = progress(store.coverage())
    return reached.played, reached.total


def counting(folder):
    """The results that count, as bytes."""
    with Store.open(folder) as store:
        return [msgspec.json.encode(result) for result in stored(store)]


@pytest.fixture(scope="module")
def results():
    """Every block of the league, played."""
    return results_of(missing(Coverage(plan(config(), Roster(BOTS)))))


@pytest.fixture
def store(tmp_path):
    """Nothing was played yet."""
    with Store.create(tmp_path / "t") as store:
        begin(store)
        yield store


@pytest.fixture
def folder(tmp_path, results):
    """A finished league."""
    with Store.create(tmp_path / "t") as store:
        begin(store)
        store.add(*results)
    return tmp_path / "t"


class TestKeeping:
    def test_everything_comes_back_in_canonical_order(self, tmp_path, results):
        for name, order in (("a", results), ("b", results[::-1])):
            with Store.create(tmp_path / name) as store:
                begin(store)
                store.add(*order)
                assert stored(store) == results
                assert begin(store) == []
        assert counting(tmp_path / "a") == counting(tmp_path / "b")

    def test_a_block_that_is_added_twice_counts_once(self, folder, results):
        before = counting(folder)
        with Store.create(folder) as store:
            store.add(msgspec.structs.replace(results[0], faults=(FAULT,)))
            assert list(store.faults()) == []
        assert counting(folder) == before

    def test_faults_come_back_one_by_one(self, store, tmp_path, results):
        other = msgspec.structs.replace(FAULT, bot="bob", tail="")
        turned = msgspec.structs.replace(other, address="raj-2p:ann+bob:0.1")
        store.add(msgspec.structs.replace(results[1], faults=(turned,)))
        store.add(msgspec.structs.replace(results[0], faults=(FAULT, other, FAULT)))
        with Store.open(tmp_path / "t") as store:
            assert list(store.faults()) == [FAULT, other, FAULT, turned]
            assert list(store.faults("bob")) == [other, turned]

    def test_sources_settings_and_runs_are_kept(self, folder):
        with Store.create(folder) as store:
            run = store.run_started(workers=3)
            store.run_ended(run, games=7)
            store.add(*[play(block, BOTS) for block in begin(store, deals=8)])
            begin(store)
        with Store.open(folder) as store:
            assert store.bots() == tuple(BOTS)
            assert store.settings() == config()
            assert {entrant for _, entrant, _ in store.costs()} == {one.entrant() for one in BOTS}
            assert [(run.games, run.workers) for run in store.runs()] == [(7, 3)]


class TestFiles:
    """The files of bots that are folders."""

    @pytest.fixture
    def amy(self, tmp_path):
        (tmp_path / "amy").mkdir()
        (tmp_path / "amy" / "bot.py").write_text(FIRST)
        (tmp_path / "amy" / "net.bin").write_bytes(bytes(100_000))
        return load(tmp_path / "amy")

    def test_come_back_with_their_content_for_those_who_play(self, tmp_path, amy):
        with Store.create(tmp_path / "t") as store:
            begin(store, (amy, BOTS[0]))
        with Store.open(tmp_path / "t") as store:
            listed, ann = store.bots()
            assert [file.content for file in listed.files] == [b"", b""]
            assert store.with_files([listed, ann]) == (amy, BOTS[0])

    def test_every_content_is_kept_once(self, tmp_path, amy):
        (amy.path / "bot.py").write_text(LAST)
        edited = load(amy.path)
        twin = msgspec.structs.replace(amy, name="eve")
        with Store.create(tmp_path / "t") as store:
            begin(store, (amy, twin))
            begin(store, (edited, twin))
        with closing(sqlite3.connect(tmp_path / "t" / FILE)) as db:
            assert db.execute("SELECT count(*) FROM files").fetchone() == (3,)
            assert db.execute("SELECT sum(length(content)) FROM files").fetchone()[0] < 2000
            assert db.execute("SELECT max(length(bot)) FROM bots").fetchone()[0] < 2000


class TestSuperseded:
    def test_an_edited_bot_plays_its_lineups_again_and_putting_it_back_takes_the_old_results(self, folder):
        before = counting(folder)
        edited = (bot("ann", "# new\n" + FIRST), *BOTS[1:])
        with Store.create(folder) as store:
            left = begin(store, edited)
            assert {"ann" in [one.name for one in block.series.lineup] for block in left} == {True}
            assert len(left) == 4
        assert len(counting(folder)) == 2
        with Store.create(folder) as store:
            store.add(*results_of(left, edited))
            assert begin(store, edited) == []
            assert store.bots() == tuple(edited)
        assert len(counting(folder)) == len(before)
        with Store.create(folder) as store:
            assert begin(store) == []
        assert counting(folder) == before

    def test_who_left_the_league_does_not_count(self, folder):
        with Store.create(folder) as store:
            begin(store, BOTS[:2])
            assert {one.name for result in stored(store) for one in result.block.series.lineup} == {"ann", "bob"}
            assert [one.name for one in store.bots()] == ["ann", "bob"]

    def test_fewer_deals_are_cut_from_what_is_there_and_more_again_play_nothing(self, folder, tmp_path):
        before = counting(folder)
        with Store.create(folder) as store:
            assert begin(store, deals=4) == []
            assert games_of(store) == (24, 24)
        with Store.create(tmp_path / "asked for 4 only") as store:
            store.add(*results_of(begin(store, deals=4)))
        assert counting(folder) == counting(tmp_path / "asked for 4 only")
        with Store.create(folder) as store:
            assert begin(store, deals=6) == []
        assert counting(folder) == before

    def test_faults_beyond_the_deals_asked_for_do_not_count(self, store, results):
        faults = [msgspec.structs.replace(FAULT, address=f"raj-2p:ann+bob:{deal}.0") for deal in range(6)]
        store.add(msgspec.structs.replace(results[0], faults=tuple(faults)))
        begin(store, deals=4)
        assert list(store.faults()) == faults[:4]
        begin(store)
        assert list(store.faults()) == faults

    @each("span", [(0, 2), (1, 3), (4, 7), (2, 5), (2, 4), (3, 4)])
    def test_a_block_that_overlaps_another_is_refused(self, store, results, span):
        series = results[0].block.series
        store.add(*results_of([Block(series, 1, 3), Block(series, 4, 6)]))
        before = stored(store)
        store.add(*results_of([Block(series, *span)]))
        assert (stored(store) == before) == (span != (3, 4))
        assert games_of(store) == (4 + (span == (3, 4)), 36)


class TestChosenRounds:
    def test_only_chosen_lineups_and_deals_count_and_rounds_come_back(self, tmp_path):
        with Store.create(tmp_path / "t") as store:
            begin(store, chosen_rounds=True)
            store.record_round([ChosenLineup(0, (0, 2), (2, 4))])
            store.record_round([ChosenLineup(0, (1, 0), (0, 1)), ChosenLineup(0, (0, 2), (4, 5))])
            left = missing(store.coverage())
            assert {(tuple(one.name for one in block.series.lineup), block.first, block.stop) for block in left} == {
                (("ann", "cid"), 2, 5),
                (("bob", "ann"), 0, 1),
            }
            store.add(*results_of(left))
            assert missing(store.coverage()) == []
        with Store.open(tmp_path / "t") as store:
            assert [len(one) for one in store.plan().chosen] == [1, 2]
            assert sum(result.block.games for result in stored(store)) == 2 * (3 + 1)

    def test_other_bots_begin_again_and_the_same_bots_find_their_rounds_again(self, tmp_path):
        with Store.create(tmp_path / "t") as store:
            begin(store, chosen_rounds=True)
            store.record_round([ChosenLineup(0, (0, 2), (0, 2))])
            begin(store, BOTS[:2], chosen_rounds=True)
            assert store.plan().chosen == ()
            assert store.plan().games == 0
            begin(store, chosen_rounds=True)
            assert len(store.plan().chosen) == 1


class TestLive:
    def test_readers_see_the_standings_of_the_moment(self, tmp_path, results):
        with Store.create(tmp_path / "t") as writer, Store.open(tmp_path / "t") as reader:
            begin(writer)
            for result in results:
                writer.add(result)
                now = standings_now(reader)
                assert now.overall == Standings.of(writer).overall
                assert now.notices == Standings.of(writer).notices

    def test_coverage_follows_new_rounds_if_everything_counts(self, tmp_path):
        with Store.create(tmp_path / "t") as store:
            begin(store, chosen_rounds=True)
            coverage = store.coverage()
            for deals in ((0, 2), (2, 5)):
                store.record_round([ChosenLineup(0, (0, 2), deals)])
                assert coverage.follow(store.plan())
                store.add(*results_of(missing(store.coverage())))
                for rotation in range(2):
                    coverage.add(0, store.plan().chosen[-1][0].rank, rotation, deals)
                assert Results.read(store).games == 2 * deals[1] == coverage.games_played == store.games_stored()

    def test_a_new_round_may_have_what_was_played_long_ago(self, store):
        store.add(*results_of(missing(store.coverage())))
        begin(store, chosen_rounds=True)
        coverage = store.coverage()
        for number, lineup in enumerate([(0, 2), (1, 0)], 1):
            assert Results.read(store).games == 2 * 2 * (number - 1)
            store.record_round([ChosenLineup(0, lineup, (0, 2))])
        assert not coverage.follow(store.plan()), "with a lineup in another order, lineups have other numbers"


class TestMishaps:
    def test_a_block_is_there_whole_or_not_at_all(self, store, results):
        half = msgspec.structs.replace(FAULT, kind=None)
        with pytest.raises(StoreError):
            store.add(msgspec.structs.replace(results[0], faults=(FAULT, half)))
        assert store.coverage().games(0) == 0
        store.add(results[0])
        assert stored(store) == results[:1]

    def test_sqlite_errors_become_one_line_by_their_primary_code(self, tmp_path):
        def line(code):
            problem = sqlite3.OperationalError("oh")
            if code is not None:
                problem.sqlite_errorcode = code
            with pytest.raises(StoreError) as error, schema.explained(tmp_path / "league.db"):
                raise problem
            return str(error.value)

        assert "is locked by another program" in line(sqlite3.SQLITE_BUSY_SNAPSHOT)
        assert "is damaged (oh)" in line(sqlite3.SQLITE_CORRUPT_INDEX)
        assert "cannot be used: oh. All finished blocks are safe" in line(None)

    def test_a_full_disk_is_reported_and_costs_nothing_that_was_finished(self, tmp_path, results):
        bulky = [
            msgspec.structs.replace(result, faults=(replace(FAULT, bot=names_of(result)[0], tail=f"{at}" * 20_000),))
            for at, result in enumerate(results)
        ]
        with Store.create(tmp_path / "t") as store:
            begin(store)
            pages = store._db.execute("PRAGMA page_count").fetchone()[0]
            store._db.execute(f"PRAGMA max_page_count = {pages + 5}")
            with pytest.raises(StoreError) as told:
                list(map(store.add, bulky))
            assert "is full: league.db cannot grow. All finished blocks are safe; make room and run" in str(told.value)
            kept = stored(store)
            assert 0 < len(kept) < len(results)
        with Store.create(tmp_path / "t") as store:
            assert stored(store) == kept
            left = begin(store)
            assert {result.block.id for result in kept} | {block.id for block in left} == {
                result.block.id for result in results
            }
            store.add(*bulky)
        assert len(counting(tmp_path / "t")) == len(results)

    def test_reading_while_playing_sees_what_is_finished(self, tmp_path, results, monkeypatch):
        monkeypatch.setattr(store_module, "AT_ONCE", 1)
        with Store.create(tmp_path / "t") as writer:
            begin(writer)
            with Store.open(tmp_path / "t") as reader:
                assert stored(reader) == []
                writer.add(results[0])
                writer.add(results[1])
                under_way = reader.games()
                assert next(under_way).size == results[0].block.games
                writer.add(results[2])
                assert sum(part.size for part in under_way) == results[1].block.games, "one reading sees one moment"
                assert stored(reader) == results[:3]

    def test_a_reader_cannot_write(self, folder, results):
        with Store.open(folder) as store, pytest.raises(StoreError, match="readonly"):
            store.run_started(1)


def refusal(folder, opening):
    """The line with which a folder is refused; nothing in its database may have changed."""
    before = (folder / FILE).read_bytes()
    with pytest.raises(StoreError) as told:
        opening(folder).close()
    assert (folder / FILE).read_bytes() == before
    line = str(told.value)
    assert "\n" not in line
    return line


class TestUpgrades:
    def test_an_option_that_a_later_version_adds_does_not_play_a_league_again(self, folder, monkeypatch):
        class LaterOptions(Raj.options_type, frozen=True):
            rounds: int = 15

        before = counting(folder)
        monkeypatch.setattr(Raj, "options_type", LaterOptions)
        with Store.create(folder) as store:
            assert begin(store) == []
        assert counting(folder) == before

    def test_a_value_that_only_a_later_version_knows_is_reported(self, folder):
        with closing(sqlite3.connect(folder / FILE)) as db, db:
            db.execute("UPDATE meta SET value = json_set(value, '$.limits.cores', 2) WHERE key = 'settings'")
            ((id_, packed),) = db.execute("SELECT id, terms FROM terms LIMIT 1").fetchall()
            later = msgspec.json.decode(packed)
            later.setdefault("limits", {})["cores"] = 2
            db.execute("UPDATE terms SET terms = ? WHERE id = ?", (msgspec.json.encode(later).decode(), id_))
        with Store.open(folder) as store:
            for read in (store.settings, store.plan, lambda: stored(store)):
                with pytest.raises(StoreError, match=r"what this version of League does not know .*`cores`"):
                    read()


@pytest.mark.parametrize("opening", [Store.open, Store.create])
class TestRefusing:
    @pytest.mark.parametrize("version", [0, SCHEMA_VERSION + 1])
    def test_another_schema_version(self, folder, opening, version):
        with closing(sqlite3.connect(folder / FILE)) as db:
            db.execute(f"PRAGMA user_version = {version}")
        schemas = f"(schema {version}, expected {SCHEMA_VERSION}). Nothing was changed"
        assert f" was written by another version of League {schemas}; use that version, or" in refusal(folder, opening)

    def test_a_database_of_another_program(self, tmp_path, opening):
        with closing(sqlite3.connect(tmp_path / FILE)) as db:
            db.execute("CREATE TABLE recipes (name TEXT)")
        assert "is not a league's database. Nothing was changed" in refusal(tmp_path, opening)

    @pytest.mark.parametrize("content", [b"my notes\n" * 300, b"SQLite format 3\0" + b"\xff" * 5000])
    def test_a_file_that_is_no_database(self, tmp_path, opening, content):
        (tmp_path / FILE).write_bytes(content)
        assert "is damaged" in refusal(tmp_path, opening)

    @pytest.mark.parametrize("page", range(1, 8))
    def test_a_damaged_database(self, folder, opening, page):
        with (folder / FILE).open("r+b") as file:
            file.seek(page * PAGE_BYTES)
            file.write(b"\xa5" * PAGE_BYTES)
        assert "is damaged" in refusal(folder, opening)

    def test_a_database_that_was_cut_off(self, folder, opening):
        os.truncate(folder / FILE, 4096 * 3)
        assert "is damaged" in refusal(folder, opening)


class TestSharing:
    def test_a_locked_database_is_reported(self, folder, monkeypatch):
        monkeypatch.setattr(schema, "BUSY_SECONDS", 0)
        with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with Store.create(folder) as store, pytest.raises(StoreError, match="is locked by another program"):
                begin(store)
            other.execute("ROLLBACK")
        with Store.create(folder) as store:
            assert begin(store) == []

    def test_a_second_run_is_reported_who_plays(self, folder):
        host = os.uname().nodename
        with Store.create(folder), pytest.raises(StoreError) as told:
            Store.create(folder)
        assert f"is being played by process {os.getpid()} on {host}. Wait for it, or play" in str(told.value)
        Store.create(folder).close()

    def test_whoever_was_killed_holds_nothing(self, folder):
        code = (
            "import sys, time\nfrom pathlib import Path\nfrom league.results.store import Store\n"
            "store = Store.create(Path(sys.argv[1]))\nprint('holding', flush=True)\ntime.sleep(600)"
        )
        with subprocess.Popen([sys.executable, "-c", code, folder], stdout=subprocess.PIPE, text=True) as holder:
            assert holder.stdout.readline() == "holding\n"
            with pytest.raises(StoreError, match=f"is being played by process {holder.pid} "):
                Store.create(folder)
            assert is_being_played(folder)
            holder.kill()
        assert not is_being_played(folder)
        Store.create(folder).close()

    def test_whoever_looks_does_not_keep_a_run_from_starting(self, folder, monkeypatch):
        Store.create(folder).close()
        looking = os.open(folder / LOCK, os.O_RDONLY)
        fcntl.flock(looking, fcntl.LOCK_SH)
        monkeypatch.setattr("league.results.lock.sleep", lambda _: os.close(looking))
        Store.create(folder).close()

    def test_a_folder_in_which_nobody_played_is_not_being_played(self, tmp_path):
        assert not is_being_played(tmp_path)
        assert last_change(tmp_path) == 0

    def test_results_change_when_something_is_written_and_not_when_it_is_read(self, folder):
        with Store.create(folder) as store:
            begin(store)
        os.utime(folder / FILE, (1, 1))
        with Store.open(folder) as reading:
            reading.plan()
            assert last_change(folder) == 1
        with Store.create(folder) as store:
            store.run_started(1)
            assert last_change(folder) > 1

    def test_no_results_yet_is_reported_with_what_there_is(self, folder):
        with pytest.raises(StoreError) as told:
            Store.open(folder.parent / "tt")
        assert str(told.value).endswith(f"(expected a file league.db). Leagues near it: {folder}.")

    def test_a_path_that_cannot_be_looked_at_is_no_league(self, tmp_path):
        with pytest.raises(StoreError, match="There are no results in"):
            Store.open(tmp_path / ("x" * 300) / "y")  # too long a name; a folder that is closed to us comes out alike

    def test_a_folder_that_cannot_be_made_is_reported(self, tmp_path):
        (tmp_path / "file").touch()
        with pytest.raises(StoreError, match=r"cannot be written: Not a directory\."):
            Store.create(tmp_path / "file" / "t")


def test_blocks_with_equal_ids_hold_the_same():
    """An id is a hash of all that decides the content, and of nothing else."""
    blocks = missing(Coverage(plan(config(), Roster(BOTS))))
    assert len({block.id for block in blocks}) == len(blocks)
    again = msgspec.msgpack.decode(msgspec.msgpack.encode(blocks[0]), type=Block)
    assert again.id == blocks[0].id


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_folder_that_vanishes_is_noticed_at_once(tmp_path, how):
    with Store.create(tmp_path / "here") as store:
        first, second, *_ = results_of(begin(store))
        store.add(first)
        (tmp_path / "here").rename(tmp_path / "there")
        if how == "replaced":
            Store.create(tmp_path / "here").close()
        with pytest.raises(StoreError, match=r"here/league\.db has vanished while the league was being played"):
            store.add(second)
    with Store.open(tmp_path / "there") as store:
        assert len(stored(store)) == 1


def test_a_lone_database_in_a_folder_that_cannot_be_written_can_be_read():
    """As on a memory stick, or in the folder of a colleague."""
    with TemporaryDirectory(prefix="league-test-") as name:
        folder = Path(name)
        with Store.create(folder) as store:
            store.add(*results_of(begin(store)))
        (folder / LOCK).unlink()
        assert [path.name for path in folder.iterdir()] == [FILE]
        (folder / FILE).chmod(0o644)  # as its owner has to decide: it holds the secret of the league
        folder.chmod(0o555)
        reader = os.fork()
        if reader == 0:
            code = 1
            try:
                if os.geteuid() == 0:
                    os.setgid(65534)
                    os.setuid(65534)
                with Store.open(folder) as store:
                    code = 0 if len(stored(store)) == store.plan().fixtures[0].series_count else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(reader, 0)[1]) == 0
        folder.chmod(0o755)


class TestCreating:
    @pytest.mark.slow
    @pytest.mark.parametrize("call", [2, 4, 6, 9, 12])
    def test_kill_while_the_database_is_made_leaves_a_folder_that_can_be_played(self, tmp_path, call):
        """It dies before its n-th step: opening, a statement, making the file durable, or giving it its name."""
        script = f"""
import os, signal, sqlite3, sys
left = {call}
def step(event, arguments):
    global left
    if event in ("os.rename", "os.remove", "sqlite3.connect") or event == "open" and "league.db" in str(arguments[0]):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(step)
class Connection(sqlite3.Connection):
    def execute(self, *arguments):
        step("os.rename", ())
        return super().execute(*arguments)
    def executescript(self, text):
        for statement in text.split(";"):
            self.execute(statement)
connect = sqlite3.connect
sqlite3.connect = lambda *arguments, **options: connect(*arguments, factory=Connection, **options)
from functools import partial
from pathlib import Path
from league.results.store import Store
Store.create(Path({str(tmp_path / "t")!r}))
"""
        subprocess.run([sys.executable, "-c", script], check=False)
        if (tmp_path / "t" / FILE).exists():
            Store.open(tmp_path / "t").close()  # as a run does first
        with Store.create(tmp_path / "t") as store:
            assert len(begin(store)) == 6
        assert sorted(path.name for path in (tmp_path / "t").iterdir()) == [FILE, LOCK]

    def test_disk_that_is_full_at_that_moment_leaves_nothing_in_the_way(self, tmp_path, monkeypatch):
        def connect_on_a_small_disk(path, **options):
            connection = connect(path, **options)
            connection.execute("PRAGMA max_page_count = 2")
            return connection

        connect = sqlite3.connect
        with monkeypatch.context() as patch:
            patch.setattr(schema.sqlite3, "connect", connect_on_a_small_disk)
            with pytest.raises(StoreError, match="is full"):
                Store.create(tmp_path)
        assert not (tmp_path / FILE).exists()
        with Store.create(tmp_path) as store:
            assert len(begin(store)) == 6

    def test_only_its_owner_reads_it(self, tmp_path, results):
        with Store.create(tmp_path) as store:
            begin(store)
            store.add(results[0])
            modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
        assert {modes[f"{FILE}{ending}"] for ending in ("", "-wal", "-shm")} == {0o600}

    def test_database_that_others_could_read_becomes_its_owners(self, folder):
        (folder / FILE).chmod(0o644)
        Store.create(folder).close()
        assert (folder / FILE).stat().st_mode & 0o777 == 0o600


class TestLinks:
    """A stranger's folder may have links where files are written."""

    def test_lock_that_is_a_link_is_not_followed(self, folder, tmp_path):
        victim = tmp_path / "victim"
        victim.write_text("precious")
        (folder / LOCK).unlink()
        (folder / LOCK).symlink_to(victim)
        with pytest.raises(StoreError, match="cannot be written"):
            Store.create(folder)
        assert victim.read_text() == "precious"

    def test_lock_that_is_a_pipe_does_not_block(self, folder):
        (folder / LOCK).unlink()
        os.mkfifo(folder / LOCK)
        assert not is_being_played(folder)

    def test_draft_that_is_a_link_is_not_followed(self, tmp_path):
        victim = tmp_path / "victim"
        victim.write_text("precious")
        (tmp_path / f".standings.csv.{os.getpid()}.tmp").symlink_to(victim)
        write_text(tmp_path / "standings.csv", "new")
        assert (tmp_path / "standings.csv").read_text() == "new"
        assert victim.read_text() == "precious"

    def test_folder_or_log_that_is_a_link_is_refused(self, tmp_path):
        (tmp_path / "games").symlink_to(tmp_path)
        (tmp_path / "league.log").symlink_to(tmp_path / "victim")
        with pytest.raises(StoreError, match="games is a link"):
            refuse_link(tmp_path / "games")
        with pytest.raises(StoreError, match=r"league\.log is a link"), logging_to(tmp_path / "league.log"):
            pass
        assert not (tmp_path / "victim").exists()
