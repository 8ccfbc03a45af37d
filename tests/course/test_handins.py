"""Archives and folders of hand-ins: read as they come, and trusted in nothing."""

from __future__ import annotations

import os
import stat
import subprocess
import zipfile

import pytest

from league.errors import LeagueError
from league.extensions.course import handins
from league.extensions.course.handins import HandIn, HandInError, files_of_bot, read_handins
from league.setup.bot_folder import BotFile, content_hash
from tests.course.made_up_class import bot_text, moodle, write_archive, zipped
from tests.tables import each


def paths(handin: HandIn) -> list[str]:
    return [file.path for file in handin.files]


def file(path: str, text: str = "") -> BotFile:
    return BotFile(path, content_hash(text.encode()), content=text.encode())


def test_moodles_archive_has_a_hand_in_for_each_person(tmp_path):
    entries = moodle({"Amy Miller_12": {"bot.py": "a", "data/table.txt": "b"}, "Bo Li_13": {"my bot.py": "c"}})
    entries |= {"Amy Miller_12_assignsubmission_onlinetext_/onlinetext.html": "<p>hello</p>"}
    amy, bo = read_handins(write_archive(tmp_path / "a.zip", entries), 1)
    assert (amy.owner, amy.ids, paths(amy)) == ("Amy Miller", ("12",), ["bot.py", "data/table.txt"])
    assert (bo.owner, bo.ids, paths(bo)) == ("Bo Li", ("13",), ["my bot.py"])
    assert amy.time == bo.time > 0


def test_canvas_archive_has_attempts_and_says_who_is_late(tmp_path):
    entries = {"milleramy_7_100_bot.py": "a", "milleramy_7_101_bot-2.py": "b", "libo_LATE_8_102_bot-1.py": "c"}
    bo, first, second = read_handins(write_archive(tmp_path / "a.zip", entries), 1)
    assert (bo.owner, bo.ids, bo.late, bo.attempt) == ("libo", ("8",), True, 1)
    assert [(handin.attempt, handin.files[0].content, paths(handin)) for handin in (first, second)] == [
        *((0, b"a", ["bot.py"]), (2, b"b", ["bot.py"])),
    ]


def test_archives_in_archives_windows_names_and_litter(tmp_path):
    inner = zipped({"mine\\bot.py": "a", "__MACOSX/mine/._bot.py": "x", "mine/.DS_Store": "x"})
    entries = {
        "class\\amy\\hand in.zip": inner,
        "class\\bo\\bot.py": "b",
        "class/.DS_Store": "x",
        "class/bo/x.pyc": "x",
    }
    amy, bo = read_handins(write_archive(tmp_path / "a.zip", entries), 1)
    assert (amy.owner, paths(amy), amy.problem) == ("amy", ["mine/bot.py"], "")
    assert (bo.owner, paths(bo)) == ("bo", ["bot.py"])


@each(
    ("entries", "owner"),
    [
        ({"amy/bot.py": "a"}, "amy"),
        ({"amy/bot.py": "a", "amy/data/x.txt": "b"}, "amy"),
        ({"class/amy/bot.py": "a", "class/amy/x.txt": "b"}, "amy"),
        ({"class/milleramy_7_100_bot.py": "a"}, "milleramy"),
    ],
)
def test_a_folder_around_all_hand_ins_is_nobodys_and_that_of_the_only_person_is_theirs(tmp_path, entries, owner):
    [handin] = read_handins(write_archive(tmp_path / "a.zip", entries), 1)
    assert handin.owner == owner


def test_folder_of_folders_files_archives_and_clones(tmp_path):
    for name in ("amy", "ex-bo"):
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "bot.py").write_text("a")
    (tmp_path / "in" / "cid.py").write_text("c")
    (tmp_path / "in" / "dan.zip").write_bytes(zipped({"bot.py": "d"}))
    clone = tmp_path / "in" / "ex-bo"
    person = ("-c", "user.name=Bo", "-c", "user.email=bo@example.org")
    for words in (("init", "-q"), ("add", "."), (*person, "commit", "-qm", "x", "--date", "2026-11-01T12:00:00Z")):
        environment = {"GIT_COMMITTER_DATE": "2026-11-01T12:00:00Z", "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        subprocess.run(["git", "-C", str(clone), *words], check=True, env=environment)
    amy, cid, dan, bo = read_handins(tmp_path / "in", 1)
    assert [(handin.owner, paths(handin)) for handin in (amy, bo, cid, dan)] == [
        *(("amy", ["bot.py"]), ("ex-bo", ["bot.py"]), ("cid", ["cid.py"]), ("dan", ["bot.py"])),
    ]
    assert bo.time == 1793534400
    assert amy.time > 0, "that of the newest file"


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


HOSTILE = {
    "leads out": ({"../../x.py": "a"}, "expected paths within its folder, found '../../x.py'."),
    "absolute": ({"/etc/x.py": "a"}, "expected paths within its folder, found '/etc/x.py'."),
    "case": ({"Bot.py": "a", "bot.py": "b"}, "expected different names, found 'Bot.py' and 'bot.py'."),
    "bomb": ({"bot.py": b"\0" * 3_000_000}, "expected at most 1 MB, found more."),
    "many": ({f"{number}.py": "" for number in range(10_001)}, "expected at most 10,000 files, found more."),
    "other archive": ({"bot.rar": "Rar!"}, "expected a .zip archive, found 'bot.rar'."),
    "no archive": ({"bot.zip": "hello"}, "expected a .zip archive, found something else: 'bot.zip'."),
    "nested": (
        {"a.zip": zipped({"b.zip": zipped({"c.zip": zipped({"d.zip": zipped({"bot.py": "a"})})})})},
        "within each other, found more.",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_a_problem_of_its_owner_alone(tmp_path, name):
    files, told = HOSTILE[name]
    entries = moodle({"Amy_1": {"mine.zip": zipped(files)}, "Bo_2": {"bot.py": "b"}})
    amy, bo = read_handins(write_archive(tmp_path / "a.zip", entries), 1)
    assert told in amy.problem
    assert amy.files == ()
    assert (bo.problem, paths(bo)) == ("", ["bot.py"])


def test_links_and_passwords_and_damage_are_refused(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(link("Amy_1_assignsubmission_file_/bot.py"), "/etc/passwd")
        archive.writestr("Bo_2_assignsubmission_file_/bot.py", "b" * 100)
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b"b" * 100, b"c" * 100))
    amy, bo = read_handins(path, 1)
    assert amy.problem == "expected files, found the link 'bot.py'."
    assert "cannot be unpacked: Bad CRC-32" in bo.problem


def test_names_that_are_not_utf8_are_written_as_escapes(tmp_path):
    folder = os.fsencode(tmp_path / "in") + b"/am\xffy"
    os.makedirs(folder)
    for path in (folder + b"/bot.py", os.fsencode(tmp_path / "in") + b"/bo\xff.py"):
        with open(path, "w") as file:
            file.write("a")
    assert [handin.owner for handin in read_handins(tmp_path / "in", 1)] == [r"am\udcffy", r"bo\udcff"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_that_an_archive_has_twice_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for content in ("a", "b"):
            archive.writestr("Amy_1_assignsubmission_file_/bot.py", content)
    [amy] = read_handins(path, 1)
    assert amy.problem == "expected different names, found 'bot.py' and 'bot.py'."


@each(("files", "is_refused"), [(1, False), (2, True)])  # the archive counts too
def test_a_hand_in_has_no_more_files_than_a_bot_may(tmp_path, monkeypatch, files, is_refused):
    monkeypatch.setattr(handins, "MOST_FILES", 2)
    inner = zipped({f"{number}.py": "" for number in range(files)})
    [amy] = read_handins(write_archive(tmp_path / "a.zip", {"amy/all.zip": inner, "amy/.DS_Store": ""}), 1)
    assert bool(amy.problem) == is_refused


@pytest.mark.parametrize(
    ("name", "told"), [("none.zip", "There is no archive or folder"), ("text.zip", "found neither")]
)
def test_what_is_no_archive_is_one_line(tmp_path, name, told):
    (tmp_path / "text.zip").write_text("hello")
    with pytest.raises(LeagueError, match=told):
        read_handins(tmp_path / name, 1)


def test_the_bot_among_the_files_is_found():
    assert files_of_bot((file("bot.py"), file("data.txt"))) == (file("bot.py"), file("data.txt"))
    assert [found.path for found in files_of_bot((file("ex1/mine.py"), file("ex1/report.pdf")))] == [
        "bot.py",
        "report.pdf",
    ]
    assert [found.path for found in files_of_bot((file("helper.py"), file("mine.py", bot_text())))] == [
        "bot.py",
        "helper.py",
    ]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ((), "found nothing. Hand in a file that ends in .py"),
        ((file("report.pdf"),), "found report.pdf. Hand in a file that ends in .py"),
        ((file("a.py"), file("b.py")), "found a.py and b.py. Call the main file bot.py."),
    ],
)
def test_files_that_are_no_bot_are_refused(files, told):
    with pytest.raises(HandInError) as caught:
        files_of_bot(files)
    assert told in str(caught.value)


def test_a_class_for_hols_der_geier_gets_the_kit():
    vulture = "import java.util.*;\npublic class Geier extends HolsDerGeierSpieler {}\n"
    theirs = {"Geier.java": vulture, "Helper.java": "class Helper {}", "HolsDerGeierSpieler.java": "class X {}"}
    made = files_of_bot(tuple(file(*entry) for entry in theirs.items()))
    files = {found.path: found.content.decode() for found in made}
    assert files["Geier.java"] == vulture
    assert files["Helper.java"] == "class Helper {}"
    assert "HolsDerGeierSpieler.java" not in files
    assert "abstract class HolsDerGeierSpieler" in files["kit/HolsDerGeierSpieler.java"]
    assert '"Kit", "Geier"]' in files["bot.toml"]


def test_two_classes_for_hols_der_geier_are_too_many():
    with pytest.raises(HandInError, match=r"expected one bot, found A.java and B.java"):
        files_of_bot(tuple(file(f"{name}.java", f"class {name} extends HolsDerGeierSpieler {{}}") for name in "AB"))
