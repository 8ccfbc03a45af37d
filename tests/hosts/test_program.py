"""Bots in other languages, run for real."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from league import games
from league.errors import IsolationError
from league.games.contract import Outcome
from league.hosts import Begin, End, Tick
from league.hosts.factory import HostFactory
from league.hosts.program import PROTOCOL, as_json, greeting
from league.setup.roster import Bot, scan
from league.values.block import Limits
from tests.hosts.stage import HONEST, block, bot, play, trusted

EXAMPLES = Path(__file__).parents[2] / "examples" / "languages"
LIMITS = Limits(move_ms=2000, start_ms=20_000)
TWINS = {
    "highest_sh": b"class Bot:\n    def choose(self, view):\n        return view.legal[-1]",
    "nearest_node": b"""
class Bot:
    def choose(self, view):
        return min(view.legal, key=lambda card: abs(card - view.prize))
""",
}
"""Each example again in Python: it must play the same games."""


@pytest.fixture(scope="module", params=["process", "sandbox"])
def factory(request: pytest.FixtureRequest):
    with HostFactory(request.param, LIMITS) as made:
        yield made


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody may read: if the tests are run by root, programs are not."""
    with TemporaryDirectory(prefix="league-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def needs(program: str) -> None:
    if shutil.which(program, path="/usr/local/bin:/usr/bin:/bin") is None:  # where bots find it
        pytest.skip(f"{program} is not installed here")


@pytest.mark.parametrize(("name", "program"), [("highest_sh", "sh"), ("nearest_node", "node")])
def test_examples_play_like_their_twins(factory: HostFactory, name: str, program: str) -> None:
    needs(program)
    bots = [bot("honest", HONEST), scan([str(EXAMPLES / f"{name}.toml")], Path()).bots[0]]
    twins = [bots[0], bot(name, TWINS[name])]
    wanted = block(bots, 6, LIMITS)
    result = play(factory, bots, wanted)
    assert result.faults == ()
    assert result.tally == trusted(twins, block(twins, 6, LIMITS)).tally


def shell(folder: Path, script: str) -> Bot:
    """A bot that is a shell script, which answers hello and then does something."""
    hello = "read -r line; echo '{\"protocol\": 1}'\n"
    (folder / "evil.sh").write_text(script if script.startswith("#") else hello + script)
    (folder / "evil.toml").write_text('command = ["sh", "evil.sh"]\n')
    return scan([str(folder)], Path()).bots[0]


DEEP = '{"a":' + 2000 * "[" + 2000 * "]" + "}"
HIGHEST = (EXAMPLES / "highest.sh").read_text()


@pytest.mark.parametrize(
    ("script", "kind", "cause"),
    [
        ("while read -r line; do echo '[1,2,3,4]'; done", "protocol", "moves where"),
        ("while read -r line; do echo nonsense; done", "protocol", "not a list of whole numbers"),
        ("while read -r line; do echo '[1.5]'; done", "protocol", "not a list of whole numbers"),
        ("while read -r line; do echo '[true]'; done", "protocol", "not a list of whole numbers"),
        ("while read -r line; do echo '[99999999999]'; done", "protocol", "not a list of whole numbers"),
        ("while read -r line; do printf '[\"\\377\"]\\n'; done", "protocol", "not a list of whole numbers"),
        ("read -r line; while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done", "protocol", ""),
        ("read -r line; echo gone >&2; exit 3", "crash", "exit code 3"),
        ("read -r line; kill -9 $$", "crash", ""),
        ("read -r line; while :; do :; done", "timeout", "processor time"),
        ("# says nothing\nexit 0", "import", "exit code 0"),
        ("# says something else\necho hello", "import", "answer to hello"),
        ('# says what is no text\nprintf \'{"a": "\\377"}\\n\'', "import", "answer to hello"),
        ('# wants what is no truth\necho \'{"protocol": 1, "final_view": 1}\'', "import", "must be true or false"),
        (f"# says it in many brackets\necho '{DEEP}'", "import", "answer to hello"),
    ],
)
def test_misbehaviour_is_a_fault_of_every_game(folder: Path, script: str, kind: str, cause: str) -> None:
    bots = [shell(folder, script), bot("honest", HONEST)]
    limits = Limits(move_ms=100, start_ms=5000)
    with HostFactory("sandbox", limits) as factory:
        result = play(factory, bots, block(bots, 3, limits))
    assert [(fault.bot, fault.kind) for fault in result.faults] == [("evil", kind)] * 3, result.faults
    assert all(cause in fault.cause for fault in result.faults), result.faults
    if "gone" in script:
        assert all(fault.tail == "gone\n" for fault in result.faults)


def test_a_program_that_wants_final_views_gets_them(factory: HostFactory, folder: Path) -> None:
    """When all games are over, only final views are left to be told."""
    picky = HIGHEST.replace(
        "    moves=\n",
        """    moves=
    case $line in
        *'"finish":[{'*'"view":{"seat":'*'"legal":[],'*) ;;
        *'"finish":[{'*'"choose":[]'*) exit 9 ;;
    esac
""",
    )
    assert picky != HIGHEST
    wanting = picky.replace('"protocol": 1', '"protocol": 1, "final_view": true')
    assert wanting != picky
    faults = []
    for script in (picky, wanting):
        bots = [shell(folder, script), bot("honest", HONEST)]
        faults.append({fault.kind for fault in play(factory, bots, block(bots, 2, LIMITS)).faults})
    assert faults == [{"crash"}, set()]


def test_a_death_is_pinned_on_one_game(factory: HostFactory, folder: Path) -> None:
    """A program does not tell which view it is at, so after a death it is asked for one game at a time."""
    deadly = HIGHEST.replace(
        "    moves=\n", '    moves=\n    case $line in *\'"prize":10,"pile":[10]\'*) exit 1 ;; esac\n'
    )
    tame = b"""
class Bot:
    def choose(self, view):
        if view.pile == (10,): raise ValueError
        return view.legal[-1]
"""
    bots = [shell(folder, "#\n" + deadly), bot("honest", HONEST)]
    twins = [bot("evil", tame), bots[1]]
    wanted, reference = block(bots, 5, LIMITS), trusted(twins, block(twins, 5, LIMITS))
    result = play(factory, bots, wanted)
    assert reference.faults
    assert [fault.address for fault in result.faults] == [fault.address for fault in reference.faults]
    assert {fault.kind for fault in result.faults} == {"crash"}
    assert result.tally == reference.tally


@pytest.mark.parametrize(
    "attempt",
    [
        "cat /etc/passwd",
        "(exit 0)",
        "exec 5>/var/tmp/league-hostile-sh",
        "exec 5</etc/passwd",
        f"exec 5<{Path(__file__)}",
        "kill -9 $PPID",
        "exec 5<evil.toml",
        "cd /; for f in root/*; do :; done; [ \"$f\" != 'root/*' ]",
    ],
)
def test_attempts_of_a_program_fail(folder: Path, attempt: str) -> None:
    """Each is tried in a shell that would end if it failed; one that goes through is told by a wrong answer."""
    script = f"read -r line\n( {attempt} ) 2>/dev/null && echo escaped\n{attempt} && echo escaped\nexit 7"
    bots = [shell(folder, script), bot("honest", HONEST)]
    with HostFactory("sandbox", LIMITS) as factory:
        result = play(factory, bots, block(bots, 1, LIMITS))
    assert [fault.kind for fault in result.faults] == ["crash"], result.faults


def test_a_command_that_does_not_exist(folder: Path) -> None:
    (folder / "evil.toml").write_text('command = ["no-such-program"]\n')
    bots = [scan([str(folder)], Path()).bots[0], bot("honest", HONEST)]
    with HostFactory("sandbox", LIMITS) as factory:
        result = play(factory, bots, block(bots, 1, LIMITS))
    assert [fault.kind for fault in result.faults] == ["import"]
    assert result.faults[0].cause == "its command cannot be started: there is no program 'no-such-program'"


@pytest.mark.parametrize(
    "command", ["/", "/.", "//", ".", "..", "", "/etc", "/usr/bin", "/dev/null", "/tmp", "a\\u0000b"]
)
def test_a_command_that_is_no_program_is_one_bots_fault(folder: Path, command: str) -> None:
    (folder / "evil.toml").write_text(f'command = ["{command}"]\n')
    found = scan([str(folder)], Path())
    if not found.bots:  # refused before it is run
        return
    bots = [found.bots[0], bot("honest", HONEST)]
    with HostFactory("sandbox", LIMITS) as factory:
        result = play(factory, bots, block(bots, 2, LIMITS))
    assert [(fault.bot, fault.kind) for fault in result.faults] == [("evil", "import")] * 2
    assert "cannot be started" in result.faults[0].cause


def test_a_program_whose_folder_is_gone_is_one_bots_fault(folder: Path) -> None:
    bots = [shell(folder, HIGHEST), bot("honest", HONEST)]
    shutil.rmtree(folder)
    folder.mkdir()
    folder.rmdir()
    with HostFactory("sandbox", LIMITS) as factory:
        result = play(factory, bots, block(bots, 2, LIMITS))
    folder.mkdir()
    assert [(fault.bot, fault.kind) for fault in result.faults] == [("evil", "import")] * 2


IN_A_THREAD = """
import json, sys, threading, time

def work():
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass

json.loads(input())
print('{"protocol": 1}', flush=True)
for line in sys.stdin:
    asked = json.loads(line)["choose"]
    for _ in asked:
        worker = threading.Thread(target=work)
        worker.start()
        worker.join()
    print(json.dumps([entry["view"]["legal"][0] for entry in asked]), flush=True)
"""


def test_work_in_another_thread_is_no_sleep(folder: Path) -> None:
    """The first thread waits for it, and the machine is busy with the same work for others."""
    needs("python3")
    (folder / "thread.txt").write_text(IN_A_THREAD)
    (folder / "evil.toml").write_text('command = ["python3", "thread.txt"]\n')
    limits = Limits(move_ms=100, start_ms=20_000)
    bots = [scan([str(folder)], Path()).bots[0], bot("honest", HONEST)]
    spin = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(spin) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        with HostFactory("process", limits) as factory:
            result = play(factory, bots, block(bots, 2, limits))
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert result.faults == ()


def test_a_program_that_bots_may_not_read(folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives its bots another user")
    bots = [shell(folder, HIGHEST), bot("honest", HONEST)]
    folder.chmod(0o700)
    with HostFactory("sandbox", LIMITS) as factory:
        result = play(factory, bots, block(bots, 1, LIMITS))
    assert [fault.kind for fault in result.faults] == ["import"]
    assert result.faults[0].cause == "its file 'evil.sh' cannot be read by user 65534: Permission denied"


def test_without_landlock_a_program_is_refused(folder: Path) -> None:
    evil = shell(folder, HIGHEST)
    with (
        HostFactory("sandbox", LIMITS, sealed=True) as factory,
        pytest.raises(IsolationError, match="'evil' is a program"),
    ):
        play(factory, [evil, bot("honest", HONEST)])


def test_the_page_about_the_protocol_is_true() -> None:
    """What it shows as said by the league has the fields that the league says."""
    page = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text()
    hello, ready, tick, answer = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL))
    game = games.make("raj", 2)
    view = game.start(game.deal(Random(0))).view(0)
    said = as_json(Tick([End(0, Outcome((0, 1), (31, 9)), view)], [Begin(0, 1, 2**64 - 1, True)], [0], [view]))
    assert hello == {"hello": greeting("nearest_node", game)}
    assert ready == {"protocol": PROTOCOL, "final_view": True}
    assert [list(part[0]) for part in tick.values()] == [list(part[0]) for part in said.values()]
    assert list(tick) == list(said)
    assert list(tick["choose"][0]["view"]) == list(tick["finish"][0]["view"]) == list(said["choose"][0]["view"])
    without = as_json(Tick([End(0, Outcome((0, 1), (31, 9)))], (), (), ()))
    assert without["finish"] == [{"slot": 0, "ranks": [0, 1], "scores": [31, 9]}]
    assert len(answer) == len(tick["choose"])
    assert said["start"][0]["seed"] == 2**53 - 1
