"""`league duel`: what it tells, how it ends, and that it goes on where it was."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from league.cli import compare as duel_module
from league.cli import league
from tests.commands import call
from tests.leagues import DICE, FIRST, LAST

NEAREST = """
class Bot:
    games = ("raj",)

    def choose(self, view):
        return min(view.legal, key=lambda card: abs(card - abs(view.prize) - 4))
"""
BOTS = {
    "random": DICE,
    "ann": NEAREST,
    "bob": LAST,
    "dice": DICE,
    "rat": FIRST.replace("def", "games = ('braverats',)\n\n    def"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Tests stand in a folder with some bots."""
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    for name, source in BOTS.items():
        Path(f"bots/{name}.py").write_text(source)


def duel(*words: str):
    """What the command did, on the same deals each time."""
    return call("duel", *words, "--seed", "1", "--workers", "1", "--isolation", "trusted")


def test_the_better_bot_is_named_from_either_side():
    won = duel("ann", "random", "--game", "raj")
    assert won.exit_code == 0
    lead = r"\(\+0\.\d{3} … \+[01]\.\d{3}\)"
    told = rf"ann is better than random: a lead of \+[01]\.\d{{3}} in mean score {lead} after"
    assert re.match(told, won.stdout)
    assert "results: results/duels/ann-vs-random-raj-2p\n" in won.stderr
    lost = duel("random", "ann", "--game", "raj", "-q")
    assert re.match(told, lost.stdout)
    assert lost.stderr == ""


def test_the_same_command_plays_nothing_again():
    first = duel("ann", "random", "--game", "raj")
    again = duel("ann", "random", "--game", "raj")
    assert again.stdout == first.stdout
    assert "league: 0 games played now" in again.stderr


def test_twins_are_even_within_what_matters():
    told = duel("random", "dice", "--game", "raj", "--smallest", "0.4", "-q").stdout
    assert told.startswith("random and dice are even within 0.4: random minus dice ")


def test_without_a_verdict_it_says_how_to_go_on():
    told = duel("random", "dice", "--game", "raj", "--deals", "64", "--smallest", "0.002")
    assert told.exit_code == 0
    assert told.stdout.startswith("Not settled yet: ")
    assert "after 64 deals. Run the same command to continue" in told.stdout


def test_an_interrupted_duel_ends_with_130(monkeypatch):
    class Interrupted:
        """As if Ctrl-C was pressed at once."""

        def __init__(self, said):
            said()

        def __enter__(self):
            return lambda: True

        def __exit__(self, *problem):
            return None

    monkeypatch.setattr("league.cli.exits.Interrupts", Interrupted)
    result = duel("ann", "random", "--game", "raj")
    assert result.exit_code == 130
    assert "league: stopping; run the same command to continue.\n" in result.stderr
    assert result.stdout.startswith("Not settled yet: ")


def test_a_duel_ends_in_time_and_says_that_it_is_open():
    Path("bots/also.py").write_text(DICE)
    told = duel("dice", "also", "--game", "raj", "--for", "2s", "--smallest", "0.001")
    assert told.exit_code == 0
    assert told.stdout.startswith("Not settled yet: ")


def test_a_larger_table_is_filled_with_random_bots_or_those_named():
    told = duel("ann", "bob", "--game", "raj", "--players", "3", "--deals", "64")
    assert told.exit_code == 0
    assert "has rated other fast bots at raj, so random bots take the other seats. Choose" in told.stderr
    assert "league: 384 games played now" in told.stderr  # 64 deals, 3 rotations, a table for each of the two
    assert "league: They never met: " in told.stderr
    named = duel("ann", "bob", "--game", "raj", "--players", "3", "--with", "dice", "--with", "dice")
    assert ", taking turns at a table with dice and dice_2: " in named.stdout
    assert "so random bots" not in named.stderr


@pytest.mark.slow
def test_the_best_bots_of_a_league_sit_at_a_larger_table():
    rated = Path("results/one/standings-raj-2p.csv")
    rated.parent.mkdir(parents=True)
    rated.write_text("place,bot,games\n1,ann,9\n2,gone,9\n3,rat,9\n4,dice,9\n5,random,9\n6,idle,0\n")
    told = duel("ann", "bob", "--game", "raj", "--players", "3", "--deals", "64")
    assert "league: The other seats go to the best fast bots at raj in results/one: dice and random." in told.stderr
    together = duel("ann", "bob", "--game", "raj", "--players", "3", "--deals", "64", "--together")
    assert " at one table with dice: " in together.stdout
    assert "They never met" not in together.stderr
    assert "results/duels/ann-vs-bob-raj-3p-together" in together.stderr


def test_slow_bots_are_not_seated_unasked():
    """A duel at larger tables would take minutes because of a bot that nobody asked about."""
    slow = NEAREST.replace("        return", "        sum(range(400_000))\n        return")
    for name, source in {"mule": slow, "dice": DICE}.items():
        Path(f"bots/{name}.py").write_text(source)
    Path("c.yaml").write_text("{league: one, bots: [bots/mule.py, bots/dice.py], games: [{game: raj, deals: 2}]}")
    assert CliRunner().invoke(league, ["run", "c.yaml", "--workers", "1", "--quiet"]).exit_code == 0
    told = duel("ann", "bob", "--game", "raj", "--players", "4", "--together", "--deals", "64")
    assert "at raj in results/one: dice, and 1 random bot" in told.stderr


@pytest.mark.slow
def test_standings_of_the_same_table_size_count_first():
    for name, key, best in (("old", "raj-3p", "dice"), ("new", "raj-2p", "random")):
        rated = Path(f"results/{name}/standings-{key}.csv")
        rated.parent.mkdir(parents=True)
        rated.write_text(f"place,bot,games\n1,{best},9\n")
    told = duel("ann", "bob", "--game", "raj", "--players", "3", "--deals", "64", "--together")
    assert "in results/old: dice." in told.stderr
    told = duel("ann", "bob", "--game", "raj", "--players", "4", "--deals", "64")
    assert "random, and 2 random bots. Choose" in told.stderr


def test_quiet_duel_still_shows_faults():
    Path("bots/crash.py").write_text("class Bot:\n    def choose(self, view):\n        raise ValueError('no idea')\n")
    told = duel("crash", "random", "--game", "raj", "-q").stdout.splitlines()
    assert told[0].startswith("random is better than crash: ")
    assert " faults of crash (" in told[1]
    assert told[1].startswith("! ")


@pytest.mark.parametrize(("verdict", "better", "not_worse"), [("a", 0, 0), ("even", 1, 0), ("b", 1, 1), (None, 3, 3)])
def test_exit_code_says_whether_a_requirement_holds(verdict, better, not_worse):
    codes = [duel_module.exit_code(verdict, require) for require in ("better", "not-worse", None)]
    assert codes == [better, not_worse, 0]


def test_verdict_for_ci_is_one_line_of_json_and_an_exit_code():
    won = duel("ann", "bob", "--game", "raj", "--require", "better", "--json", "--quiet")
    verdict = json.loads(won.stdout)
    assert won.stdout.count("\n") == 1
    assert won.exit_code == 0
    assert (verdict["a"], verdict["b"], verdict["verdict"], verdict["passed"]) == ("ann", "bob", "better", True)
    assert 0 < verdict["low"] <= verdict["lead"] <= verdict["high"]
    lost = duel("bob", "ann", "--game", "raj", "--require", "not-worse", "--smallest", "0.1", "--json", "--quiet")
    assert (lost.exit_code, json.loads(lost.stdout)["passed"]) == (1, False)
    open_still = duel("dice", "random", "--game", "raj", "--require", "better", "--deals", "1", "--json", "--quiet")
    assert (open_still.exit_code, json.loads(open_still.stdout)["verdict"]) == (3, "open")
