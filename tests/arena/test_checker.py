"""The checker: what was handed in becomes a verdict, one clear line if it cannot be a bot, and never anything else."""

import zipfile
from io import BytesIO

import pytest

from league.extensions.arena.checker import MOST_ATTEMPTS, Checker
from league.extensions.arena.store import ArenaStore
from league.extensions.course.handins import HandInError, files_of_bot, unpacked
from league.values.settings import Isolation
from tests.arena.conftest import FAILING, HIGHEST, LOWEST
from tests.tables import each


def archive(entries: list[tuple[str, bytes]]) -> bytes:
    body = BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in entries:
            packed.writestr(name, content)
    return body.getvalue()


def nested(depth: int) -> bytes:
    body = archive([("bot.py", HIGHEST)])
    for _ in range(depth - 1):
        body = archive([("inner.zip", body)])
    return body


@pytest.fixture
def checker(arena):
    checker = Checker(arena.folder, Isolation.TRUSTED)
    yield checker
    checker.close()


def verdict(checker, arena, person, filename: str, body: bytes):
    arena.hand_in(person, filename, body)
    assert checker.step()
    return arena.submissions(person.bot)[0]


@each(
    ("filename", "body"),
    [
        ("bot.py", HIGHEST),
        ("whatever.py", HIGHEST + b"#"),
        ("bot.zip", archive([("bot.py", HIGHEST), ("data/table.txt", b"1 2 3")])),
        ("bot.ZIP", archive([("amy/amy.py", HIGHEST), ("__MACOSX/amy/._amy.py", b"\0")])),
        ("bot.zip", nested(2)),
    ],
)
def test_a_file_or_an_archive_with_a_bot_passes(checker, arena, authors, filename, body):
    check = verdict(checker, arena, authors[0], filename, body)
    assert check.state == "passed", check.verdict
    assert [*arena.active()] == ["amy"]


@each(
    ("filename", "body", "problem"),
    [
        ("bot.zip", archive([("bot.py", HIGHEST), ("zeros", bytes(21 << 20))]), "expected at most 20 MB, found more."),
        ("bot.zip", nested(4), "expected at most 3 archives within each other, found more."),
        ("bot.zip", archive([("bot.py", HIGHEST)])[:-30], "expected a .zip archive, found something else"),
        ("bot.tar.gz", b"\x1f\x8b", "expected a .zip archive, found 'bot.tar.gz'."),
        ("bot.zip", archive([]), "expected one bot, found nothing."),
        ("bot.zip", archive([("readme.txt", b"hello")]), "expected one bot, found readme.txt."),
        (
            "bot.zip",
            archive([("amy.py", HIGHEST), ("bob.py", LOWEST)]),
            "expected one bot, found amy.py and bob.py. Call the main file bot.py.",
        ),
        ("bot.exe", b"MZ", "expected one bot, found bot.exe."),
        ("", HIGHEST, "expected paths within its folder"),
        ("../../bot.py", HIGHEST, "expected paths within its folder"),
        ("bo\0t.py", HIGHEST, "expected paths within its folder"),
    ],
)
def test_what_cannot_be_a_bot_is_refused_in_one_line(filename, body, problem):
    """Hostile archives are those of tests/course/test_handins.py."""
    with pytest.raises(HandInError) as raised:
        files_of_bot(unpacked(filename, body, 20))
    assert str(raised.value).startswith(problem)
    assert "\n" not in str(raised.value)


@each(
    ("body", "problem"),
    [
        (b"class Bot(:\n", "bot.py:1"),
        (b"x = 1\n", "Bot"),
        (b"\xff\xfe\x00", "bot.py"),
        (b"(" * 20_000, "bot.py"),
        (HIGHEST.replace(b"'raj'", b"'braverats'"), "it plays none of this league's contests"),
        (HIGHEST.replace(b"'raj'", b"'raaj'"), "raaj"),
    ],
)
def test_code_that_is_no_bot_fails_in_one_line(checker, arena, authors, body, problem):
    check = verdict(checker, arena, authors[0], "bot.py", body)
    assert check.state == "failed"
    assert "\n" not in check.verdict
    assert problem in check.verdict
    assert "/tmp" not in check.verdict, "where the checker works is nobody's business"
    assert arena.active() == {}


def test_a_bot_that_fails_gets_the_cause_and_the_line(checker, arena, authors):
    check = verdict(checker, arena, authors[0], "bot.py", FAILING)
    assert check.state != "passed"
    assert "ZeroDivisionError" in check.verdict


def test_a_bug_of_the_checker_holds_nobody_up(checker, arena, authors, monkeypatch):
    amy, bob = authors
    arena.hand_in(amy, "bot.py", HIGHEST)
    arena.hand_in(bob, "bot.py", LOWEST)

    def fail_once(filename, body, folder_mb):
        if body == HIGHEST:
            raise RuntimeError("a bug")
        return unpacked(filename, body, folder_mb)

    monkeypatch.setattr("league.extensions.arena.folder.unpacked", fail_once)
    assert checker.step()
    assert checker.step()
    assert not checker.step()
    assert [submission.state for submission in arena.submissions()] == ["passed", "failed"]
    assert (
        arena.submissions("amy")[0].verdict
        == "It could not be checked because of a bug in League (RuntimeError). Tell the lecturer."
    )


def test_one_that_is_replaced_while_it_is_checked_plays_until_the_newer_one_passes(checker, arena, authors):
    amy, _ = authors
    arena.hand_in(amy, "bot.py", HIGHEST)
    [first] = arena.queue()
    lines, passed, source = checker.check(first)
    arena.hand_in(amy, "bot.py", LOWEST)
    with ArenaStore.open(arena.folder, "checker") as own:
        own.checked(first, "\n".join(lines), passed=passed, source=source)
    newer, older = arena.submissions("amy")
    assert (newer.state, older.state) == ("waiting", "passed")
    assert arena.active()["amy"].id == older.id
    assert checker.step()
    assert arena.active()["amy"].id == newer.id


def test_a_handin_that_ends_the_checker_is_given_up(arena, authors):
    arena.hand_in(authors[0], "bot.py", HIGHEST)
    [submission] = arena.queue()
    for _ in range(MOST_ATTEMPTS):
        arena.attempt(submission)  # and then the checker is killed
    checker = Checker(arena.folder)
    assert checker.step()
    checker.close()
    assert arena.queue() == []
    assert arena.submissions(submission.bot)[0].verdict.startswith("Its check was cut off 3 times.")


@each(("patience", "told"), [(1e9, "against amy-version-1: "), (-1.0, "is slow, and others wait")])
def test_a_slow_bot_holds_the_others_up_with_no_games_that_do_not_count(
    checker, arena, authors, monkeypatch, patience, told
):
    monkeypatch.setattr("league.extensions.arena.checker.PATIENCE", patience)
    if patience > 0:
        verdict(checker, arena, authors[0], "bot.py", HIGHEST)
    check = verdict(checker, arena, authors[0], "bot.py", LOWEST + f"\n# {patience}".encode())
    assert check.state == "passed"
    assert [words for words in ("against amy-version-1: ", "is slow, and others wait") if words in check.verdict] == [
        told
    ]


def test_a_time_for_the_verdict_is_announced_with_something_in_reserve(arena, authors):
    assert arena.seconds_until_verdict(1) is None
    for number, seconds in enumerate((1.0, 3.0)):
        arena.hand_in(authors[number], "bot.py", HIGHEST)
        arena.checked(arena.submissions()[0], "", passed=True, seconds=seconds)
    assert arena.seconds_until_verdict(1) == pytest.approx(1.5 * 2.0 + 3.0)
    assert arena.seconds_until_verdict(10) == pytest.approx(10 * 1.5 * 2.0 + 3.0)


SPY = b"""
import os

class Bot:
    games = ('raj',)

    def choose(self, view):
        seen = []
        for path in (PATHS, '/proc/%d/environ' % os.getppid(), '/proc/%d/mem' % os.getppid()):
            for name in path if isinstance(path, tuple) else (path,):
                try:
                    with open(name, 'rb') as file:
                        seen += [name] if file.read(1) else []
                except OSError:
                    pass
        raise ValueError('it has read: ' + (', '.join(seen) or 'nothing'))
"""


@pytest.mark.slow
def test_a_hostile_bot_reads_neither_the_arena_nor_its_processes(arena, authors):
    """The database has hashes of codes, the key of receipts and the secret of the final."""
    (arena.folder / "arena.log").write_text("a line")
    paths = [arena.folder / name for name in ("arena.db", "arena.db-wal", "arena.log", "config.yaml")]
    arena.hand_in(authors[0], "bot.py", SPY.replace(b"PATHS", repr(tuple(map(str, paths))).encode()))
    checker = Checker(arena.folder, Isolation.SANDBOX)
    assert checker.step()
    checker.close()
    verdict = arena.submissions()[-1].verdict
    assert "it has read: nothing" in verdict, verdict
