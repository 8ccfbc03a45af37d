"""Files are there whole or not at all, and where they cannot be written it is said in one line."""

import pytest

from league.errors import StoreError
from league.tools.files import write_bytes, write_text


def test_a_file_is_replaced_as_a_whole(tmp_path):
    write_text(tmp_path / "a.txt", "one")
    write_text(tmp_path / "a.txt", "two")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["two"]


def test_where_nothing_can_be_written_nor_removed_there_is_one_line(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("pathlib.Path.open", refuse)
    monkeypatch.setattr("pathlib.Path.unlink", refuse)
    with pytest.raises(StoreError, match=r"a\.txt cannot be written: Read-only file system\."):
        write_text(tmp_path / "a.txt", "one")


def test_a_file_that_is_there_is_not_replaced_unless_it_may_be(tmp_path):
    write_bytes(tmp_path / "a.txt", b"one", replace=False)
    with pytest.raises(FileExistsError):
        write_bytes(tmp_path / "a.txt", b"two", replace=False)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["one"]
