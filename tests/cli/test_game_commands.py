"""`league new --rules`, `league check` of a game, and the other commands with a game that is a file."""

from pathlib import Path

import pytest

from league.cli.new import game_file
from league.games import files
from tests.commands import call
from tests.leagues import FIRST

pytestmark = pytest.mark.usefixtures("without_page")
OWN = "league: own\nbots: bots\nisolation: trusted\ngames: [{game: ./crown.py, deals: 1}]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEAGUE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(files, "_by_hash", {})
    monkeypatch.setattr(files, "_by_name", {})


class TestNewGame:
    def test_it_writes_a_game_that_passes_and_plays(self):
        assert call("new", "hoard", "--rules").stdout.startswith("Wrote hoard.py. It can be played already;")
        checked = call("check", "hoard.py", "--isolation", "process")
        assert checked.exit_code == 0
        assert "hoard keeps the contract: 252 playings in 6 setups" in checked.stdout
        assert "Hidden from some seat: box and hands." in checked.stdout
        assert "random bots did so at tables of 2, 3 and 4." in checked.stdout
        assert call("match", "./hoard.py", "random", "random").stdout.startswith(
            "Hoard, played by random and random_2."
        )


class TestCheckGame:
    def test_leak_is_reported_with_its_fix(self):
        leaky = game_file("crown").replace("self.hands[seat], self.won", "self.hands[seat], self.box")
        Path("crown.py").write_text(leaky)
        checked = call("check", "crown.py")
        assert checked.exit_code == 1
        assert "the view shows what seat 0 cannot know" in checked.stdout
        assert "Fix: leave that out of view()" in checked.stdout

    def test_rules_that_raise_are_reported_with_their_place(self):
        Path("crown.py").write_text(
            game_file("crown").replace("if len(self.history) == HAND", "if 1 // len(self.box) == 9")
        )
        checked = call("check", "crown.py")
        assert checked.exit_code == 1
        assert checked.stdout.count("\n  Fix: ") == 1

    def test_an_installed_game_can_be_checked_too(self):
        checked = call("check", "raj", "--playings", "1", "--isolation", "process")
        assert checked.exit_code == 0
        assert checked.stdout.startswith("raj keeps the contract: ")


class TestOtherCommands:
    @pytest.fixture(autouse=True)
    def crown(self):
        Path("crown.py").write_text(game_file("crown"))

    def test_a_bot_for_it_is_begun_checked_and_submitted(self):
        assert call("new", "ann", "--game", "./crown.py").stdout.endswith("league check ann.py --game ./crown.py\n")
        assert "league match ./crown.py ann.py random" in Path("ann.py").read_text()
        checked = call("check", "ann.py", "--game", "./crown.py", "--isolation", "process")
        assert checked.stdout.startswith("ann plays crown: 45 games at tables of 2, 3 and 4, no faults")
        Path("bots").mkdir()
        assert call("submit", "ann.py", "--game", "./crown.py", "--isolation", "trusted").exit_code == 0

    def test_bot_of_an_unnamed_game_is_reported(self):
        Path("ann.py").write_text(FIRST.replace("def", "games = ('crown',)\n\n    def"))
        told = str(call("check", "ann.py", "--isolation", "trusted").exception)
        assert told.startswith("There is no game 'crown'")
        assert told.endswith("Did you mean the file ./crown.py?")

    def test_the_files_of_a_league_are_written_without_running_them(self):
        Path("bots").mkdir()
        for name in ("ann", "bob"):
            Path(f"bots/{name}.py").write_text(FIRST)
        Path("own.yaml").write_text(OWN)
        assert call("run", "own.yaml", "--quiet", "--workers", "1").exit_code == 0
        Path("kept").mkdir()
        assert call("games", "results/own", "--to", "kept").stdout == "Wrote kept/crown.py.\n"
        assert Path("kept/crown.py").read_text() == game_file("crown")
        assert call("games", "--to", "kept").exit_code == 2

    def test_a_replay_in_a_file_is_shown_by_naming_its_game(self, monkeypatch):
        Path("game.json").write_text(call("match", "crown.py", "random", "random", "--json").stdout)
        monkeypatch.setattr(files, "_by_hash", {})
        monkeypatch.setattr(files, "_by_name", {})
        assert "name the file with --rules" in str(call("replay", "game.json").exception)
        assert call("replay", "game.json", "--rules", "crown.py").stdout.startswith("Crown, played by ")
