"""`league run`: what it tells, what it writes, and how it ends."""

import csv
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
from pathlib import Path
from time import sleep

import pytest
from click.testing import CliRunner

from league import loop
from league.analysis.audit import CHANCE
from league.api import leagues, printer
from league.cli import league
from league.errors import LeagueError
from league.page.reports import Renewal
from league.results.store import Store
from league.tools.text import duration, rate
from tests.commands import WITHOUT_PAGE, call
from tests.counting import stored
from tests.leagues import DICE, FIRST, LAST
from tests.tables import each

pytestmark = pytest.mark.usefixtures("without_page")
CONFIG = "league: small\nseed: 1\nbots: bots\ngames: [{game: raj, deals: 20}]\nisolation: trusted\n"
SLOW = FIRST.replace("return", "import time; time.sleep(0.001)\n        return")
ASLEEP = FIRST.replace("return", "import time; time.sleep(1000)\n        return")
DEADLY = FIRST.replace("return", "import os; os.kill(os.getpid(), 9)\n        return")
BYSTANDER = "not in this league, since they play none of its games at its tables: dot."
FAULTY = FIRST.replace("return view.legal[0]", "raise ValueError('\\x1b[31mred')")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Tests stand in a folder with a config and three bots."""
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    Path("small.yaml").write_text(CONFIG)
    for name, source in {"ann": FIRST, "bob": LAST, "cid": DICE}.items():
        add(name, source)


def add(name: str, source: str) -> None:
    Path(f"bots/{name}.py").write_text(source)


def run(*words: str):
    return call("run", "small.yaml", "--workers", "2", *words)


def start(before: str = "", **streams) -> subprocess.Popen:
    """The real command, under way in a process group of its own; `before` is run first. It writes an empty page."""
    code = f"import sys\n{WITHOUT_PAGE}\n{before}\nfrom league.cli import main\nmain()"
    command = [sys.executable, "-c", code, "run", "small.yaml", "--workers", "2"]
    return subprocess.Popen(command, start_new_session=True, **{"stderr": subprocess.PIPE, "text": True, **streams})


def nobody_is_left(process: subprocess.Popen) -> bool:
    """Whether its whole process group has ended; the dead whom nobody has asked for yet do not count."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, group = status.read_text().rpartition(")")[2].split()[:3]
        except OSError:  # it has just gone
            continue
        if int(group) == process.pid and state != "Z":
            return False
    return True


class TestNotify:
    def test_command_gets_the_result_as_json(self):
        result = run("--notify", "cat > told.json")
        told = json.loads(Path("told.json").read_text())
        assert (told["ended"], told["games"], told["games_left"]) == ("finished", 120, 0)
        assert [line["bot"] for line in told["standings"]] == standings_order()
        assert result.exit_code == 0
        run("--games", "1", "--notify", "cat > told.json")
        assert json.loads(Path("told.json").read_text())["games"] == 0

    def test_command_that_fails_is_one_line_and_no_failure_of_the_league(self):
        result = run("--notify", "exit 7")
        assert "league: the command of --notify ended with exit code 7: exit 7\n" in result.stderr
        assert result.exit_code == 0


def standings_order() -> list[str]:
    with open("results/small/standings.csv", encoding="utf-8") as file:
        return [row["bot"] for row in csv.DictReader(file)]


class TestTelling:
    @each(
        ("name", "source", "told", "plays"),
        [
            ("dot", FIRST.replace("    def", "    games = ('braverats',)\n\n    def", 1), BYSTANDER, False),
            ("dot", FIRST.replace("class Bot:\n", "class Bot:\n    players = (3, 4)\n"), BYSTANDER, False),
            ("dot", FIRST, "the same content under 2 names: ann and dot.", True),
        ],
    )
    def test_who_does_not_play_and_who_is_a_copy_is_named(self, name, source, told, plays):
        add(name, source)
        result = run()
        assert f"league: {told}\n" in result.stderr
        assert (name in Path("results/small/standings.csv").read_text()) == plays

    @pytest.fixture
    def temporary(self, monkeypatch):
        """A folder for temporary files that no other test uses, and that confined bots can look into."""
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            monkeypatch.setattr(tempfile, "tempdir", folder)
            yield Path(folder)

    @pytest.mark.slow
    @pytest.mark.parametrize("isolation", ["trusted", "sandbox"])
    def test_a_folder_plays_and_its_games_can_be_seen_again_when_it_is_gone(self, isolation, temporary):
        Path("bots/amy").mkdir()
        Path("bots/amy/bot.py").write_text("import mylib\n" + FIRST.replace("view.legal[0]", "mylib.best(view)"))
        read = "from pathlib import Path\nDATA = (Path(__file__).parent / 'data.txt').read_text()\n"
        best = read + "\ndef best(view):\n    return view.legal[len(DATA) - 1]\n"
        Path("bots/amy/mylib.py").write_text(best)
        Path("bots/amy/data.txt").write_text("x")
        assert run("--isolation", isolation).exit_code == 0
        with Store.open(Path("results/small")) as store:
            assert list(store.faults("amy")) == []
        shutil.rmtree("bots/amy")
        words = ["replay", "results/small", "raj-2p:amy+ann:3.1"]
        shown = CliRunner().invoke(league, words)
        assert shown.exit_code == 0, shown.output
        assert "another game" not in shown.output
        assert not list(temporary.iterdir())

    def test_audit_after_the_run_finds_nondeterministic_bots(self):
        """With two bots, whichever games the sample takes have the guilty one at the table."""
        Path("bots/bob.py").unlink()
        Path("bots/cid.py").unlink()
        add("dot", "import os\n" + FIRST.replace("[0]", "[os.urandom(1)[0] % len(view.legal)]"))
        assert f"! dot {CHANCE} (seen in " in run().stdout
        add("dot", LAST)
        assert "not deterministic" not in run().stdout

    def test_a_dry_run_of_a_finished_league(self):
        run()
        assert run("--dry-run").stdout.splitlines()[1:] == [
            "Raj, 2 players        3    120        0         -",
            "0 games to play, 120 games played before; 0 s with 2 workers.",
        ]

    def test_quiet_says_only_the_standings(self):
        add("bad", "class Bot: pass")
        result = run("--quiet")
        assert result.stderr == ""
        assert "ann" in result.stdout

    def test_verbose_prints_faults_without_their_control_characters(self):
        add("bad", FAULTY)
        result = run("--verbose")
        assert "league: bad: error in raj-2p:ann+bad:0.0: ValueError:  [31mred\n" in result.stderr
        assert "\x1b" not in result.stderr
        assert "league: 120 faults: see `league faults results/small`.\n" in result.stderr

    def test_without_a_terminal_there_is_a_line_now_and_then(self, monkeypatch):
        monkeypatch.setattr(printer, "NEWS_SECONDS", -1)
        lines = [line for line in run().stderr.splitlines() if " of 120 games, " in line]
        assert len(lines) >= 6
        assert re.fullmatch(r"league: 120 of 120 games, [\d,]+ games/s(, 0 s left)?", lines[-1])
        assert "%|" not in run().stderr

    def test_watch_prints_the_leaders_as_it_goes(self, monkeypatch):
        """The run waits for standings whenever it looks for them, however long they take."""
        news = Renewal.news
        monkeypatch.setattr(Renewal, "news", lambda now: news(now) if now._process and now._pipe.poll(None) else None)
        monkeypatch.setattr(leagues, "WATCH_SECONDS", 0.01)
        monkeypatch.setattr(loop, "COMMIT_SECONDS", 0)
        result = run("--watch")
        assert result.stderr.count("place ") >= 1
        assert "league: the leaders after " in result.stderr
        assert result.stdout.count("place ") == 1

    def test_on_a_terminal_there_is_one_bar(self):
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 100))
        with start(stderr=theirs, stdout=subprocess.DEVNULL) as process:
            os.close(theirs)
            shown = b""
            try:
                while part := os.read(ours, 4096):
                    shown += part
            except OSError:  # the other side is closed: that is how a terminal ends
                pass
        os.close(ours)
        assert process.returncode == 0
        assert b"100%|" in shown
        assert b"120/120" in shown
        assert b"of 120 games," not in shown

    @each(
        ("seconds", "words"),
        [
            (0, "0 s"),
            (0.26, "0.3 s"),
            (9.96, "10 s"),
            (89.4, "89 s"),
            (90, "2 min"),
            (3600, "60 min"),
            (5399, "90 min"),
            (5400, "1 h 30 min"),
            (7199, "2 h 0 min"),
            (100_000, "27 h 47 min"),
            (48 * 3600 - 1, "48 h 0 min"),
            (48 * 3600, "2 d 0 h"),
            (403 * 3600, "16 d 19 h"),
        ],
    )
    def test_duration(self, seconds, words):
        assert duration(seconds) == words

    @each(
        ("games_a_second", "words"),
        [
            (1250.4, "1,250 games/s"),
            (0.9, "1 game/s"),
            (0.4, "24 games/min"),
            (2 / 60, "2 games/min"),
            (1 / 600, "6 games/h"),
            (0, "0 games/h"),
        ],
    )
    def test_rate(self, games_a_second, words):
        assert rate(games_a_second) == words


class TestBrokenBots:
    def test_are_named_and_left_out(self):
        add("bad", "class Bot:\n    def choose(self, view) return 0")
        add("odd", "import no_such_module\n" + FIRST)
        result = run()
        assert result.exit_code == 0
        assert "league: left out: bots/bad.py:2: " in result.stderr
        assert re.search(r"league: left out: bots/odd.py: cannot be loaded: .*no_such_module", result.stderr)

    def test_are_remembered_where_people_look(self, with_page):
        add("bad", "class Bot:\n    def choose(self, view) return 0")
        assert "! left out: bots/bad.py:2: " in run("-q").stdout
        assert "Left out: bots/bad.py:2: " in Path("results/small/standings.html").read_text()
        told = CliRunner().invoke(league, ["faults", "results/small", "bad"]).stdout
        assert told.startswith("left out: bots/bad.py:2: ")
        assert "left out: bots/bad.py:2: " in CliRunner().invoke(league, ["faults", "results/small"]).stdout
        Path("bots/bad.py").unlink()
        assert "left out" not in run("-q").stdout

    def test_bots_whose_text_cannot_be_stored_are_left_out_and_the_league_plays(self):
        Path(os.fsdecode(b"bots/caf\xe9.py")).write_text(FIRST)
        add("half", FIRST.replace("class Bot:", 'class Bot:\n    """\\ud800"""'))
        add("long", FIRST.replace("class Bot:", f"class Bot:\n    players = 0x{'f' * 5000}"))
        result = run("-q")
        assert result.exit_code == 0
        assert result.stdout.count("! left out: ") == 3
        with Store.open(Path("results/small")) as store:
            assert {bot.name for bot in store.bots()} == {"ann", "bob", "cid"}

    def test_strict_stops_at_them(self):
        add("bad", "class Bot:\n    def choose(self, view) return 0")
        result = run("--strict")
        assert str(result.exception).startswith("bots/bad.py:2: ")
        assert not Path("results").exists()

    @pytest.mark.slow
    def test_a_bot_that_ends_its_workers_is_named_and_the_others_play(self):
        add("bad", DEADLY)
        result = run()
        assert result.exit_code == 1
        for other in ("ann", "bob", "cid"):
            names = ", ".join(sorted(("bad", other)))
            told = f"not played: Raj, 2 players with {names}: 3 workers died playing it; the last one"
            assert f"league: {told}" in result.stderr
        assert "league: 120 games in " in result.stderr
        assert Path("results/small/standings.csv").exists()


class TestErraticBots:
    def test_are_remembered_until_their_files_change(self, with_page):
        counting = "class Bot:\n    seen = 0\n    def choose(self, view):\n        Bot.seen += 1\n"
        add("odd", counting + "        return view.legal[Bot.seen % len(view.legal)]\n")
        assert "see `league verify results/small`" in run().stderr
        again = run()
        assert "nothing is missing" in again.stderr
        assert "! odd " in again.stdout
        assert "playing again may give other results." in again.stdout
        assert "Odd " in Path("results/small/standings.html").read_text()
        add("odd", FIRST)
        assert "! odd " not in run().stdout


class TestInterrupts:
    def test_ctrl_c_keeps_finished_games_and_prints_how_to_continue(self):
        Path("small.yaml").write_text(CONFIG.replace("20", "60"))
        for name in ("dot", "eve", "fay"):
            add(name, SLOW)
        with start(stdout=subprocess.PIPE) as process:
            while not finished_blocks():
                assert process.poll() is None
                sleep(0.01)
            os.killpg(process.pid, signal.SIGINT)
            _, said = process.communicate()
        assert process.returncode == 130
        assert nobody_is_left(process)
        assert "Traceback" not in said
        assert "league: stopping: finishing what is under way (Ctrl-C again to stop at once).\n" in said
        left = re.search(r"league: interrupted after round \d of 4, .*; ([\d,]+) games to go: run the same", said)
        assert finished_games() == 30 * 60 - int(left[1].replace(",", "")) > 0
        with Path("results/small/standings.csv").open() as file:
            assert sum(int(row["games"]) for row in csv.DictReader(file)) == 2 * finished_games()

    def test_a_second_ctrl_c_does_not_wait(self):
        """A bot is asleep and a minute of grace is given: only the second Ctrl-C can end it before that is over."""
        asleep = Path("asleep").absolute()
        add("dot", ASLEEP.replace("import time;", f"import time; open({str(asleep)!r}, 'w').close();"))
        said = ""
        with start("from league.play import executors\nexecutors.GRACE = 60", stdout=subprocess.DEVNULL) as process:
            for line in process.stderr:
                said += line
                if "games to play" in line:
                    while not asleep.exists():
                        assert process.poll() is None
                        sleep(0.01)
                if "games to play" in line or "stopping" in line:
                    os.killpg(process.pid, signal.SIGINT)
        assert process.returncode == 130
        assert nobody_is_left(process)
        assert "Traceback" not in said
        assert "league: interrupted" not in said


SMALL_DISK = """
from league.results.store import Store
from league.setup.config import parse
from league.tools.text import duration, rate
add = Store.add

def add_on_a_small_disk(store, first, *others):
    add(store, first)
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages}")
    if others:
        add(store, *others)

Store.add = add_on_a_small_disk
"""
"""It is full as soon as the first block is stored, however many are stored at a time."""


class TestMishaps:
    def test_a_full_disk_stops_the_run_with_one_line_and_it_goes_on_later(self):
        Path("small.yaml").write_text(CONFIG.replace("20", "4000"))
        with start(SMALL_DISK, stdout=subprocess.PIPE) as process:
            _, said = process.communicate()
        assert process.returncode == 1
        assert nobody_is_left(process)
        told, last = said.splitlines()
        assert told.startswith("league: 24,000 games to play;")
        assert last == (
            "league: The disk of results/small is full: league.db cannot grow. All finished blocks are safe;"
            " make room and run the same command again."
        )
        before, games = finished_blocks(), finished_games()
        assert 0 < games < 24_000
        assert before
        assert f"league: {games:,} game" in run().stderr
        assert finished_games() == 24_000

    def test_a_killed_parent_leaves_no_worker_behind(self):
        add("dot", ASLEEP)
        with start(stdout=subprocess.DEVNULL) as process:
            while not finished_blocks():
                assert process.poll() is None
                sleep(0.01)
            process.kill()
        for _ in range(600):
            if nobody_is_left(process):
                return
            sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
        pytest.fail("workers are still there a minute after their parent was killed")


def finished_blocks() -> int:
    return len(finished())


def finished_games() -> int:
    return sum(stop - first for first, stop in finished())


def finished() -> list[tuple[int, int]]:
    try:
        with Store.open(Path("results/small")) as store:
            return [(result.block.first, result.block.stop) for result in stored(store)]
    except LeagueError:  # it has only begun to be written
        return []


@pytest.mark.slow
def test_a_results_folder_that_vanishes_ends_the_run():
    add("slow", SLOW)
    process = start(before="import league.plan.costs as costs; costs.FIRST_GAMES = 1")
    while not finished_blocks():
        assert process.poll() is None
        sleep(0.01)
    Path("results").rename("gone")
    _, told = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "has vanished while the league was being played" in told
