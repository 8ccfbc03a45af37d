"""What the pages for users show is true: their examples are run, and every key is described."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from league.cli import league
from league.errors import ConfigError
from league.setup.config import parse
from league.values.settings import ADAPTIVE_DEALS, MAX_LINEUPS, Limits, Stop

DOCS = Path(__file__).parent.parent / "docs"
CONFIG = (DOCS / "config.md").read_text(encoding="utf-8")
TUTORIAL = (DOCS / "tutorial-bot.md").read_text(encoding="utf-8")
TRUSTED = ["--isolation", "trusted"]


def fenced(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def console(page: str) -> list[tuple[list[str], list[str]]]:
    """The commands of a page, each with the lines that it is said to print."""
    shown = [block.splitlines() for block in fenced(page, "console")]
    return [(first.removeprefix("$ league ").split(), rest) for first, *rest in shown]


def row(name: str, page: str = CONFIG) -> str:
    """What the table says where a key is left out."""
    found = re.search(rf"^\| [^|]*`{name}`[^|]* \|.*\| (.*?) \|$", page, re.MULTILINE)
    assert found, f"{name} is not described"
    return found[1]


def test_the_config_of_the_page_is_right():
    config = parse("\n".join(fenced(CONFIG, "yaml")), Path())
    assert [contest.key for contest in config.contests()] == ["raj-2p", "raj-3p", "braverats-2p"]
    assert config.limits == Limits()
    assert [milestone.bot for milestone in config.milestones] == ["raj_nearest", "raj_habits", "raj_endgame"]
    assert config.anchors == {"raj_habits": 24.0, "raj_nearest": 18.5}


def test_other_defaults_are_as_described():
    config = parse("league: x\nbots: b\ngames: [game: raj]", Path())
    (event,) = config.events
    assert row("deals") == f"{event.deals}, adaptive: {ADAPTIVE_DEALS}"
    assert row("max_lineups").startswith(f"{MAX_LINEUPS} at tables of three and more;")
    assert (event.max_lineups, event.opponents, config.stop) == (None, None, Stop())
    assert row("games_per_match") == str(event.contest.games_per_match)
    assert config.seed is None
    assert row("seed") == "drawn at random"
    assert row("isolation") == f"`{config.isolation}`"
    for name in ("league", "bots", "games", "game"):
        assert row(name) == "required"
    assert {"schedule", "limits", "rating", "players", "options"} <= set(
        re.findall(r"^\| `(\w+)`", CONFIG, re.MULTILINE)
    )


def test_the_mistake_of_the_page_is_reported_like_that():
    shown = fenced(CONFIG, "text")[0].removeprefix("league: ").strip()
    text = "league: evening\nseed: 10\nbots: b\ngames:\n  - game: rja\n"
    with pytest.raises(ConfigError) as raised:
        parse(text, Path(), "evening.yaml")
    assert str(raised.value) == shown


@pytest.mark.slow
def test_the_tutorial_can_be_typed_as_it_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    nearest, searcher = fenced(TUTORIAL, "python")
    new, check, typo, look, submit = console(TUTORIAL)

    def run(words):
        return CliRunner().invoke(league, words).stdout.splitlines()

    assert run(new[0]) == new[1]
    written = Path("nearest.py").read_text(encoding="utf-8")
    Path("nearest.py").write_text(written[: written.index("class Bot")] + nearest)
    Path("typo.py").write_text(nearest.replace("view.prize", "view.price"))
    Path("searcher.py").write_text(searcher)

    pace = re.compile(r"\S+ ms a decision")
    assert [pace.sub("", line) for line in run(check[0] + TRUSTED)] == [pace.sub("", line) for line in check[1]]
    told = run(typo[0] + TRUSTED)
    assert told[:5] == typo[1][:5]
    assert told[-1].startswith(typo[1][-1])  # some versions of Python add what was meant
    source = Path("nearest.py").read_text(encoding="utf-8")
    prints = 'def choose(self, view):\n        print(view.prize, "is at stake")\n'
    Path("nearest.py").write_text(source.replace("def choose(self, view):\n", prints))
    assert run([*look[0], "--isolation", "process"])[: len(look[1])] == look[1]
    Path("nearest.py").write_text(source)
    assert [pace.sub("", line) for line in run(submit[0] + TRUSTED)] == [pace.sub("", line) for line in submit[1]]
    assert "no faults" in run(["check", "searcher.py", *TRUSTED])[0]
