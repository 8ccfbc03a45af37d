"""What the real command does when its output goes nowhere, and when there is a bug in League."""

import os
import re
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from tests.commands import command
from tests.leagues import DICE, FIRST

pytestmark = pytest.mark.usefixtures("without_page")
CONFIG = "league: small\nseed: 1\nbots: bots\ngames: [{game: raj, deals: 4}]\nisolation: trusted\n"
FULL = "league: The output cannot be written: No space left on device.\n"
COMMANDS = {
    "help": ["--help"],
    "games": ["games"],
    "match": ["match", "raj", "bots/ann.py", "bots/bob.py", "--isolation", "trusted"],
    "standings": ["standings", "results/small"],
    "faults": ["faults", "results/small"],
}
BOOM = """
import league.cli.games as games

def boom(**options):
    print("half a line", end="")
    raise KeyError("boom")

games.command.callback = boom
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A folder with a league that was played."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "bots").mkdir()
    (folder / "small.yaml").write_text(CONFIG)
    for name, source in {"ann": FIRST, "bob": DICE}.items():
        (folder / f"bots/{name}.py").write_text(source)
    with chdir(folder):
        assert command(["run", "small.yaml", "-q", "--workers", "1"]).returncode == 0
    return folder


@pytest.fixture(autouse=True)
def there(played, monkeypatch, tmp_path):
    monkeypatch.chdir(played)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("LEAGUE_DEBUG", raising=False)


def fresh(words, before: str = "", **options):
    """The real command in a new interpreter, to its end; `before` is run first."""
    code = f"import sys\n{before}\nfrom league.cli import main\nmain()"
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    return subprocess.run([sys.executable, "-c", code, *words], **options)


class TestOutput:
    @pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
    def test_that_is_full_is_one_line(self, words):
        with Path("/dev/full").open("w") as full:
            ended = command(words, stdout=full.fileno())
        assert (ended.returncode, ended.stderr) == (1, FULL)

    def test_that_is_full_is_one_line_also_when_the_interpreter_ends(self):
        with Path("/dev/full").open("w") as full:
            ended = fresh(["games"], stdout=full)
        assert (ended.returncode, ended.stderr) == (1, FULL)

    @pytest.mark.parametrize("words", [*COMMANDS.values(), None], ids=[*COMMANDS, "in a new interpreter"])
    def test_that_nobody_reads_ends_quietly(self, words):
        reading, writing = os.pipe()
        os.close(reading)
        try:
            ended = command(words, stdout=writing) if words else fresh(["games"], stdout=writing)
        finally:
            os.close(writing)
        assert (ended.returncode, ended.stderr) == (141, "")

    @pytest.mark.slow
    def test_that_is_closed_is_given_up(self):
        ended = subprocess.run(
            ["/bin/sh", "-c", f"{sys.executable} -m league standings results/small >&-"], capture_output=True, text=True
        )
        assert (ended.returncode, ended.stderr) == (0, "")

    @pytest.mark.parametrize("way", ["> /dev/full 2>&1", "2> /dev/full", "2>&-"])
    @pytest.mark.parametrize("words", ["games nope", "games --nope"])
    def test_mistakes_without_stderr_keep_their_exit_code(self, words, way):
        ended = subprocess.run(
            ["/bin/sh", "-c", f"{sys.executable} -m league {words} {way}"], capture_output=True, text=True
        )
        assert (ended.returncode, ended.stdout, ended.stderr) == (2 if "--" in words else 1, "", "")

    def test_mistakes_leave_alone_a_file_that_has_the_number_of_stderr(self, tmp_path):
        code = "import os; os.open('taken', os.O_RDWR); from league.cli import main; main()"
        (tmp_path / "taken").touch()
        ended = subprocess.run(
            ["/bin/sh", "-c", f'{sys.executable} -c "{code}" games --nope 2>&-'],
            cwd=tmp_path, capture_output=True, text=True,
        )  # fmt: skip
        assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", "")
        assert (tmp_path / "taken").read_text() == ""

    @pytest.mark.parametrize(
        ("ending", "line"), [("pass", FULL), ("raise LeagueError('Not like that.')", "league: Not like that.\n")]
    )
    def test_that_is_flushed_at_the_end_only(self, ending, line, monkeypatch):
        monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
        prints = f"from league.errors import LeagueError\n{BOOM}".replace('raise KeyError("boom")', ending)
        with Path("/dev/full").open("w") as full:
            ended = fresh(["games"], prints, stdout=full)
        assert (ended.returncode, ended.stderr) == (1, line)

    def test_of_a_run_that_is_full_leaves_its_results(self, tmp_path):
        with Path("/dev/full").open("w") as full:
            ended = command(["run", "small.yaml", "-q", "--results", tmp_path], stdout=full.fileno())
        assert (ended.returncode, ended.stderr) == (1, FULL)
        standings = (tmp_path / "small/standings.csv").read_bytes()
        assert standings == Path("results/small/standings.csv").read_bytes()


class TestBugs:
    def test_are_called_bugs_and_written_down(self, tmp_path):
        ended = command(["games"], before=BOOM)
        (log,) = tmp_path.glob("league-bug-*.log")
        first, second = ended.stderr.splitlines()
        assert ended.returncode == 70
        assert first == "league: This is a bug in League, not a mistake of yours: KeyError: 'boom'"
        assert second.startswith(f"league: The details are in {log}. Please report them")
        assert re.match(r"League \S+, Python 3\.\d+\.\d+, .*\nleague games\nTraceback ", log.read_text())
        assert ended.stdout == "half a line"

    def test_that_can_be_written_nowhere_are_shown(self):
        nowhere = "import tempfile\ndef mkstemp(**options):\n    raise OSError\ntempfile.mkstemp = mkstemp\n"
        ended = command(["games"], before=nowhere + BOOM)
        assert ended.returncode == 70
        assert "Traceback (most recent call last):\n" in ended.stderr
        assert "The details are above. " in ended.stderr

    def test_a_broken_pipe_of_our_own_is_one(self):
        broken = BOOM.replace('KeyError("boom")', 'BrokenPipeError(32, "Broken pipe")')
        ended = command(["games"], before=broken)
        assert ended.returncode == 70
        assert "This is a bug in League" in ended.stderr

    def test_a_missing_file_of_our_own_is_one_also_on_a_full_disk(self):
        ours = BOOM.replace('KeyError("boom")', 'OSError(28, "No space left on device", "ours.txt")')
        assert command(["games"], before=ours).returncode == 70
