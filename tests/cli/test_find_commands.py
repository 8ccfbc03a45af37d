"""The commands about single games and past runs: find, replay of a bot's game and with another version, history."""

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
from tests.leagues import DICE, FIRST, LAST, play_league
from tests.tables import each

pytestmark = pytest.mark.usefixtures("without_page")
CONFIG = """\
league: small
seed: 1
bots: bots
games: [{game: raj, deals: 20}, {game: raj, players: 3, deals: 4}]
isolation: trusted
"""
BAD = FIRST.replace("view.legal[0]", "view.legal[0] if view.prize > 0 else [].pop()")
FOLDER = "results/small"


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("played")
    (folder / "bots").mkdir()
    (folder / "small.yaml").write_text(CONFIG)
    for name, source in {"ann": FIRST, "bob": LAST, "cid": DICE, "eve": BAD}.items():
        (folder / f"bots/{name}.py").write_text(source)
    (folder / "new_ann.py").write_text(LAST)
    with chdir(folder):
        assert CliRunner().invoke(league, ["run", "small.yaml", "-q", "--workers", "1"]).exit_code == 0
    return folder


@pytest.fixture(autouse=True)
def there(played, monkeypatch):
    monkeypatch.chdir(played)


def found(*words: str):
    return json.loads(call("find", FOLDER, *words, "--json").stdout)


class TestFind:
    def test_each_line_has_the_command_that_shows_the_game(self):
        shown = call("find", FOLDER, "--bot", "cid", "--lost").stdout.splitlines()
        assert len(shown) == 1 + 20 + 1
        command, _, seats = shown[1].partition("  ")
        assert call(*command.split()[1:]).exit_code == 0
        assert "2. cid" in seats or "3. cid" in seats
        total = len(found("--bot", "cid", "--lost"))
        assert shown[-1] == f"… and {total - 20} games more: --limit, --json or --to FILE."
        assert len(call("find", FOLDER, "--bot", "cid", "--lost", "--limit", "3").stdout.splitlines()) == 4

    def test_json_has_the_rows_of_a_table(self):
        rows = found("--bot", "cid", "--against", "bob", "--game", "raj-2p")
        assert len(rows) == 40
        assert {(row["bot"], row["opponents"]) for row in rows} == {("cid", "bob")}
        assert found("--bot", "ann", "--fault") == []
        call("find", FOLDER, "--fault", "--to", "faults.jsonl")
        assert [json.loads(line) for line in Path("faults.jsonl").read_text().splitlines()] == found("--fault")

    def test_a_table_has_a_row_for_each_seat(self):
        call("find", FOLDER, "--fault", "--to", "faults.csv")
        rows = list(csv.DictReader(io.StringIO(Path("faults.csv").read_text())))
        assert {row["bot"] for row in rows if row["fault"] == "true"} == {"eve"}
        assert len(rows) == sum(row["players"] for row in found("--fault") if row["seat"] == 1)

    @pytest.mark.parametrize("order", ["--worst", "--closest", "--upsets"])
    def test_the_first_games_of_each_contest(self, order):
        games = found("--bot", "cid", order, "2")
        assert [game["contest"] for game in games] == ["raj-2p"] * 2 + ["raj-3p"] * 2

    def test_nothing_found_says_so(self):
        assert call("find", FOLDER, "--bot", "ann", "--fault").stdout == (
            "There are no games that ann played with a fault of its own.\n"
        )
        lost = call("find", FOLDER, "--bot", "ann", "--against", "bob", "--lost", "--fault", "--game", "raj")
        assert lost.stdout == "There are no games of raj that ann lost against bob with a fault of its own.\n"


def test_decisions_of_one_bot_at_one_game_are_written():
    call("find", FOLDER, "--to", "moves.csv", "--moves", "--bot", "ann", "--game", "raj-2p")
    rows = list(csv.DictReader(io.StringIO(Path("moves.csv").read_text())))
    assert {(row["bot"], row["contest"]) for row in rows} == {("ann", "raj-2p")}
    assert len(rows) == 3 * 2 * 20 * 15


class TestReplay:
    def test_a_lost_game_of_a_bot(self):
        result = call("replay", FOLDER, "cid", "--lost", "--against", "bob")
        (first, *_) = found("--bot", "cid", "--lost", "--against", "bob")
        assert result.stderr.startswith(f"league: this is {first['address']}.")
        assert result.stdout == call("replay", FOLDER, first["address"]).stdout


class TestCurve:
    GAME = "raj-2p:bob+cid:3.0"

    def test_json_has_chances_errors_and_the_turning_point(self):
        told = json.loads(call("replay", FOLDER, self.GAME, "--curve", "--json").stdout)
        assert (told["address"], told["unit"]) == (self.GAME, "places")
        replayed = json.loads(call("replay", FOLDER, self.GAME, "--json").stdout)
        assert told["names"] == replayed["names"]
        ends = [0.0 if rank else 1 / replayed["outcome"]["ranks"].count(0) for rank in replayed["outcome"]["ranks"]]
        assert (told["chances"][15], told["errors"][15], told["playouts"][15]) == (ends, [0, 0], 0)
        turned = told["turning_point"]
        before, after = told["chances"][turned["step"] - 1 : turned["step"] + 1]
        assert (turned["before"], turned["after"]) == (before[turned["seat"]], after[turned["seat"]])

    def test_a_fault_is_the_turning_point(self):
        shown = call("replay", FOLDER, "eve", "--fault", "--game", "raj-2p", "--curve").stdout
        assert "eve is at fault (error: IndexError" in shown

    def test_more_playouts_have_smaller_errors(self):
        def error(playouts: str) -> float:
            shown = call("replay", FOLDER, self.GAME, "--curve", "--json", "--playouts", playouts).stdout
            return float(json.loads(shown)["errors"][0][0])

        assert error("1600") == pytest.approx(error("100") / 4, rel=0.2)


class TestBlunders:
    def test_each_line_has_the_command_that_shows_the_decision(self):
        result = call("find", FOLDER, "--bot", "ann", "--game", "raj-2p", "--blunders", "--games", "2", "--limit", "2")
        header, *rows, looked_at, assumed = result.stdout.splitlines()
        assert header.split() == ["see", "it", "by", "lost", "played", "better"]
        assert len(rows) == 2
        assert looked_at == "Looked at 28 decisions in 2 of 120 games."
        assert "all seats play on at random" in assumed
        command, lost, move, _ = (part.strip() for part in rows[0].split("  ") if part.strip())
        shown = call(*command.split()[1:]).stdout
        assert f"ann {move.partition(':')[0]}" in shown.splitlines()[-1]
        assert lost.startswith(tuple("123456789"))

    @each(("words", "told"), [("--worst 1", " in 1 of 1 game."), ("--games 1", " in 1 of 120 games.")])
    def test_how_many_games_were_looked_at_and_wanted_is_said(self, words, told):
        shown = call("find", FOLDER, "--bot", "ann", "--game", "raj-2p", "--blunders", "--limit", "1", *words.split())
        assert told in shown.stdout.splitlines()[-2]

    def test_json_is_a_list_of_decisions(self):
        words = ["--bot", "ann", "--game", "raj-2p", "--lost", "--blunders", "--games", "1"]
        told = found(*words, "--limit", "3")
        losses = [blunder["loss"] for blunder in told]
        assert losses == sorted(losses, reverse=True)
        assert all(blunder["loss"] > 3 * blunder["error"] for blunder in told)
        assert all(blunder["bot"] == "ann" for blunder in told)
        assert told == found(*words, "--limit", "3"), "it is repeatable"


def test_a_league_without_moves(tmp_path, monkeypatch, played):
    """A curve plays the game again, as a replay does; blunders need the moves."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    (tmp_path / "small.yaml").write_text(f"{CONFIG}moves: none\n")
    for name, source in {"ann": FIRST, "bob": LAST, "cid": DICE}.items():
        Path(f"bots/{name}.py").write_text(source)
    call("run", "small.yaml", "-q", "--workers", "1")
    game = "raj-2p:ann+bob:0.0"
    assert "Turning point" in call("replay", FOLDER, game, "--curve", "--isolation", "trusted").stdout
    assert str(call("find", FOLDER, "--bot", "ann", "--blunders", "--games", "5").exception) == (
        "The moves of 5 games were not kept, so their decisions are not known. `moves: all` in the config keeps them."
    )


class TestAnotherVersion:
    def test_json(self):
        told = json.loads(call("replay", FOLDER, "--with", "ann=new_ann.py", "--games", "5", "--json").stdout)
        assert len(told["games"]) == 5
        assert sum(contest["games"] for contest in told["contests"]) == 5
        assert told["games"][0]["decision"]["after"] == "bids 15"
        assert "biases" not in told["verdict"]

    def test_json_of_no_game_is_json_too(self):
        none = call("replay", FOLDER, "--with", "ann=new_ann.py", "--fault", "--json").stdout
        assert json.loads(none)["games"] == []


def test_history(tmp_path, monkeypatch, played):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    (tmp_path / "small.yaml").write_text(CONFIG)
    for name, source in {"ann": FIRST, "bob": LAST, "cid": DICE}.items():
        Path(f"bots/{name}.py").write_text(source)
    for _ in range(2):
        call("run", "small.yaml", "-q", "--workers", "1")
    assert len(call("standings", FOLDER, "--history").stdout.splitlines()) == 2, "the second run changed nothing"
    Path("bots/ann.py").write_text(LAST)
    Path("bots/dan.py").write_text(DICE)
    call("run", "small.yaml", "-q", "--workers", "1")
    shown = call("standings", FOLDER, "--history").stdout.splitlines()
    assert shown[0].split() == ["run", "ended", "games", "bots", "config", "first", "overall"]
    assert [line.split()[0] for line in shown[1:3]] == ["1", "2"]
    assert shown[3:5] == ["new since the run before: dan", "edited since the run before: ann"]
    first, second = json.loads(call("standings", FOLDER, "--history", "--format", "json").stdout)
    assert first["versions"]["ann"] != second["versions"]["ann"]
    assert str(call("standings", FOLDER, "--history", "--bot", "eve").exception).startswith(
        "There is no bot 'eve' in this history."
    )


def test_a_league_that_was_never_finished_has_no_history(tmp_path):
    (tmp_path / "bots").mkdir()
    for name in ("ann", "bob", "cid"):
        (tmp_path / f"bots/{name}.py").write_text(FIRST)
    folder = str(play_league(parse(CONFIG, tmp_path), tmp_path / "results").folder)
    assert call("standings", folder, "--history").stdout.startswith("No run of ")
    assert call("standings", folder, "--history", "--format", "json").stdout == "[]\n"
