"""`league match` and `league replay`: games as text and as JSON, new ones and those of a league."""

import subprocess
import sys
from pathlib import Path

import pytest

from league import games
from league.games import replay
from league.setup.config import load
from tests.commands import call
from tests.leagues import CHANCE, DICE, FIRST, LEARNER, on_a_terminal, play_league

pytestmark = pytest.mark.usefixtures("without_page")
CONFIG = """\
league: small
seed: 3
bots: bots
games:
  - {game: raj, players: [2, 3], deals: 70}
  - {game: braverats, deals: 9, games_per_match: 3}
isolation: trusted
"""
FRAGILE = DICE.replace("return", "if self.rng.random() < 0.01: raise ValueError('out of luck')\n        return")
MOODY = FIRST.replace("view.legal[0]", "view.legal[os.urandom(1)[0] % len(view.legal)]").replace(
    "class", "import os\nclass"
)


TALKER = """
print("loaded")
class Bot:
    def choose(self, view):
        print("I see", len(view.history))
        return view.legal[0]
    def finish(self, outcome):
        print("over")
"""


def write_league(folder: Path, bots: dict[str, str]) -> Path:
    """A league that was played; gives the folder of its results."""
    (folder / "bots").mkdir(parents=True)
    (folder / "config.yaml").write_text(CONFIG)
    for name, source in bots.items():
        (folder / "bots" / f"{name}.py").write_text(source)
    return play_league(load(folder / "config.yaml"), folder / "results", workers=2).folder


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    bots = {"ann": DICE, "bob": CHANCE, "cid": LEARNER, "dot": FRAGILE}
    return write_league(tmp_path_factory.mktemp("league"), bots)


@pytest.fixture
def bots(tmp_path, monkeypatch):
    """Tests of `match` stand in a folder with a few bots."""
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    for name, source in {"ann": DICE, "bob": CHANCE, "bad": FIRST.replace("[0]", "[99]")}.items():
        Path(f"bots/{name}.py").write_text(source)


@pytest.mark.usefixtures("bots")
class TestMatch:
    @pytest.mark.parametrize("game", games.names())
    def test_json_can_be_refereed_again(self, game):
        players = games.find(game).player_counts[0]
        names = ["ann", "bob", "ann", "bob"][:players]
        result = call("match", game, *names, "--isolation", "trusted", "--json", "--seed", 4)
        read = replay.read(result.stdout)
        assert replay.verify(read) == read.outcome
        assert read.names == ("ann", "bob", "ann_2")[:players]
        assert replay.write(read) == result.stdout
        text = call("match", game, *names, "--isolation", "trusted", "--seed", 4).stdout
        assert text == replay.text(read)

    def test_sentences_fit_a_terminal(self, monkeypatch):
        whole = call("match", "raj", "ann", "bob", "--isolation", "trusted").stdout
        on_a_terminal(monkeypatch, 50)
        shown = call("match", "raj", "ann", "bob", "--isolation", "trusted").stdout
        assert max(map(len, shown.splitlines())) <= 50
        assert shown.split() == whole.split()

    def test_bots_of_one_name_get_unique_names(self):
        Path("ann.py").write_text(FIRST.replace("[0]", "[99]"))
        result = call("match", "raj", "ann", "ann.py", "ann", "--isolation", "trusted")
        assert result.stdout.startswith("Raj, played by ann, ann_2 and ann_3.\n")
        assert result.stderr.startswith("ann_2 was at fault (error): IndexError")

    def test_fault_is_shown_with_the_line_of_the_bot(self):
        result = call("match", "raj", "ann", "bad", "--isolation", "trusted")
        assert "Step 1: bad is at fault (error: IndexError: tuple index out of range)." in result.stdout
        assert "bad was at fault (error): IndexError: tuple index out of range\n" in result.stderr
        assert "return view.legal[99]" in result.stderr

    @pytest.mark.parametrize("isolation", ["sandbox", "process"])
    def test_what_bots_print_stands_beside_the_rounds(self, isolation):
        Path("bots/loud.py").write_text(TALKER)
        told = call("match", "raj", "loud", "ann", "--isolation", isolation).stdout.splitlines()
        assert told[1:3] == ["    loud prints: loaded", "    loud prints: I see 0"]
        assert told[3].startswith("Round 1: ")
        assert told[4] == "    loud prints: I see 1"
        assert told[told.index("") - 1] == "    loud prints: over"
        assert "prints" not in call("match", "raj", "loud", "ann", "--isolation", isolation, "--json").stdout

    def test_of_a_long_print_the_beginning_is_shown(self):
        Path("bots/loud.py").write_text(TALKER.replace("I see", "x" * 3000))
        told = call("match", "raj", "loud", "ann", "--isolation", "process").stdout
        assert "    loud prints 1,010 bytes more.\n" in told

    @pytest.mark.parametrize("seed", range(4))
    def test_bot_at_fault_never_wins(self, seed):
        words = ("match", "raj", "bad", "ann", "--isolation", "trusted", "--seed", seed)
        read = replay.read(call(*words, "--json").stdout)
        assert read.outcome.ranks == (1, 0)
        assert [(lapse.seat, lapse.step, lapse.kind) for lapse in read.faults] == [(0, 1, "error")]
        assert "\nann wins.\n" in call(*words).stdout


class TestReplay:
    def test_replay_uses_the_bots_that_played(self, tmp_path):
        folder = write_league(tmp_path, {"ann": DICE, "bob": CHANCE, "cid": LEARNER})
        before = call("replay", folder, "raj-2p:ann+bob:3.0").stdout
        (tmp_path / "bots/ann.py").write_text(FIRST)
        assert call("replay", folder, "raj-2p:ann+bob:3.0").stdout == before

    @pytest.mark.slow
    def test_nondeterministic_replay_warns(self, tmp_path):
        folder = write_league(tmp_path, {"ann": MOODY, "bob": CHANCE, "cid": LEARNER})
        shown = [call("replay", folder, f"raj-2p:ann+bob:{deal}.0") for deal in range(8)]
        assert not any(one.stderr for one in shown)
        told = [call("replay", folder, f"raj-2p:ann+bob:{deal}.0", "--again").stderr for deal in range(8)]
        assert any("is not deterministic" in line for line in told)


LOUD = """
import os, sys
print("loaded")
class Bot:
    def choose(self, view):
        print("thinking")
        sys.__stdout__.write("aloud")
        os.write(1, b"directly")
        return view.legal[0]
"""


@pytest.mark.slow
def test_prints_of_a_trusted_bot_do_not_reach_the_json(bots):
    Path("bots/loud.py").write_text(LOUD)
    command = [sys.executable, "-m", "league", "match", "raj", "loud", "ann", "--json", "--isolation", "trusted"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert replay.read(done.stdout).names == ("loud", "ann")
    for word in ("loaded", "thinking", "aloud", "directly"):
        assert word in done.stderr
    in_words = subprocess.run(
        [word for word in command if word != "--json"], capture_output=True, text=True, check=True
    )
    assert "thinking" in in_words.stdout
