"""What `arena.db` promises: receipts, turns, deadlines, and who may write what."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, nullcontext
from pathlib import Path
from threading import Thread

import pytest

from league.errors import ArenaError
from league.extensions.arena.database import FILE, WRITES, RefusedError
from league.extensions.arena.records import Participant, Submission
from league.extensions.arena.store import ArenaStore
from tests.tables import each

NOON = 1_800_000_000.0


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def folder(tmp_path) -> Path:
    ArenaStore.create(tmp_path, {"name": "demo", "receipt_key": "ab" * 32}).close()
    return tmp_path


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(folder, clock):
    with ArenaStore.open(folder, clock=clock) as arena:
        yield arena


def invited(store: ArenaStore, alias: str, team: str = "") -> Participant:
    return store.invite([(alias.capitalize(), alias, team, "author")], "lecturer")[0][0]


@pytest.fixture
def amy(store) -> Participant:
    return invited(store, "amy")


@pytest.fixture
def bob(store) -> Participant:
    return invited(store, "bob")


def now(store: ArenaStore, person: Participant) -> Participant:
    """A person as they are in the database now."""
    return store.person_called(person.alias)


def check(store: ArenaStore, submission: Submission, *, passed: bool = True, ended: float = NOON) -> None:
    with ArenaStore.open(store.folder, "checker", lambda: ended) as checker:
        checker.checked(submission, "a line", passed=passed)


def passed(store: ArenaStore, person: Participant, body: bytes) -> Submission:
    store.hand_in(person, "bot.py", body)
    check(store, store.submissions(person.bot)[0])
    return store.submissions(person.bot)[0]


class TestReceipts:
    def test_another_body_gives_another_receipt(self, store, amy):
        first, second = store.hand_in(amy, "bot.py", b"one"), store.hand_in(amy, "bot.py", b"two")
        assert (first.number, second.number) == (1, 2)
        assert first.hash != second.hash

    def test_the_body_is_kept_as_it_came(self, store, amy):
        store.hand_in(amy, "bot.py", b"\x00\xff")
        assert store.content(store.submissions("amy")[0]) == b"\x00\xff"

    def test_a_receipt_survives_a_kill_right_after_it(self, store, amy):
        code = (
            "import os, signal, sys\nfrom pathlib import Path\nfrom league.extensions.arena.store import ArenaStore\n"
            "arena = ArenaStore.open(Path(sys.argv[1]))\n"
            "receipt = arena.hand_in(arena.person_called('amy'), 'bot.py', b'one' * 100_000)\n"
            "os.write(1, receipt.hash.encode())\nos.kill(os.getpid(), signal.SIGKILL)\n"
        )
        ended = subprocess.run([sys.executable, "-c", code, str(store.folder)], capture_output=True, check=False)
        assert ended.returncode == -signal.SIGKILL
        [submission] = store.submissions("amy")
        assert submission.hash == ended.stdout.decode()
        assert store.content(submission) == b"one" * 100_000

    def test_two_connections_that_write_at_once_lose_nothing(self, store, amy, bob):
        store.change_rules("lecturer", per_hour=1000)
        problems: list[Exception] = []

        def hand_in(person: Participant) -> None:
            try:
                with ArenaStore.open(store.folder) as own:
                    for number in range(20):
                        own.hand_in(person, "bot.py", f"{person.alias} {number}".encode())
            except Exception as problem:  # noqa: BLE001 - seen below
                problems.append(problem)

        threads = [Thread(target=hand_in, args=[person]) for person in (amy, bob)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []
        for alias in ("amy", "bob"):
            assert [each.number for each in store.submissions(alias)] == list(range(20, 0, -1))

    def test_rules_that_two_processes_change_at_once_are_both_kept(self, store):
        """The player goes on to the next phase while the lecturer presses a button."""
        with ArenaStore.open(store.folder, "player") as player:
            threads = [
                Thread(target=lambda: [store.change_rules("lecturer", per_hour=n) for n in range(50)]),
                Thread(target=lambda: [player.change_rules("", phase=phase) for phase in ["open", "closed"] * 25]),
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert (store.rules.per_hour, store.rules.phase) == (49, "closed")


class TestVersions:
    def test_a_newer_version_replaces_one_that_waits(self, store, amy):
        store.hand_in(amy, "bot.py", b"one")
        store.hand_in(amy, "bot.py", b"two")
        assert [each.state for each in store.submissions("amy")] == ["waiting", "replaced"]
        assert [each.hash for each in store.queue()] == [store.submissions("amy")[0].hash]

    def test_one_that_was_checked_is_not_replaced(self, store, amy):
        passed(store, amy, b"one")
        store.hand_in(amy, "bot.py", b"two")
        assert [each.state for each in store.submissions("amy")] == ["waiting", "passed"]

    def test_a_failed_check_leaves_the_last_good_version_playing(self, store, amy):
        good = passed(store, amy, b"one")
        store.hand_in(amy, "bot.py", b"two")
        check(store, store.submissions("amy")[0], passed=False)
        assert store.submissions("amy")[0].state == "failed"
        assert store.active()["amy"].id == good.id

    def test_a_version_that_passes_after_a_newer_one_does_not_play(self, store, amy):
        store.hand_in(amy, "bot.py", b"one")
        [old] = store.submissions("amy")
        new = passed(store, amy, b"two")
        check(store, old)
        assert store.active()["amy"].id == new.id

    def test_an_author_can_return_to_an_older_version(self, store, amy):
        first = passed(store, amy, b"one")
        passed(store, amy, b"two")
        store.play_version(first, "amy")
        assert store.active()["amy"].id == first.id

    def test_nobody_returns_to_a_version_that_has_failed(self, store, amy):
        store.hand_in(amy, "bot.py", b"one")
        with pytest.raises(RefusedError, match="has not passed its check"):
            store.play_version(store.submissions("amy")[0], "amy")

    def test_after_the_deadline_the_version_that_plays_stays(self, store, amy, clock):
        first = passed(store, amy, b"one")
        second = passed(store, amy, b"two")
        store.change_rules("lecturer", deadline=NOON + 10)
        clock.now += 11
        with pytest.raises(RefusedError, match="The version that plays stays"):
            store.play_version(first, "amy")
        assert store.active()["amy"].id == second.id

    def test_the_queue_takes_turns_by_bot(self, store, amy, bob):
        passed(store, amy, b"one")
        store.hand_in(amy, "bot.py", b"two")
        store.hand_in(bob, "bot.py", b"three")
        cleo = invited(store, "cleo")
        store.hand_in(cleo, "bot.py", b"four")
        assert [each.bot for each in store.queue()] == ["bob", "cleo", "amy"]

    def test_whose_last_check_is_longest_ago_is_first(self, store, amy, bob):
        for person, ended in ((amy, NOON + 2), (bob, NOON + 1)):
            store.hand_in(person, "bot.py", b"one")
            check(store, store.submissions(person.bot)[0], ended=ended)
        store.hand_in(amy, "bot.py", b"two")
        store.hand_in(bob, "bot.py", b"two")
        assert [each.bot for each in store.queue()] == ["bob", "amy"]

    def test_a_team_shares_one_bot(self, store):
        cleo, dan = invited(store, "cleo", "foxes"), invited(store, "dan", "foxes")
        store.hand_in(cleo, "bot.py", b"one")
        store.hand_in(dan, "bot.py", b"two")
        assert [(each.person, each.number, each.state) for each in store.submissions("foxes")] == [
            (dan.id, 2, "waiting"),
            (cleo.id, 1, "replaced"),
        ]
        check(store, store.submissions("foxes")[0])
        assert [*store.active()] == ["foxes"]

    def test_equal_files_of_two_bots_are_found(self, store, amy, bob):
        for person, body in ((amy, b"one"), (amy, b"two"), (bob, b"one")):
            store.hand_in(person, "bot.py", body)
        assert [[each.bot for each in same] for same in store.equal_files()] == [["amy", "bob"]]

    def test_a_benched_version_does_not_play_and_its_successor_does(self, store, amy):
        bad = passed(store, amy, b"one")
        with ArenaStore.open(store.folder, "player") as player:
            player.bench(bad.id, "it failed")
        assert store.active() == {}
        assert {one.id: one.benched for one in store.submissions() if one.benched} == {bad.id: "it failed"}
        good = passed(store, amy, b"two")
        assert store.active()["amy"].id == good.id

    def test_who_is_disqualified_neither_plays_nor_hands_in(self, store, amy, bob):
        passed(store, amy, b"one")
        passed(store, bob, b"two")
        store.change_person(amy, "lecturer", disqualified="it is Bob's")
        assert [*store.active()] == ["bob"]
        with pytest.raises(RefusedError, match="disqualified: it is Bob's"):
            store.hand_in(now(store, amy), "bot.py", b"three")
        store.change_person(amy, "lecturer", disqualified="")
        assert [*store.active()] == ["amy", "bob"]

    def test_a_team_with_one_who_is_disqualified_does_not_play(self, store):
        cleo, dan = invited(store, "cleo", "foxes"), invited(store, "dan", "foxes")
        passed(store, cleo, b"one")
        store.change_person(dan, "lecturer", disqualified="copied")
        assert store.active() == {}


class TestDeadlines:
    def test_what_comes_at_the_deadline_is_in_time(self, store, amy, clock):
        store.change_rules("lecturer", deadline=NOON + 10)
        clock.now += 10
        store.hand_in(amy, "bot.py", b"one")
        assert store.submissions("amy")[0].state == "waiting"

    def test_late_ones_are_refused_with_both_times(self, store, amy, clock):
        store.change_rules("lecturer", deadline=NOON + 10)
        clock.now += 11
        expected = (
            r"The deadline was 2027-01-15T08:00:10.000Z; now it is 2027-01-15T08:00:11.000Z. Nothing was handed in"
        )
        with pytest.raises(RefusedError, match=expected):
            store.hand_in(amy, "bot.py", b"one")
        assert store.submissions() == []

    def test_late_ones_are_kept_aside_and_replace_nothing(self, store, amy, clock):
        store.change_rules("lecturer", deadline=NOON + 10, late="keep")
        store.hand_in(amy, "bot.py", b"one")
        clock.now += 11
        store.hand_in(amy, "bot.py", b"two")
        late, timely = store.submissions("amy")
        assert (late.state, timely.state) == ("late", "waiting")
        assert [each.id for each in store.queue()] == [timely.id]

    def test_a_late_one_waits_once_it_is_accepted(self, store, amy, clock):
        store.change_rules("lecturer", deadline=NOON + 10, late="keep")
        clock.now += 11
        store.hand_in(amy, "bot.py", b"one")
        store.accept_late(store.submissions("amy")[0], "lecturer")
        assert [each.state for each in store.queue()] == ["waiting"]

    def test_an_own_deadline_counts_for_one_person_alone(self, store, amy, bob, clock):
        store.change_rules("lecturer", deadline=NOON + 10)
        store.change_person(amy, "lecturer", deadline=NOON + 20)
        clock.now += 15
        store.hand_in(now(store, amy), "bot.py", b"one")
        with pytest.raises(RefusedError):
            store.hand_in(bob, "bot.py", b"two")

    def test_a_deadline_that_is_over_is_refused(self, store, amy):
        """It would close the arena at once, and for good."""
        store.set_deadline("lecturer", NOON + 1)
        store.set_deadline("lecturer", NOON + 2, amy)
        for person in (None, amy):
            with pytest.raises(RefusedError, match=r"Expected a time to come, found 2027-01-15T08:00:00\.000Z"):
                store.set_deadline("lecturer", NOON, person)
        assert (store.rules.deadline, now(store, amy).deadline) == (NOON + 1, NOON + 2)

    @each(
        ("phase", "late", "taken"),
        [
            (phase, late, (phase, late) == ("closed", "keep"))
            for phase in ("closed", "final", "over")
            for late in ("refuse", "keep")
        ],
    )
    def test_a_closed_arena_takes_what_is_kept_aside_until_the_final(self, store, amy, phase, late, taken):
        store.change_rules("lecturer", phase=phase, late=late)
        refused = pytest.raises(RefusedError, match=r"has closed the arena. Nothing was handed in")
        with nullcontext() if taken else refused:
            store.hand_in(amy, "bot.py", f"{phase} {late}".encode())


class TestAccess:
    def test_codes_and_sessions_are_kept_as_hashes_alone(self, store, folder):
        [(person, code)] = store.invite([("Amy", "amy", "", "author")], "lecturer")
        session = store.begin_session(person)
        assert store.by_code(code) == store.by_session(session) == person
        written = b"".join(path.read_bytes() for path in folder.iterdir())
        assert b"amy" in written
        assert code.encode() not in written
        assert session.encode() not in written

    def test_signing_out_ends_one_session(self, store, amy):
        first, second = store.begin_session(amy), store.begin_session(amy)
        store.end_session(first)
        assert store.by_session(first) is None
        assert store.by_session(second) == amy

    def test_a_session_ends_after_a_semester(self, store, amy, clock):
        session = store.begin_session(amy)
        clock.now += 121 * 86400
        assert store.by_session(session) is None

    def test_an_alias_is_taken_in_any_case_and_then_nobody_is_invited(self, store, amy):
        with pytest.raises(ArenaError, match="The alias 'AMY' is taken"):
            store.invite([("Cleo", "cleo", "", "author"), ("Amy", "AMY", "", "author")], "lecturer")
        assert [person.alias for person in store.people()] == ["amy"]

    def test_people_are_found_by_alias_or_name_and_else_the_nearest_is_named(self, store, amy, bob):
        assert store.person_called("AMY") == amy
        with pytest.raises(ArenaError, match=r"Nobody is called 'bbo'. Did you mean 'bob'\?"):
            store.person_called("bbo")

    def test_what_the_lecturer_does_is_in_the_log(self, store, amy):
        store.change_rules("lecturer", paused=True)
        store.revoke(amy, "lecturer")
        assert [(entry.actor, entry.action, entry.about) for entry in store.audit(2)] == [
            ("lecturer", "revoke", "amy"),
            ("lecturer", "rules", "paused: True"),
        ]


class TestProcesses:
    @each(
        ("process", "table"),
        [
            pytest.param(process, table, id=f"{process}-{table}")
            for process in ("checker", "player")
            for table in sorted(WRITES["web"] - WRITES[process])
        ],
    )
    def test_each_process_may_write_its_own_tables_alone(self, folder, process, table):
        with ArenaStore.open(folder, process) as arena, pytest.raises(ArenaError, match="not authorized"):
            arena._rows(f"DELETE FROM {table}")

    @each(
        "statement", ["DROP TABLE people", "ALTER TABLE people ADD x", "CREATE TABLE x (y)", "ATTACH ':memory:' AS x"]
    )
    def test_no_process_may_change_tables(self, folder, statement):
        with ArenaStore.open(folder, "web") as arena, pytest.raises(ArenaError, match="not authorized"):
            arena._rows(statement)

    def test_a_checker_cannot_disqualify_anybody(self, store, amy):
        with ArenaStore.open(store.folder, "checker") as checker, pytest.raises(ArenaError, match="not authorized"):
            checker.change_person(amy, "checker", disqualified="x")
        assert not now(store, amy).disqualified

    def test_what_was_begun_and_failed_leaves_nothing(self, store, amy):
        with pytest.raises(ArenaError, match="shoe_size"):
            store.change_person(amy, "lecturer", disqualified="x", shoe_size=9)
        assert not now(store, amy).disqualified

    def test_the_file_is_for_its_owner_alone(self, folder):
        assert os.stat(folder / FILE).st_mode & 0o077 == 0


class TestOpening:
    def test_a_folder_without_an_arena_is_named(self, tmp_path):
        with pytest.raises(ArenaError, match=r"There is no arena in .*league arena init"):
            ArenaStore.open(tmp_path / "nowhere")

    def test_a_second_arena_in_a_folder_is_refused(self, folder):
        with pytest.raises(ArenaError, match=r"There is an arena in .* already"):
            ArenaStore.create(folder, {})

    def test_another_database_is_left_alone(self, tmp_path):
        with closing(sqlite3.connect(tmp_path / FILE)) as other:
            other.execute("CREATE TABLE cats (name)")
        before = (tmp_path / FILE).read_bytes()
        with pytest.raises(ArenaError, match=r"is not an arena's database. Nothing was changed"):
            ArenaStore.open(tmp_path)
        assert (tmp_path / FILE).read_bytes() == before

    def test_a_text_file_is_one_clear_line(self, tmp_path):
        (tmp_path / FILE).write_text("hello " * 1000)
        with pytest.raises(ArenaError, match="cannot be used: file is not a database"):
            ArenaStore.open(tmp_path)

    def test_a_newer_schema_is_refused(self, folder):
        with closing(sqlite3.connect(folder / FILE)) as other:
            other.execute("PRAGMA user_version = 99")
        with pytest.raises(ArenaError, match="another version of League"):
            ArenaStore.open(folder)
