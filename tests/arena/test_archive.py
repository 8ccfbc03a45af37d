"""Backups that can be restored, records as plain files, and people who are forgotten."""

import csv
import json
import shutil
import zipfile
from errno import ENOSPC
from pathlib import Path

import pytest

from league.errors import ArenaError
from league.extensions.arena.archive import backup, export, forget, restore
from league.extensions.arena.checker import Checker
from league.extensions.arena.database import FILE
from league.extensions.arena.records import Role
from league.extensions.arena.store import ArenaStore
from league.extensions.course.people import read_people
from league.results.csvs import csv_texts
from league.results.find import Query, find
from league.results.recorded import recorded
from league.results.standings import read_standings
from league.results.store import Store
from league.values.settings import Isolation
from tests.arena.conftest import CONFIG, HIGHEST, LOWEST, made, steps

MARK = b"a_variable_that_only_amy_has"
SAID = b"what eve's bot says"
EVES = HIGHEST.replace(b"return max(view.legal)", b'raise ValueError("%s")' % SAID)
AMYS = HIGHEST.replace(b"        return", b"        %s = 1\n        return" % MARK)


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """An arena whose final is over: Amy alone, Cleo and Dan as a team, and Eve, whose bot fails."""
    place = tmp_path_factory.mktemp("finished")
    arena = made(place, CONFIG.replace("deals: 8", "deals: 2"))
    people: list[tuple[str, str, str, Role]] = [
        ("Amy Miller", "amy", "", "author"),
        ("Cleo Ade", "cleo", "foxes", "author"),
        ("Dan Ek", "dan", "foxes", "author"),
        ("Eve Low", "eve", "", "author"),
    ]
    with arena:
        amy, cleo, _, eve = [person for person, _ in arena.invite(people, "lecturer")]
        arena.hand_in(amy, "amy_miller.py", AMYS)
        arena.hand_in(cleo, "bot.py", LOWEST)
        checker = Checker(arena.folder, Isolation.TRUSTED)
        while checker.step():
            pass
        checker.close()
        arena.hand_in(eve, "eve.py", EVES)
        arena.checked(arena.submissions("eve")[0], "", passed=True)
        steps(arena, most=1)
        arena.change_rules("lecturer", phase="closed")
        steps(arena)
        assert arena.rules.phase == "over"
    return place / "arena"


@pytest.fixture
def folder(finished, tmp_path) -> Path:
    shutil.copytree(finished, tmp_path / "arena")
    return tmp_path / "arena"


def standings(folder: Path) -> dict[str, str]:
    """All tables of the ladder and of the final."""
    leagues = [folder / "results" / "demo", folder / "final" / "results" / "demo-final"]
    return {f"{league.name} {name}": text for league in leagues for name, text in tables(league).items()}


def tables(league: Path) -> dict[str, str]:
    return csv_texts(read_standings(league))


class TestBackup:
    def test_what_is_restored_has_the_same_standings_people_and_versions(self, folder, tmp_path):
        with ArenaStore.open(folder):  # as while it runs: there is a write-ahead log
            backup(folder, tmp_path / "backup.zip")
        restore(tmp_path / "backup.zip", tmp_path / "again")
        assert standings(tmp_path / "again") == standings(folder)
        with ArenaStore.open(folder) as before, ArenaStore.open(tmp_path / "again") as after:
            assert after.people() == before.people()
            assert after.rules == before.rules
            assert after.rounds() == before.rounds()
            assert after.submissions() == before.submissions()
            assert [after.content(each) for each in after.submissions()] == [EVES, LOWEST, AMYS]

    def test_an_arena_goes_on_from_a_backup(self, arena, authors, tmp_path):
        arena.hand_in(authors[0], "bot.py", HIGHEST)
        backup(arena.folder, tmp_path / "backup.zip")
        restore(tmp_path / "backup.zip", tmp_path / "again")
        checker = Checker(tmp_path / "again", Isolation.TRUSTED)
        assert checker.step()
        checker.close()
        with ArenaStore.open(tmp_path / "again") as again:
            assert [*again.active()] == ["amy"]

    def test_restoring_into_a_folder_with_files_is_refused(self, folder, tmp_path):
        backup(folder, tmp_path / "backup.zip")
        with pytest.raises(ArenaError, match=r"Expected an empty folder.*Nothing was changed"):
            restore(tmp_path / "backup.zip", folder)
        with pytest.raises(ArenaError, match="Expected an empty folder"):
            restore(tmp_path / "backup.zip", tmp_path / "backup.zip")

    @pytest.mark.parametrize(
        ("names", "problem"),
        [
            (["../evil", "/evil"], r"is no backup of an arena: expected a file config\.yaml"),
            (["readme.txt"], r"is no backup of an arena: expected a file config\.yaml"),
            (["config.yaml"], r"There is no arena in"),
            (["config.yaml", FILE], "is not an arena's database"),
            (None, "is no backup of an arena: File is not a zip file"),
        ],
    )
    def test_another_file_is_no_backup_and_leaves_nothing(self, tmp_path, names, problem):
        source = tmp_path / "backup.zip"
        source.write_text("hello")
        if names:
            with zipfile.ZipFile(source, "w") as archive:
                for name in names:
                    archive.writestr(name, "")
        with pytest.raises(ArenaError, match=problem):
            restore(source, tmp_path / "again")
        assert [path.name for path in tmp_path.iterdir()] == ["backup.zip"]

    def test_a_full_disk_is_not_said_to_be_a_damaged_backup(self, tmp_path, monkeypatch):
        with zipfile.ZipFile(tmp_path / "backup.zip", "w") as archive:
            archive.writestr("config.yaml", "")

        def full(*_):
            raise OSError(ENOSPC, "No space left on device")

        monkeypatch.setattr(zipfile.ZipFile, "extractall", full)
        with pytest.raises(ArenaError, match=r"backup\.zip cannot be restored: No space left on device\."):
            restore(tmp_path / "backup.zip", tmp_path / "again")

    def test_a_backup_that_is_not_there_is_named(self, tmp_path):
        with pytest.raises(ArenaError, match=r"There is no backup '.*nowhere\.zip'"):
            restore(tmp_path / "nowhere.zip", tmp_path / "again")


class TestExport:
    @pytest.fixture
    def records(self, folder, tmp_path):
        export(folder, tmp_path / "records.zip")
        with zipfile.ZipFile(tmp_path / "records.zip") as archive:
            archive.extractall(tmp_path / "records")
        return tmp_path / "records"

    def test_all_records_are_there_and_nothing_that_lets_people_in(self, records):
        rows = {path.stem: list(csv.DictReader(path.read_text().splitlines())) for path in records.glob("*.csv")}
        assert [row["alias"] for row in rows["people"]] == ["lecturer", "amy", "cleo", "dan", "eve"]
        assert {row["bot"] for row in rows["submissions"]} == {"amy", "foxes", "eve"}
        assert {*json.loads(rows["rounds"][0]["roster"])} == {"amy", "eve", "foxes", "raj_nearest", "random"}
        assert {row["bot"] for row in rows["ratings"] if json.loads(row["report"])["games"]} >= {"amy", "foxes"}
        assert not {"meta", "sessions", "contents"} & {*rows}
        assert "code" not in rows["people"][0]
        assert (records / "versions" / "amy" / "0001.py").read_bytes() == AMYS

    def test_grades_can_read_the_people(self, records):
        people = read_people(records / "people.csv").people
        assert ("Amy Miller", "amy") in [(person.name, person.bot) for person in people]

    def test_names_of_files_lead_nowhere(self, arena, authors, tmp_path):
        arena.hand_in(authors[0], "../../evil.sh", HIGHEST)
        export(arena.folder, tmp_path / "records.zip")
        with zipfile.ZipFile(tmp_path / "records.zip") as archive:
            assert [name for name in archive.namelist() if "/" in name] == ["versions/amy/0001.bin"]


def written(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


class TestForget:
    def test_neither_name_nor_source_is_left_in_any_file(self, folder):
        before = standings(folder)
        for words in (MARK, b"Amy Miller", b"amy_miller"):
            assert words in written(folder)
        with ArenaStore.open(folder) as arena:
            receipt = arena.receipt(arena.submissions("amy")[0])
            assert forget(arena, arena.person_called("amy"), "lecturer")
            person = arena.person_called("amy")
            assert (person.name, person.revoked, person.is_forgotten) == ("amy", True, True)
            assert arena.receipt(arena.submissions("amy")[0]).hash == receipt.hash
            assert receipt.is_genuine(arena.receipt_key)
        for words in (MARK, b"Amy Miller", b"amy_miller"):
            assert words not in written(folder)
        assert standings(folder) == before

    def test_what_a_bot_has_said_is_erased_everywhere(self, folder):
        before = standings(folder)
        final = folder / "final" / "results" / "demo-final" / "league.db"
        assert SAID in final.read_bytes()
        with ArenaStore.open(folder) as arena:
            forget(arena, arena.person_called("eve"), "lecturer")
        assert SAID not in written(folder)
        assert standings(folder) == before

    def test_games_are_shown_from_stored_moves(self, folder):
        with ArenaStore.open(folder) as arena:
            forget(arena, arena.person_called("amy"), "lecturer")
        with Store.open(folder / "final" / "results" / "demo-final") as store:
            shown = recorded(store, next(iter(find(store, Query(bot="amy")))))
            assert "amy" in shown.replay.names

    def test_a_team_keeps_its_bot_until_the_last_one_is_forgotten(self, folder):
        with ArenaStore.open(folder) as arena:
            assert not forget(arena, arena.person_called("cleo"), "lecturer")
            assert arena.content(arena.submissions("foxes")[0]) == LOWEST
            assert forget(arena, arena.person_called("dan"), "lecturer")
            assert arena.content(arena.submissions("foxes")[0]) == b""
        assert b"Dan Ek" not in written(folder)
        assert b"Cleo Ade" not in written(folder)

    def test_others_keep_what_they_handed_in_too(self, folder):
        with ArenaStore.open(folder) as arena:
            arena.change_rules("lecturer", phase="open")
            arena.hand_in(arena.person_called("cleo"), "bot.py", AMYS)
            arena.change_rules("lecturer", phase="over")
            forget(arena, arena.person_called("amy"), "lecturer")
            assert arena.content(arena.submissions("foxes")[0]) == AMYS
