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
from league.extensions.arena.store import HOUR, ArenaStore
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


def handed_in(store: ArenaStore, person: Participant, body: bytes) -> Submission:
    store.hand_in(person, "bot.py", body)
    return store.submissions(person.bot)[0]


def check(store: ArenaStore, submission: Submission, *, passed: bool = True, ended: float = NOON) -> None:
    with ArenaStore.open(store.folder, "checker", lambda: ended) as checker:
        checker.checked(submission, "a line", passed=passed)


def passed(store: ArenaStore, person: Participant, body: bytes) -> Submission:
    check(store, handed_in(store, person, body))
    return store.submissions(person.bot)[0]


def states(store: ArenaStore, bot: str) -> list[str]:
    return [version.state for version in store.submissions(bot)]


class TestReceipts:
    def test_bodies_are_kept_as_they_came_and_have_receipts_of_their_own(self, store, amy):
        first, second = (store.hand_in(amy, "bot.py", body) for body in (b"one", b"\x00\xff"))
        assert (first.number, second.number) == (1, 2)
        assert first.hash != second.hash
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

    def test_processes_that_write_at_once_lose_nothing(self, store, amy, bob):
        """People hand in, and the player changes a rule while the lecturer changes another one."""
        problems: list[Exception] = []

        def writing(process, write) -> Thread:
            def run() -> None:
                try:
                    with ArenaStore.open(store.folder, process) as own:
                        for number in range(30):
                            write(own, number)
                except Exception as problem:  # noqa: BLE001 - seen below
                    problems.append(problem)

            return Thread(target=run)

        store.change_rules("lecturer", per_hour=1000)
        threads = [
            writing("web", lambda own, number: own.hand_in(amy, "bot.py", b"amy %d" % number)),
            writing("web", lambda own, number: own.hand_in(bob, "bot.py", b"bob %d" % number)),
            writing("web", lambda own, number: own.change_rules("lecturer", per_hour=1000 + number)),
            writing("player", lambda own, number: own.change_rules("", paused=number % 2 == 1)),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []
        for alias in ("amy", "bob"):
            assert [version.number for version in store.submissions(alias)] == list(range(30, 0, -1))
        assert (store.rules.per_hour, store.rules.paused) == (1029, True)


class TestVersions:
    def test_a_newer_version_replaces_one_that_waits_and_none_that_was_checked(self, store, amy):
        passed(store, amy, b"one")
        handed_in(store, amy, b"two")
        newest = handed_in(store, amy, b"three")
        assert states(store, "amy") == ["waiting", "replaced", "passed"]
        assert [version.id for version in store.queue()] == [newest.id]

    def test_a_failed_check_leaves_the_last_good_version_playing(self, store, amy):
        good = passed(store, amy, b"one")
        check(store, handed_in(store, amy, b"two"), passed=False)
        assert states(store, "amy") == ["failed", "passed"]
        assert store.active()["amy"].id == good.id

    def test_a_version_that_passes_after_a_newer_one_does_not_play(self, store, amy):
        old = handed_in(store, amy, b"one")
        new = passed(store, amy, b"two")
        check(store, old)
        assert store.active()["amy"].id == new.id

    def test_an_author_returns_to_an_older_version_that_has_passed_until_the_deadline(self, store, amy, clock):
        first = passed(store, amy, b"one")
        second = passed(store, amy, b"two")
        store.play_version(first, "amy")
        assert store.active()["amy"].id == first.id
        with pytest.raises(RefusedError, match="has not passed its check"):
            store.play_version(handed_in(store, amy, b"three"), "amy")
        store.change_rules("lecturer", deadline=NOON + 10)
        clock.now += 11
        with pytest.raises(RefusedError, match="The version that plays stays"):
            store.play_version(second, "amy")
        assert store.active()["amy"].id == first.id

    def test_the_queue_takes_turns_by_bot_and_whose_last_check_is_longest_ago_is_first(self, store, amy, bob):
        for person, ended in ((amy, NOON + 2), (bob, NOON + 1)):
            check(store, handed_in(store, person, b"one"), ended=ended)
        for person in (amy, bob, invited(store, "cleo")):
            handed_in(store, person, b"two")
        assert [version.bot for version in store.queue()] == ["cleo", "bob", "amy"]

    def test_a_team_shares_one_bot_and_plays_unless_somebody_is_disqualified(self, store):
        cleo, dan = invited(store, "cleo", "foxes"), invited(store, "dan", "foxes")
        store.hand_in(cleo, "bot.py", b"one")
        passed(store, dan, b"two")
        assert [(version.person, version.number, version.state) for version in store.submissions("foxes")] == [
            (dan.id, 2, "passed"),
            (cleo.id, 1, "replaced"),
        ]
        assert [*store.active()] == ["foxes"]
        store.change_person(cleo, "lecturer", disqualified="copied")
        assert store.active() == {}

    def test_equal_files_of_two_bots_are_found(self, store, amy, bob):
        for person, body in ((amy, b"one"), (amy, b"two"), (bob, b"one")):
            store.hand_in(person, "bot.py", body)
        assert [[version.bot for version in same] for same in store.equal_files()] == [["amy", "bob"]]

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

    def test_who_has_handed_in_too_often_waits_for_the_one_that_has_to_leave_the_hour(self, store, amy, clock):
        """Of three at unequal times, with room for two: the second must be an hour old, not the first."""
        for number, wait in enumerate((60, 600, 300)):
            store.hand_in(amy, "bot.py", b"%d" % number)
            clock.now += wait
        store.change_rules("lecturer", per_hour=2)
        with pytest.raises(RefusedError) as refused:
            store.hand_in(amy, "bot.py", b"one more")
        assert refused.value.retry_after == HOUR - 900
        clock.now += HOUR - 920
        with pytest.raises(RefusedError, match=r"Try again in 1 min\."):
            store.hand_in(amy, "bot.py", b"one more")


class TestDeadlines:
    @each(("seconds", "late", "taken"), [(10, "refuse", "waiting"), (11, "refuse", ""), (11, "keep", "late")])
    def test_what_comes_at_the_deadline_is_in_time_and_later_ones_are_refused_or_kept_aside(
        self, store, amy, clock, seconds, late, taken
    ):
        clock.now = NOON
        store.change_rules("lecturer", deadline=NOON + 10, late=late)
        before, body = len(store.submissions()), f"{seconds} {late}".encode()
        clock.now += seconds
        if taken:
            assert handed_in(store, amy, body).state == taken
        else:
            expected = (
                r"The deadline was 2027-01-15T08:00:10.000Z; now it is 2027-01-15T08:00:11.000Z. Nothing was handed in"
            )
            with pytest.raises(RefusedError, match=expected):
                store.hand_in(amy, "bot.py", body)
        assert len(store.submissions()) == before + bool(taken)

    def test_a_late_one_replaces_nothing_and_waits_once_it_is_accepted(self, store, amy, clock):
        store.change_rules("lecturer", deadline=NOON + 10, late="keep")
        timely = handed_in(store, amy, b"one")
        clock.now += 11
        late = handed_in(store, amy, b"two")
        assert states(store, "amy") == ["late", "waiting"]
        assert [version.id for version in store.queue()] == [timely.id]
        store.accept_late(late, "lecturer")
        assert [version.id for version in store.queue()] == [timely.id, late.id]

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

    def test_a_session_ends_by_itself_after_a_semester_or_when_its_browser_signs_out(self, store, amy, clock):
        first, second = store.begin_session(amy), store.begin_session(amy)
        store.end_session(first)
        assert (store.by_session(first), store.by_session(second)) == (None, amy)
        clock.now += 121 * 86400
        assert store.by_session(second) is None

    def test_an_alias_is_taken_in_any_case_and_then_nobody_is_invited(self, store, amy):
        with pytest.raises(ArenaError, match="The alias 'AMY' is taken"):
            store.invite([("Cleo", "cleo", "", "author"), ("Amy", "AMY", "", "author")], "lecturer")
        assert [person.alias for person in store.people()] == ["amy"]

    def test_what_the_lecturer_does_is_in_the_log_and_what_time_demands_is_not(self, store, amy):
        store.change_rules("lecturer", paused=True)
        store.change_rules("", phase="closed")
        store.revoke(amy, "lecturer")
        assert [(entry.actor, entry.action, entry.about) for entry in store.audit(2)] == [
            ("lecturer", "revoke", "amy"),
            ("lecturer", "rules", "paused: True"),
        ]


class TestProcesses:
    @each(("process", "table"), [(one, table) for one in WRITES for table in sorted(WRITES["web"] - WRITES[one])])
    def test_each_process_may_write_its_own_tables_alone(self, folder, process, table):
        with ArenaStore.open(folder, process) as arena, pytest.raises(ArenaError, match="not authorized"):
            arena._rows(f"DELETE FROM {table}")

    @each(
        "statement", ["DROP TABLE people", "ALTER TABLE people ADD x", "CREATE TABLE x (y)", "ATTACH ':memory:' AS x"]
    )
    def test_no_process_may_change_tables(self, folder, statement):
        with ArenaStore.open(folder, "web") as arena, pytest.raises(ArenaError, match="not authorized"):
            arena._rows(statement)

    def test_what_was_begun_and_failed_leaves_nothing(self, store, amy):
        with pytest.raises(ArenaError, match="shoe_size"):
            store.change_person(amy, "lecturer", disqualified="x", shoe_size=9)
        assert not now(store, amy).disqualified

    def test_the_file_is_for_its_owner_alone(self, folder):
        assert os.stat(folder / FILE).st_mode & 0o077 == 0


class TestOpening:
    @each(
        ("changed", "problem"),
        [
            ("DROP TABLE meta; PRAGMA application_id = 1", r"is not an arena's database. Nothing was changed"),
            ("PRAGMA user_version = 99", "another version of League"),
            (None, "cannot be used: file is not a database"),
        ],
    )
    def test_another_file_is_left_alone(self, tmp_path, changed, problem):
        place = tmp_path / str(len(problem))
        place.mkdir()
        ArenaStore.create(place, {}).close()
        if changed:
            with closing(sqlite3.connect(place / FILE)) as other:
                other.executescript(changed)
        else:
            (place / FILE).write_text("hello " * 1000)
        before = (place / FILE).read_bytes()
        with pytest.raises(ArenaError, match=problem):
            ArenaStore.open(place)
        assert (place / FILE).read_bytes() == before

    def test_there_is_one_arena_in_a_folder(self, folder):
        with pytest.raises(ArenaError, match=r"There is an arena in .* already"):
            ArenaStore.create(folder, {})
        with pytest.raises(ArenaError, match=r"There is no arena in .*league arena init"):
            ArenaStore.open(folder / "nowhere")
