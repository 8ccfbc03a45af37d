"""`league play`: a person plays every game, is understood, is helped, and may leave."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from select import select
from threading import Event, Thread
from urllib.request import urlopen

import pytest
from click.testing import CliRunner, Result

from league import games, load_game
from league.cli import league
from league.cli.person import Offer, endings, matches, offers
from league.games import replay
from league.page.server import PageServer
from league.page.tables import BrowserTables, TableSetting

BOTS = str(Path(__file__).parents[2] / "bots")
CROWN = Path(__file__).parents[2] / "examples" / "crown.py"
FEWEST = {name: games.find(name).player_counts[0] for name in games.names()}
WORST_COLUMNS = 40


def play(game: str, answers: str, *words: str, vs: str = "random") -> Result:
    bots = [word for _ in range(FEWEST[game] - 1) for word in ("--vs", vs)]
    args = ["play", game, *bots, "--seed", "1", "--bots", BOTS, "--isolation", "trusted", *words]
    return CliRunner().invoke(league, args, input=answers, catch_exceptions=False)


def any_answer(count: int = 400) -> str:
    """All small numbers over and over: whatever is asked, one of them is a move before long."""
    return "".join(f"{number % 16}\n" for number in range(count))


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("game", games.names())
def test_every_game_can_be_played_to_its_end(game, tmp_path):
    kept = tmp_path / "game.json"
    result = play(game, any_answer(), "--name", "Ann", "--save", str(kept))
    assert result.exit_code == 0, result.output
    made = replay.read(kept.read_bytes())
    replay.verify(made)
    assert made.names[0] == "Ann"
    closing = replay.text(made).splitlines()[-FEWEST[game] - 1 :]
    assert "\n".join(closing) in result.stdout
    assert "The same deal again: --seed 1" in result.stdout


@pytest.mark.parametrize("game", games.names())
def test_a_narrow_terminal_is_kept(game, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(WORST_COLUMNS))
    asked = play(game, "").stdout.split("Your move")[0]
    choices = [line for line in asked.splitlines() if re.match(r" *\d+\) ", line)]
    assert choices
    for line in asked.splitlines():
        assert len(line) <= WORST_COLUMNS or len(re.findall(r"\d\) ", line)) == 1, line


def test_story_continues_from_the_last_decision():
    told = play("raj", any_answer(), "--name", "Ann").stdout
    assert "\nRound 15: " in told
    assert "\nRound 14: " not in told


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("99", "'99' is not a move here. Type one of the numbers 1 to 15"),
        ("-1", "'-1' is not a move here."),
        ("", "Type one of the numbers 1 to 15, or a word of the move"),
        ("cheese", "'cheese' is not a move here."),
        ("bids", "'bids' may mean bids 1, bids 2, bids 3, bids 4 or bids 5: be more specific."),
        ("\x1b[2J", r"'\x1b[2J' is not a move here."),
    ],
)
def test_a_wrong_answer_gets_a_helpful_line_and_another_chance(answer, told):
    result = play("raj", f"{answer}\n7\nq\n")
    assert told in " ".join(result.stdout.split())
    assert "you bid 7" in result.stdout


@pytest.mark.parametrize("game", games.names())
def test_question_mark_prints_the_rules(game):
    result = play(game, "?\nq\n")
    assert f"{games.find(game).title}" in result.stdout.split("Your move")[1]
    assert "Answer with the number of a move" in result.stdout


@pytest.mark.parametrize("answers", ["q\n", "quit\n", "", "1\n", "1\nQ\n"])
def test_leaving_is_polite(answers):
    result = play("raj", answers)
    assert result.exit_code == 130
    assert result.stdout.endswith("You left the table. The same deal again: --seed 1\n")
    assert result.stderr == ""


def test_many_moves_are_chosen_in_two_steps_with_a_way_back():
    told = play("cheese_rescue", "cheese 3\nb\ncheese 4\ng6\ncheese 5 at\nq\n").stdout
    assert told.count("1) lays cheese 1 at …") == 3
    last_map = told.rsplit("The table", 1)[1]
    assert "a4" in last_map
    assert "a3" not in last_map


def test_fault_is_shown_when_it_happens(tmp_path):
    bad = tmp_path / "quitter.py"
    bad.write_text("class Bot:\n    def choose(self, view):\n        raise ValueError('I give up')\n")
    left = play("raj", "1\nq\n", vs=str(bad))
    assert "quitter was at fault (error): ValueError: I give up" in left.stderr
    ended = play("raj", any_answer(), vs=str(bad))
    assert ended.stderr.count("was at fault") == 1
    assert ended.exit_code == 0


def test_seats_are_counted_from_1(tmp_path):
    kept = tmp_path / "game.json"
    told = play("raj", any_answer(), "--seat", "2", "--name", "Ann", "--save", str(kept)).stdout
    assert "you sit at seat 2, against random." in told
    assert replay.read(kept.read_bytes()).names == ("random", "Ann")


def test_leaving_prints_that_nothing_was_saved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = " ".join(play("raj", "1\nq\n", "--save", "game.json").stdout.split())
    assert told.endswith(
        "You left the table. game.json was not written: only a game that is over can be kept. "
        "The same deal again: --seed 1"
    )
    assert not Path("game.json").exists()


def test_going_back_is_not_taken_for_a_move():
    told = " ".join(play("braverats", "b\nq\n").stdout.split())
    assert "Type ? for the rules in brief, b to go back, q to leave." in told
    assert told.count("plays the Ambassador") == 2, "the same choice again"
    assert "you played the Ambassador" not in told


def test_small_moves_are_typed_as_bots_return_them():
    assert [offer.key for offer in offers({0: "none", 7: "plays 7"})] == ["0", "7"]
    assert [offer.key for offer in offers({-3: "gives", 7: "takes"})] == ["1", "2"]
    assert [offer.key for offer in offers({5: "gives", 99: "takes"})] == ["5", "99"]
    assert [offer.key for offer in offers({5: "gives", 100: "takes"})] == ["1", "2"]


LABELS = {1: "plays the Princess (1)", 7: "plays the Prince (7)", 8: "plays the Mime"}


@pytest.mark.parametrize(
    ("answer", "moves"),
    [("7", [7]), ("prince", [7]), ("PRINCESS", [1]), ("prin", [1, 7]), ("mi", [8]), ("plays the mime", [8]), ("2", [])],
)
def test_an_answer_may_be_a_number_or_words(answer, moves):
    assert [offer.moves[0] for offer in matches(answer, offers(LABELS), LABELS)] == moves


def test_a_move_of_two_steps_may_be_said_at_once():
    labels = {move: f"lays card {move // 10} at {'ABCDEFGH'[move % 10]}" for move in range(1000) if move % 10 < 8}
    labels[999999] = "lays card 7 at C1"
    (found,) = matches("card 7 at c", offers(labels), labels)
    assert found.moves == (72,)
    assert [offer.words for offer in endings(labels, [72, 73])] == ["C", "D"]


def test_the_only_move_needs_no_more_than_enter():
    (only,) = offers({5: "plays 5"})
    assert matches("", [only], {5: "plays 5"}) == [only]
    assert matches("", [only, Offer("6", "plays 6", (6,))], {}) == []


def test_a_game_without_a_sketch_of_its_own_shows_the_fields_of_its_view():
    game = load_game(CROWN, players=2)
    state = game.start(game.deal(random.Random(1)))
    assert game.sketch(state.view(0), ["Ann", "Bob"]) == ["won: [0, 0]", "last: []"]
    state.step([state.view(seat).legal[0] for seat in state.turn])
    (last,) = state.history
    assert f"last: [{[*last]}]" in game.sketch(state.view(0), ["Ann", "Bob"])


IN_A_TERMINAL = """
import fcntl, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that keys become signals
from league.cli import main
main()
"""


@pytest.mark.parametrize("key", [b"\x03", b"\x04"], ids=["Ctrl-C", "Ctrl-D"])
def test_keys_that_leave_do_so_in_a_real_terminal(key):
    words = ["play", "raj", "--vs", "random", "--seed", "1", "--bots", BOTS, "--isolation", "trusted"]
    ours, theirs = os.openpty()
    command = [sys.executable, "-c", IN_A_TERMINAL, *words]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as child:
        os.close(theirs)
        shown = read_until(ours, b"Your move (number or word, ? or q): ")
        while child.poll() is None:  # a key that comes while the terminal is being set up is lost
            os.write(ours, key)
            with suppress(subprocess.TimeoutExpired):  # a second one could end it while it leaves
                child.wait(10)
            shown += read_all(ours)
        code = child.returncode
    shown += read_all(ours)
    os.close(ours)
    assert code == 130
    assert b"--seed 1\r\n" in shown
    assert b"Traceback" not in shown


def read_until(terminal: int, wanted: bytes) -> bytes:
    """What is written up to some words; an OSError of the terminal if it ends without them."""
    shown = b""
    while wanted not in shown:
        shown += os.read(terminal, 4096)
    return shown


def read_all(terminal: int) -> bytes:
    """What is written until nothing more comes for a while; whoever writes must not wait for a reader."""
    shown = b""
    while select([terminal], [], [], 0.2)[0]:
        try:
            shown += os.read(terminal, 4096)
        except OSError:  # that is how a terminal says that nobody is at its other end any more
            break
    return shown


def test_a_game_in_the_browser_is_dealt_by_its_seed_and_saved(tmp_path, monkeypatch):
    file = tmp_path / "game.json"
    served = []

    def play_there(setting: TableSetting, seat: int) -> None:
        tables = BrowserTables()
        table = tables.find(tables.open(setting, seat - 1))
        position = table.position(0)
        while not position.over:
            table.choose(position.version, position.choices[0].move)
            position = table.position(position.version)
        served.append(setting)

    monkeypatch.setattr("league.cli.play._open_in_browser", play_there)
    answer = play("raj", "", "--browser", "--save", str(file), "--name", "Ann", "--seat", "2")
    assert answer.exit_code == 0, answer.output
    assert answer.output.split() == ["The", "whole", "game:", "league", "replay", str(file)]
    saved = replay.read(file.read_text())
    assert saved.names == ("random", "Ann")
    assert [setting.seed for setting in served] == [1]


def test_the_browser_is_opened_at_the_page_of_the_game(monkeypatch):
    opened = Event()
    addresses = []

    def look(address: str) -> None:
        addresses.append((address, urlopen(address).read().decode()))
        opened.set()

    def run(server: PageServer) -> None:
        thread = Thread(target=serve, args=(server,), daemon=True)
        thread.start()
        assert opened.wait(60)
        server.stop()
        thread.join(30)

    serve = PageServer.run
    monkeypatch.setattr("webbrowser.open", look)
    monkeypatch.setattr(PageServer, "run", run)
    answer = play("raj", "", "--browser")
    [(address, page)] = addresses
    assert f"Raj is at {address}" in answer.output
    assert "<h1>Play against bots</h1>" in page
