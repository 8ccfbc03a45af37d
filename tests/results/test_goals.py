"""`league check --config`: which milestones a league has, and how far a bot is from each."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from league.cli import league
from league.errors import ConfigError, RosterError
from tests.leagues import FIRST, LAST
from tests.tables import each

NEAREST = FIRST.replace("return view.legal[0]", "return min(view.legal, key=lambda card: abs(card - view.prize))")
CONFIG = """\
league: small
seed: 3
bots: bots
games: [{game: raj, deals: 40}]
isolation: trusted
milestones:
  - {bot: low, title: Bronze, points: 20}
  - {bot: high, points: 5}
  - {bot: same}
"""


def run(*words: str) -> str:
    result = CliRunner().invoke(league, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    for name, source in {"low": FIRST, "high": LAST, "same": NEAREST + "\n", "amy": NEAREST}.items():
        Path("bots", f"{name}.py").write_text(source)
    Path("small.yaml").write_text(CONFIG)


def test_milestones_are_named_before_anything_was_played(folder):
    said = run("check", "bots/amy.py", "--config", "small.yaml")
    assert "Milestones of small: low (Bronze, 20), high (high, 5), same (same, 1)." in said
    assert "amy has no results in small yet." in said


def test_verdict_says_what_a_bot_is_to_each_milestone(folder):
    run("run", "small.yaml", "--quiet", "--workers", "1", "--results", "elsewhere")
    words = ("check", "bots/amy.py", "--config", "small.yaml", "--results", "elsewhere")
    said = " ".join(run(*words).split())
    assert "In small, amy is ahead of low, settled; " in said
    assert re.search(
        r"about as good as same; at least [\d,]+ more games? would decide it "
        r"\(and find a lead of [\d.]+ in 80% of cases\)\.$",
        said,
    )
    (verdict,) = json.loads(run(*words, "--json"))["bots"]
    steps = verdict["milestones"]["progress"]["steps"]
    assert [(step["bot"], step["state"]) for step in (steps[0], steps[-1])] == [
        ("low", "reached"),
        ("same", "undecided"),
    ]
    Path("bots/amy.py").write_text(FIRST)
    assert "In small, an earlier version of amy is ahead of low, settled" in " ".join(run(*words).split())


def test_without_milestones_nothing_is_said(folder):
    Path("small.yaml").write_text(CONFIG.partition("milestones")[0])
    assert "ilestone" not in run("check", "bots/amy.py", "--config", "small.yaml")


@each(
    ("milestone", "told"),
    [
        ("{bot: low, game: ray}", "small.yaml:7: expected a game or contest of this league (raj-2p), found 'ray'."),
        ("{bot: low, game: raj-3p}", "found 'raj-3p'. Did you mean 'raj-2p'?"),
    ],
)
@each("command", ["run", "run --dry-run", "check bots/amy.py --config", "submit amy.py --config"])
def test_milestone_that_nobody_could_reach_is_refused(folder, command, milestone, told):
    Path("small.yaml").write_text(f"{CONFIG.partition('milestones')[0]}milestones:\n  - {milestone}\n")
    with pytest.raises(ConfigError) as problem:
        run(*command.split(), "small.yaml")
    assert told in str(problem.value)
    assert "\n" not in str(problem.value)


@each("command", ["run", "run --dry-run"])
def test_milestone_that_is_no_bot_is_refused_when_the_bots_are_known(folder, command):
    Path("small.yaml").write_text(f"{CONFIG.partition('milestones')[0]}milestones: [{{bot: lwo}}]\n")
    with pytest.raises(RosterError, match=r"There is no bot 'lwo' among the .* of this league\. Did you mean 'low'\?"):
        run(*command.split(), "small.yaml")
