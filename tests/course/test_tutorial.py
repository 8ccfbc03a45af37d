"""The commands of docs/tutorial-class.md, run for a part of the made-up class."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests import docs
from tests.course.class_of_40 import canvas_archive, handins, moodles_archive, roster, week_later
from tests.course.made_up_class import bot_text

PAGE = docs.ROOT / "docs" / "tutorial-class.md"


def blocks(kind: str) -> list[str]:
    return [block["body"] for block in docs.BLOCK.finditer(PAGE.read_text(encoding="utf-8")) if block["kind"] == kind]


def commands() -> list[str]:
    lines = [line.removeprefix(docs.PROMPT) for body in blocks("console") for line in body.splitlines()]
    return [command for line in lines for command in line.split(" && ")]


def shortened(config: str) -> str:
    """A config that plays little, and whose one milestone is decided soon."""
    config = re.sub(r"(?s)\nmilestones:.*?\n\n", "\nmilestones: [{bot: random, points: 40, margin: 60}]\n\n", config)
    config = re.sub(r"deals: \d+", "deals: 1", config).replace("games_per_match: 10 ", "games_per_match: 1 ")
    return re.sub(r"max_lineups: \d+", "max_lineups: 5", config)


@pytest.mark.slow
def test_the_commands_of_the_tutorial_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    games = []
    for line in commands():
        if line.startswith("cd "):
            monkeypatch.chdir(line.removeprefix("cd "))
            Path("configs/class.yaml").write_text(shortened(Path("configs/class.yaml").read_text()))
            Path("people.csv").write_text(roster())
            Path("scheme.yaml").write_text(next(body for body in blocks("yaml") if body.startswith("formula:")))
            Path("Exercise1.zip").write_bytes(moodles_archive(handins()))
            Path("Exercise2.zip").write_bytes(canvas_archive(week_later(handins())))
            Path("handin").mkdir()
            Path("handin/bot.py").write_text(bot_text())
            continue
        printed, code = docs.run(line)
        assert code == 0 or "doctor" in line, (line, printed)
        if "league run" in line:
            games.append(next(int(words[0].replace(",", "")) for words in map(_played, printed) if words))
    assert games[1] < games[0]
    assert sorted(path.stem for path in Path("bots/_class").glob("*.py")) == [
        *("amy_adams", "bo_adams", "cid_brown", "eli_brown", "eli_cruz", "guest", "hana_brown", "hana_evans"),
    ]
    assert "Amy Adams" in Path("grades.csv").read_text()
    assert Path("feedback/amy_adams.html").exists()


def _played(line: str) -> list[str]:
    return re.findall(r"([\d,]+) games? in ", line)


def test_the_tutorial_has_a_command_for_each_step() -> None:
    words = {word for line in commands() if line.startswith("league ") for word in shlex.split(line)[1:3]}
    assert words >= {"init", "doctor", "new", "check", "collect", "run", "grades", "similar", "submit", "standings"}
