"""A bot's folder: what belongs to it, its hash, and what must never get in."""

import os
import shutil

import msgspec
import pytest

from league.errors import RosterError
from league.setup.bot_folder import MOST_FILES, BotFile, content_hash, folder_hash, read_folder, write_folder
from league.setup.bot_source import UnfitError


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "amy" / "lib").mkdir(parents=True)
    (tmp_path / "amy" / "bot.py").write_text("bot")
    (tmp_path / "amy" / "lib" / "deep.py").write_text("deep")
    (tmp_path / "amy" / "run.sh").write_text("run")
    (tmp_path / "amy" / "run.sh").chmod(0o755)
    return tmp_path / "amy"


def test_a_folder_comes_back_as_it_was(folder, tmp_path):
    files = read_folder(folder)
    assert [(file.path, file.content, file.executable) for file in files] == [
        ("bot.py", b"bot", False),
        ("lib/deep.py", b"deep", False),
        ("run.sh", b"run", True),
    ]
    (tmp_path / "copy").mkdir()
    write_folder(files, tmp_path / "copy")
    assert read_folder(tmp_path / "copy") == files


def test_the_hash_covers_paths_contents_and_what_is_executable(folder):
    hashes = [folder_hash(read_folder(folder))]
    for change in (
        lambda: (folder / "bot.py").write_text("bot 2"),
        lambda: (folder / "lib" / "deep.py").rename(folder / "lib" / "deeper.py"),
        lambda: (folder / "run.sh").chmod(0o644),
        lambda: (folder / "empty").touch(),
        lambda: (folder / "empty").unlink(),
    ):
        change()
        hashes.append(folder_hash(read_folder(folder)))
    assert len(set(hashes[:5])) == 5
    assert hashes[5] == hashes[3]


def test_the_hash_does_not_depend_on_the_machine(folder, tmp_path):
    assert folder_hash(read_folder(folder)) == "b25c3f99c7f6bed1f300cdf4c70612cb"
    os.utime(folder / "bot.py", (0, 0))
    (folder / "none").mkdir()
    shutil.copytree(folder, tmp_path / "another name")
    assert folder_hash(read_folder(tmp_path / "another name")) == "b25c3f99c7f6bed1f300cdf4c70612cb"


@pytest.mark.parametrize(
    "name", [".git/config", ".env", "__pycache__/x.pyc", "lib/__pycache__/y.pyc", "bot.py~", "#bot.py#"]
)
def test_what_editors_and_python_leave_behind_does_not_belong_to_it(folder, name):
    before = read_folder(folder)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("x")
    assert read_folder(folder) == before


@pytest.mark.parametrize("target", ["../private", "/etc/passwd", "lib", "gone", "bot.py"])
def test_a_link_is_refused_by_name(folder, target):
    (folder.parent / "private").mkdir()
    (folder.parent / "private" / "secret").write_text("secret")
    (folder / "net").symlink_to(target)
    with pytest.raises(UnfitError) as raised:
        read_folder(folder)
    assert raised.value.reason == "its file 'net' is a link. Copy the file there."


def test_what_is_no_file_is_refused(folder):
    os.mkfifo(folder / "pipe")
    with pytest.raises(UnfitError) as raised:
        read_folder(folder)
    assert raised.value.reason == "expected files in its folder, found something else: 'pipe'."


def test_a_folder_has_a_limit(folder):
    (folder / "net").write_bytes(bytes(1 << 20))
    with pytest.raises(UnfitError) as raised:
        read_folder(folder, 1)
    assert raised.value.reason == (
        "expected a folder of at most 1 MB, found more. A config can allow more: limits: {folder_mb: …}."
    )
    assert len(read_folder(folder, 2)) == 4


def test_a_folder_has_a_limit_of_files(folder, monkeypatch):
    monkeypatch.setattr("league.setup.bot_folder.MOST_FILES", 2)
    assert MOST_FILES > 2
    with pytest.raises(UnfitError, match="expected a folder of at most 2 files, found more"):
        read_folder(folder)


def test_names_must_be_text(folder):
    (folder / os.fsdecode(b"caf\xe9")).write_text("x")
    with pytest.raises(UnfitError, match="expected file names in UTF-8"):
        read_folder(folder)


def test_a_path_has_a_limit(folder):
    deep = folder.joinpath(*["d" * 200] * 10)
    deep.mkdir(parents=True)
    (deep / "x").touch()
    with pytest.raises(UnfitError, match=r"expected paths of less than 2,000 bytes in its folder, found a longer one"):
        read_folder(folder)


def file(path, content=b"x"):
    return BotFile(path, content_hash(content), content=content)


@pytest.mark.parametrize(
    "path",
    [
        *("../evil", "/tmp/evil", "a/../../evil", ".", "", "a//b", "..", "a/./b", "/", "//", "a/", "a\0b", "\ud800"),
        *("//{}/evil", "///{}/evil", "a/" * 1500 + "b", "x" * 256),
    ],
)
def test_a_path_that_leads_out_is_refused(tmp_path, path):
    """A league's results may come from a stranger, and the paths of bots' files with them."""
    (tmp_path / "shelf").mkdir()
    with pytest.raises(RosterError, match="Expected a path inside a bot's folder"):
        write_folder([file(path.format(tmp_path))], tmp_path / "shelf")
    assert list(tmp_path.rglob("*")) == [tmp_path / "shelf"]


@pytest.mark.parametrize("path", ["link/evil", "link", "lib/link/evil"])
def test_nothing_is_written_through_a_link(tmp_path, path):
    (tmp_path / "private").mkdir()
    shelf = tmp_path / "shelf"
    (shelf / "lib").mkdir(parents=True)
    for link in (shelf / "link", shelf / "lib" / "link"):
        link.symlink_to(tmp_path / "private")
    with pytest.raises(RosterError, match="different paths"):
        write_folder([file(path)], shelf)
    assert list((tmp_path / "private").iterdir()) == []


@pytest.mark.parametrize("paths", [("a", "a"), ("a", "a/b"), ("a/b", "a")])
def test_paths_that_exclude_each_other_are_refused(tmp_path, paths):
    with pytest.raises(RosterError, match="Expected files with different paths, found"):
        write_folder(map(file, paths), tmp_path)


def test_content_that_is_another_than_claimed_is_refused(tmp_path):
    with pytest.raises(RosterError, match="The content of 'net' does not match its hash"):
        write_folder([msgspec.structs.replace(file("net"), content=b"y")], tmp_path)
    assert list(tmp_path.iterdir()) == []
