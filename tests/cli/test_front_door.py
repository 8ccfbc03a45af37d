"""The first screens that a stranger sees: `league` alone, and `league init`."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from league.api import printer
from league.cli import league, output
from league.setup.config import load
from tests.commands import refused


@pytest.fixture
def narrow(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for module in (output, printer):
        monkeypatch.setattr(module, "columns", lambda **_: 80)
    return tmp_path


def said(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(league, words, catch_exceptions=False)
    assert result.exit_code == code
    assert max(map(len, result.output.splitlines())) <= 80
    return result.output


def test_who_asks_for_nothing_is_told_how_to_begin(narrow):
    assert "league init && league run" in said()


def test_init_writes_everything_that_its_readme_names(narrow):
    said("init", "work")
    written = narrow / "work"
    files = "bots/random.py configs/quick.yaml docs/tutorial-bot.md docs/rules/raj.md examples/ci/workflow.yml"
    for name in files.split():
        assert (written / name).is_file()
    assert sorted(path.stem for path in (written / "configs").iterdir()) == ["class", "overnight", "quick"]
    assert {path.suffix for path in (written / "docs").rglob("*.*")} == {".md", ".svg"}
    for page in (written / "docs").rglob("*.md"):
        for target in re.findall(r"(?<!!)\[[^]]*\]\((?!\w+:)([^)\s#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not written"


def test_a_class_of_one_game_plays_that_alone(narrow):
    said("init", "work", "--game", "magillat")
    config = load(narrow / "work" / "configs" / "class.yaml")
    assert config.name == "class"
    assert {contest.game for contest in config.contests()} == {"magillat"}


def test_init_looks_where_it_will_write(narrow):
    Path("configs").mkdir()
    Path("configs/quick.yaml").write_text("mine")
    assert "configs/quick.yaml would be overwritten, so nothing was written" in refused("init", "zz/../.")
    assert Path("configs/quick.yaml").read_text() == "mine"
    assert [path.name for path in Path().iterdir()] == ["configs"]
