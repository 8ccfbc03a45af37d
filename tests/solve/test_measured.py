"""What was measured of a bot is found again by its content, and shown in the standings of BraveRats."""

from __future__ import annotations

import csv
import json

import pytest
from click.testing import CliRunner

from league import games
from league.cli import league
from league.setup.roster import load
from league.solver.measured import Measurement, keep, recall
from league.values.settings import Contest

pytestmark = pytest.mark.usefixtures("without_page")
RATS = games.make("braverats", 2)
EXACT = Measurement(0.25, 0.25, 0.25, "exact")
GUESS = Measurement(0.2, 0.1, 0.3, "estimate")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAGUE_CACHE", str(tmp_path / "cache"))


def test_it_is_found_by_bot_and_rules():
    keep("one", RATS, EXACT)
    assert recall("one", Contest.of(RATS)) == EXACT
    assert recall("one", Contest.of(RATS, games_per_match=10)) == EXACT
    assert recall("other", Contest.of(RATS)) is None
    assert recall("one", Contest.of(games.make("braverats", 2, {"quick": True}))) is None


def test_an_estimate_does_not_replace_what_is_exact():
    keep("one", RATS, GUESS)
    keep("one", RATS, EXACT)
    keep("one", RATS, GUESS)
    assert recall("one", Contest.of(RATS)) == EXACT


def test_a_broken_or_unwritable_cache_stops_nothing(tmp_path, monkeypatch):
    keep("one", RATS, EXACT)
    for file in (tmp_path / "cache" / "exploit").iterdir():
        file.write_bytes(b'{"value": ')
    assert recall("one", Contest.of(RATS)) is None
    monkeypatch.setenv("LEAGUE_CACHE", str(tmp_path / "file"))
    (tmp_path / "file").touch()
    keep("one", RATS, EXACT)
    assert recall("one", Contest.of(RATS)) is None


@pytest.mark.slow
def test_the_standings_of_braverats_show_it(tmp_path):
    for name, move in (("low", 0), ("high", -1)):
        (tmp_path / f"{name}.py").write_text(
            f"class Bot:\n    def choose(self, view):\n        return view.legal[{move}]\n"
        )
    config = (
        "league: small\nseed: 1\nbots: [low.py, high.py]\ngames: [{game: braverats, deals: 2}]\nisolation: trusted\n"
    )
    (tmp_path / "small.yaml").write_text(config)
    folder = tmp_path / "results" / "small"

    def run(*words):
        result = CliRunner().invoke(league, [*map(str, words)])
        assert result.exit_code == 0, result.output
        return result

    run("run", tmp_path / "small.yaml", "--results", folder.parent, "--quiet")
    standings = ("standings", folder, "--exploitability")
    first = run(*standings)
    assert "Not measured yet: high and low." in " ".join(first.stderr.split())
    assert "exploitability" not in first.stdout
    keep(load(tmp_path / "low.py").hash, RATS, EXACT)
    shown = run(*standings)
    assert "Not measured yet: high." in " ".join(shown.stderr.split())
    heading, *rows = (line.split() for line in shown.stdout.splitlines()[:3])
    assert heading[-1] == "exploitability"
    assert {row[1]: row[-1] for row in rows} == {"low": "0.2500", "high": "-"}
    table = {row["bot"]: row for row in csv.DictReader(run(*standings, "--format", "csv").stdout.splitlines())}
    assert float(table["low"]["exploitability"]) == 0.25
    assert table["high"]["exploitability"] == ""
    data = json.loads(run(*standings, "--format", "json").stdout)["standings"]["braverats-2p"]
    assert {line["bot"]: line.get("exploitability") for line in data} == {"low": 0.25, "high": None}
    plain = run("standings", folder, "--game", "braverats", "--format", "csv").stdout
    assert "exploitability" not in plain
