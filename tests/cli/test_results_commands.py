"""The commands that read a league's results: standings, compare, faults, verify; and how they tell mistakes."""

import csv
import io
import json
from contextlib import chdir
from pathlib import Path

import pytest
from click.testing import CliRunner

from league.cli import league
from league.setup.config import parse
from tests.commands import call
from tests.leagues import DICE, FIRST, LAST, on_a_terminal, play_league

CONFIG = """\
league: small
seed: 1
bots: bots
games: [{game: raj, deals: 20}, {game: raj, players: 3, deals: 4}, {game: braverats, deals: 4}]
isolation: trusted
"""
HASTY = """
class Bot:
    games = ("raj",)

    def choose(self, view):
        return 1 if view.prize > 0 else [].pop()
"""
NEVER = """
class Bot:
    games = ("raj",)

    def choose(self, view):
        raise ValueError("not today")
"""
BOTS = {"ann": FIRST, "bob": LAST, "cid": DICE, "dan": HASTY, "eve": NEVER}


@pytest.fixture(scope="module")
def played(without_page, tmp_path_factory):
    """A folder with a league that was played."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "bots").mkdir()
    (folder / "small.yaml").write_text(CONFIG)
    for name, source in BOTS.items():
        (folder / f"bots/{name}.py").write_text(source)
    with chdir(folder):
        assert CliRunner().invoke(league, ["run", "small.yaml", "-q", "--workers", "1"]).exit_code == 0
    return folder


@pytest.fixture(autouse=True)
def there(played, monkeypatch):
    monkeypatch.chdir(played)


class TestStandings:
    @pytest.mark.slow
    def test_where_some_bots_do_not_play_every_game_each_game_has_its_table(self):
        lines = call("standings", "results/small").stdout.splitlines()
        assert [line for line in lines if line in ("Raj, 2 players", "Raj, 3 players", "BraveRats")] == [
            *("Raj, 2 players", "Raj, 3 players", "BraveRats"),
        ]
        assert lines[2].split()[:4] == ["place", "bot", "games", "rating"]
        assert {line.split()[1] for line in lines[3:8]} == set(BOTS)

    def test_csv_is_the_file_that_the_run_wrote(self):
        assert call("standings", "results/small", "--format", "csv").stdout == Path(
            "results/small/standings.csv"
        ).read_text("utf-8")

    def test_a_contest_in_csv_has_points_and_the_order_asked_for(self):
        text = call("standings", "results/small", "--game", "raj-2p", "--format", "csv", "--sort", "bot").stdout
        rows = list(csv.DictReader(io.StringIO(text)))
        assert [row["bot"] for row in rows] == sorted(BOTS)
        assert all(int(row["games"]) == 160 and float(row["mean_points"]) > 0 for row in rows[:3])
        most_faults = call("standings", "results/small", "--game", "raj-2p", "--sort", "faults").stdout.splitlines()[1]
        assert most_faults.split()[1] in ("dan", "eve")

    def test_bots_without_games_have_no_numbers(self, played, tmp_path):
        """As in a league that was stopped before the first block was finished."""
        config = parse("league: none\nbots: bots\ngames: [{game: raj}]\nisolation: trusted\n", played)
        play_league(config, tmp_path, stopping=lambda: True)
        shown = call("standings", str(tmp_path / "none")).stdout.splitlines()
        assert [line.split() for line in shown if "dan" in line.split()] == [["unplayed", "dan", *"--------"]]

    @pytest.mark.slow
    def test_programs_get_whole_lines_however_narrow_the_terminal(self, monkeypatch):
        whole = call("standings", "results/small").stdout
        monkeypatch.setenv("COLUMNS", "40")
        assert call("standings", "results/small").stdout == whole


class TestFaults:
    def test_counts_add_up_to_every_fault(self):
        head, *lines = call("faults", "results/small", "dan").stdout.splitlines()
        lines = [line for line in lines if not line.startswith("      ")]
        total = int(head.split()[1])
        assert sum(int(line.split()[0].rstrip("x")) if line.split()[0].endswith("x") else 1 for line in lines) == total
        every = json.loads(call("faults", "results/small", "--json").stdout)
        assert sum(fault["bot"] == "dan" for fault in every) == total
        assert json.loads(call("faults", "results/small", "dan", "--json").stdout) == [
            fault for fault in every if fault["bot"] == "dan"
        ]

    def test_causes_fit_a_terminal_and_tracebacks_stay_as_they_are(self, monkeypatch):
        whole = call("faults", "results/small", "dan").stdout
        on_a_terminal(monkeypatch, 60)
        folded = call("faults", "results/small", "dan").stdout
        assert folded.split() == whole.split()
        assert max(len(line) for line in folded.splitlines() if "dan.py" not in line) <= 60
        assert [line for line in folded.splitlines() if "dan.py" in line] == [
            line for line in whole.splitlines() if "dan.py" in line
        ]


class TestVerify:
    @pytest.mark.slow
    def test_bots_that_could_not_be_compared_are_named(self):
        told = call("verify", "results/small").stdout
        assert "Note: whether eve is deterministic is unknown: it was at fault in every match.\n" in told


def test_who_is_best_is_said_in_the_words_of_a_run_where_there_is_one_game():
    one = call("standings", "results/small", "--game", "raj-2p").stdout
    assert "\nProbably the best: " in one
    assert "Raj, 2 players: " not in one.partition("\n! ")[0]
    assert "\nRaj, 2 players: probably the best: " in call("standings", "results/small", "--game", "raj").stdout
