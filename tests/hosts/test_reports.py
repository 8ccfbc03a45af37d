"""`league verify`, `league faults` and `league doctor`, on a league with a bot for every kind of finding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import league as league_package
from league.analysis.audit import CHANCE, CHANGED, OTHER_GAMES, audit
from league.cli import league
from league.hosts.doctor import OVERRUNS
from league.loop import LeagueRun
from league.page import write_page
from league.page.data import PAGE
from league.results.standings import Standings
from league.results.store import Store
from league.setup.config import parse
from league.values.settings import Isolation
from tests.leagues import FIRST, play_league

BOTS = {
    "honest": """
import random

class Bot:
    def __init__(self, table):
        self.seen = []

    def choose(self, view):
        self.seen.append(view.prize)
        return view.legal[(sum(self.seen) + random.randrange(3)) % len(view.legal)]
""",
    "gossip": """
class Bot:
    asked = 0

    def choose(self, view):
        Bot.asked += 1
        return view.legal[Bot.asked % len(view.legal)]
""",
    "dicey": """
import json
import os

class Bot:
    def choose(self, view):
        return view.legal[os.urandom(1)[0] % len(view.legal)]
""",
    "early": """
import time

class Bot:
    def choose(self, view):
        return view.legal[time.perf_counter_ns() // 1000 % len(view.legal)]
""",
    "clumsy": """
class Bot:
    def choose(self, view):
        if len(view.history) == 2 and view.pile[-1] > 6:
            raise ValueError("oh \\x1b[2J dear")
        return view.legal[0]
""",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small league that was played, with a bot for every kind of finding."""
    base = tmp_path_factory.mktemp("league")
    (base / "bots").mkdir()
    for name, source in BOTS.items():
        (base / "bots" / f"{name}.py").write_text(source)
    text = "league: small\nseed: 1\nbots: bots\ngames:\n  - {game: raj, players: [2], deals: 40}\n"
    with LeagueRun(parse(text, base), base, workers=1) as league_run:
        assert league_run.check_bots(strict=True) == ()
        return league_run.play().folder


def run(*words: str | Path):
    return CliRunner().invoke(league, [str(word) for word in words])


def test_the_audit_compares_with_the_moves_that_were_kept(tmp_path: Path) -> None:
    """The bot plays the same whenever it is asked now, but not as it did in the league."""
    (tmp_path / "bots").mkdir()
    later = tmp_path / "later"
    changed = f"import os\n        return view.legal[-(len(view.history) == 2 and os.path.exists({str(later)!r}))]\n#"
    (tmp_path / "bots" / "ann.py").write_text(FIRST.replace("return", changed))
    (tmp_path / "bots" / "bob.py").write_text(FIRST)
    text = "league: small\nseed: 1\nbots: bots\nisolation: trusted\ngames: [{game: raj, deals: 2}]\n"
    results = play_league(parse(text, tmp_path), tmp_path).folder
    assert league_package.verify(results, seed=0, isolation="trusted").findings == ()
    later.touch()
    (finding,) = league_package.verify(results, seed=0, isolation="trusted").findings
    assert (finding.bot, finding.reason, finding.step) == ("ann", CHANGED, 3)
    assert (finding.then, finding.now) == ("bids 3", "bids 15")
    assert finding.place.endswith(", step 3: bids 3, and now bids 15")


def test_the_audit_stops_when_its_time_is_over(folder: Path) -> None:
    with Store.open(folder) as store:
        assert audit(store, seconds=0).matches == 0


@pytest.mark.slow
def test_audit_is_cut_short_while_a_bot_thinks(tmp_path: Path) -> None:
    """One block of this bot would take days."""
    (tmp_path / "bots").mkdir()
    slow = tmp_path / "slow"
    pause = f"import os, time\n        time.sleep(1000 if os.path.exists({str(slow)!r}) else 0)\n        return"
    for name in ("ann", "bob"):
        (tmp_path / "bots" / f"{name}.py").write_text(FIRST.replace("return", pause))
    text = "league: small\nseed: 1\nbots: bots\nisolation: trusted\nmoves: none\ngames: [{game: raj, deals: 4}]\n"
    results = play_league(parse(text, tmp_path), tmp_path).folder
    slow.touch()
    with Store.open(results) as store:
        assert audit(store, seconds=2, isolation=Isolation.TRUSTED, most_seconds=2).matches == 0
        write_page(store, Standings.of(store), isolation=Isolation.TRUSTED, seconds=2)
    assert not (results / "games").exists()
    assert (results / PAGE).exists()


def test_verify_names_bots_that_are_not_deterministic(folder: Path) -> None:
    result = run("verify", folder, "--seed", "0")
    assert result.exit_code == 1
    assert f"gossip {OTHER_GAMES} (seen in raj-2p:" in result.output
    assert "Keep what it remembers in self, set in __init__" in result.output
    assert "Take random numbers from table.rng" in result.output
    assert "honest" not in result.output.replace("+honest", "").replace("honest+", "")
    assert "3 bots are not deterministic and left out: dicey, early and gossip" in result.output
    data = json.loads(run("verify", folder, "--seed", "0", "--json").output)
    reasons = {finding["bot"]: finding["reason"] for finding in data["findings"]}
    assert reasons == {"dicey": CHANCE, "early": CHANCE, "gossip": OTHER_GAMES}
    gossip = data["findings"][-1]
    assert (
        f"{gossip['address']}, step {gossip['step']}: {gossip['then']}, and asked alone {gossip['now']}"
        in result.output
    )


def test_faults_command(folder: Path) -> None:
    result = run("faults", folder)
    assert result.exit_code == 0
    heading, cause = result.output.splitlines()
    assert heading.startswith("clumsy: ")
    assert heading.endswith(" error)")
    assert cause.startswith(f"  {heading.split()[1]}x error: ValueError: oh")
    assert "\x1b" not in result.output
    of_one = run("faults", folder, "clumsy").output
    assert 'File "clumsy.py", line 5, in choose' in of_one
    assert "raise ValueError" in of_one
    assert run("faults", folder, "honest").output == "No faults.\n"
    told = str(run("faults", folder, "clumsey").exception)
    assert told == "There is no bot 'clumsey' in this league. Did you mean 'clumsy'?"


def test_check_shows_what_a_bot_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loud.py").write_text("""
import sys
print("hello \\x1b[2J")
class Bot:
    games = ("braverats",)
    def choose(self, view):
        print(view.legal, file=sys.stderr)
        return view.legal[0]
""")
    result = run("check", "loud.py")
    verdict, heading, *begins, _, hint = result.output.splitlines()
    assert result.exit_code == 0
    assert "no faults" in verdict
    assert heading.startswith("loud prints, which is not shown in a league: ")
    assert heading.endswith(" bytes in 10 games. It begins:")
    assert begins[:2] == ["    hello  [2J", "    (0, 1, 2, 3, 4, 5, 6, 7)"]
    assert len(begins) == 5
    assert hint == "    league match braverats loud.py loud.py"


def test_doctor_command() -> None:
    """It reports everything that the tests of isolation rely on, and a remedy for each gap."""
    result = run("doctor")
    assert result.exit_code == 0
    for what in ("sandbox: files, network", *(f"limit: {what}: holds" for what in OVERRUNS)):
        assert f"ok   {what}" in result.output
    assert "GAP" not in result.output or "\n     " in result.output.partition("GAP")[2]
    assert result.output.endswith("Bots can be confined here.\n")
