"""Bots in other languages, run for real."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import msgspec
import pytest

from league import games
from league.errors import IsolationError, UnavailableError
from league.games.contract import Outcome
from league.hosts import Begin, End, Tick
from league.hosts.factory import HostFactory
from league.hosts.program import PROTOCOL, NoMove, as_json, greeting
from league.setup.roster import Bot, load
from league.values.block import Fault
from league.values.settings import Isolation, Limits
from tests.hosts.stage import HONEST, block, bot, play, trusted
from tests.tables import each

EXAMPLES = Path(__file__).parents[2] / "examples" / "languages"
LIMITS = Limits(move_ms=2000, start_ms=20_000)
NEAREST = b"""
class Bot:
    def choose(self, view):
        return min(view.legal, key=lambda card: abs(card - view.prize))
"""
TWINS = {
    "highest_sh": b"class Bot:\n    def choose(self, view):\n        return view.legal[-1]",
    "nearest_node": NEAREST,
    "nearest_java": NEAREST,
    "table_c": b"""
BIDS = dict(zip(range(-5, 11), [11, 8, 6, 4, 2, 0, 3, 5, 7, 8, 10, 11, 12, 13, 14, 15]))
class Bot:
    def choose(self, view):
        return min(view.legal, key=lambda card: abs(card - BIDS[min(max(view.prize, -5), 10)]))
""",
}
"""The same bots in Python: each example must play the same games as its twin."""


@pytest.fixture(params=[Isolation.PROCESS, Isolation.SANDBOX])
def factory(request: pytest.FixtureRequest) -> HostFactory:
    return factory_of(request.param)


OPEN: dict[tuple[Isolation, Limits], HostFactory] = {}
"""A factory for each isolation and limits that tests ask for: to start one takes longer than to play a block."""


def factory_of(isolation: Isolation = Isolation.SANDBOX, limits: Limits = LIMITS) -> HostFactory:
    if (isolation, limits) not in OPEN:
        OPEN[isolation, limits] = HostFactory(isolation, limits)
    return OPEN[isolation, limits]


@pytest.fixture(scope="module", autouse=True)
def close_factories() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.popitem()[1].close()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody can read: programs run as another user if root runs the tests."""
    with TemporaryDirectory(prefix="league-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def needs(program: str) -> None:
    if shutil.which(program, path="/usr/local/bin:/usr/bin:/bin") is None:  # where bots find it
        pytest.skip(f"{program} is not installed here")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "program"), [("highest_sh", "sh"), ("nearest_node", "node"), ("nearest_java", "javac"), ("table_c", "cc")]
)
def test_examples_play_like_their_twins(factory: HostFactory, folder: Path, name: str, program: str) -> None:
    needs(program)
    shutil.copytree(EXAMPLES / name, folder / name)
    bots = [bot("honest", HONEST), load(folder / name)]
    twins = [bots[0], bot(name, TWINS[name])]
    wanted = block(bots, 6, LIMITS)
    result = play(factory, bots, wanted)
    assert result.faults == ()
    assert result.outcomes == trusted(twins, block(twins, 6, LIMITS)).outcomes


def shell(folder: Path, script: str) -> Bot:
    """A bot that is a shell script, which answers hello and then does something."""
    hello = "read -r line; echo '{\"protocol\": 1}'\n"
    (folder / "evil").mkdir(exist_ok=True)
    (folder / "evil" / "evil.sh").write_text(script if script.startswith("#") else hello + script)
    (folder / "evil" / "bot.toml").write_text('command = ["sh", "evil.sh"]\n')
    return load(folder / "evil")


DEEP = '{"a":' + 2000 * "[" + 2000 * "]" + "}"
HIGHEST = (EXAMPLES / "highest_sh" / "highest.sh").read_text()


@pytest.mark.slow
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
        (
            "# says nothing and waits\nread -r line; read -r line",
            "import",
            "it never answered hello: it slept or waited for more than 1 s while it was loaded. Print ",
        ),
        ("# says something else\necho hello", "import", "answer to hello"),
        ('# says what is no text\nprintf \'{"a": "\\377"}\\n\'', "import", "answer to hello"),
        ('# wants what is no truth\necho \'{"protocol": 1, "final_view": 1}\'', "import", "must be true or false"),
        (f"# says it in many brackets\necho '{DEEP}'", "import", "answer to hello"),
    ],
)
def test_misbehaviour_is_a_fault_of_every_game(folder: Path, script: str, kind: str, cause: str) -> None:
    bots = [shell(folder, script), bot("honest", HONEST)]
    limits = Limits(move_ms=100, start_ms=1000)
    result = play(factory_of(limits=limits), bots, block(bots, 3, limits))
    assert [(fault.bot, fault.kind) for fault in result.faults] == [("evil", kind)] * 3, result.faults
    assert all(cause in fault.cause for fault in result.faults), result.faults
    if "gone" in script:
        assert all(fault.tail == "gone\n" for fault in result.faults)


def test_a_program_that_wants_final_views_gets_them(factory: HostFactory, folder: Path) -> None:
    """When all games are over, the last message has only final views."""
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


def test_one_game_is_blamed_for_a_death(factory: HostFactory, folder: Path) -> None:
    """A program does not report which view it works on, so after a death it is asked for one game at a time."""
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
    assert result.outcomes == reference.outcomes


STRAY = HIGHEST.replace(
    '    echo "[$moves]"\n',
    """    echo "[$moves]"
    case $line in *'"prize":10,"pile":[10]'*) i=0; while [ $i -lt DELAY ]; do i=$((i + 1)); done; echo LATE ;; esac
""",
)


@pytest.mark.slow
@pytest.mark.parametrize("late", ["oops", "[]", "'[1]\n[2]'"])
def test_the_time_of_a_stray_line_does_not_change_who_is_blamed(folder: Path, late: str) -> None:
    assert STRAY != HIGHEST
    results = []
    for delay in (0, 30_000, 300):
        script = "#\n" + STRAY.replace("DELAY", str(delay)).replace("LATE", late)
        bots = [shell(folder, script), bot("honest", HONEST), bot("other", HONEST)]
        results.append(play(factory_of(), bots, block(bots, 5, LIMITS)))
    first, *others = results
    assert {fault.kind for fault in first.faults} == {"protocol"}
    for other in others:
        assert (other.faults, other.outcomes) == (first.faults, first.outcomes)


@pytest.mark.parametrize(
    "attempt",
    [
        "cat /etc/passwd",
        "(exit 0)",
        "exec 5>/var/tmp/league-hostile-sh",
        "exec 5</etc/passwd",
        f"exec 5<{Path(__file__)}",
        "kill -9 $PPID",
        "exec 5>new.txt",
        "exec 5>>evil.sh",
        "cd /; for f in root/*; do :; done; [ \"$f\" != 'root/*' ]",
    ],
)
def test_what_a_program_must_not_do_fails(folder: Path, attempt: str) -> None:
    """A shell tries it and ends if it failed. If it succeeded, the answer is a wrong one, and so the fault."""
    script = f"read -r line\n( {attempt} ) 2>/dev/null && echo escaped\n{attempt} && echo escaped\nexit 7"
    bots = [shell(folder, script), bot("honest", HONEST)]
    result = play(factory_of(), bots, block(bots, 1, LIMITS))
    assert [fault.kind for fault in result.faults] == ["crash"], result.faults


@pytest.fixture
def opt() -> Iterator[Path]:
    """A folder below /opt, with a shell installed in it."""
    if not os.access("/opt", os.W_OK):
        pytest.skip("/opt cannot be written by this user")
    with TemporaryDirectory(prefix="league-test-", dir="/opt") as name:
        Path(name).chmod(0o755)
        (Path(name) / "bin").mkdir()
        shutil.copy(os.path.realpath("/bin/sh"), Path(name) / "bin" / "shell")
        yield Path(name)


def test_program_cannot_read_what_else_is_in_opt(folder: Path, opt: Path) -> None:
    (opt / "rival.py").write_text("class Bot: ...")
    (opt / "rival.py").chmod(0o644)
    bots = [shell(folder, f"read -r line\nexec 5<{opt}/rival.py && echo escaped\nexit 7"), bot("honest", HONEST)]
    with HostFactory(Isolation.SANDBOX, LIMITS) as factory:
        result = play(factory, bots, block(bots, 1, LIMITS))
    assert [fault.kind for fault in result.faults] == ["crash"], result.faults


@pytest.mark.parametrize("first_line", ["#!{opt}/bin/shell", "#!/usr/bin/env -S {opt}/bin/shell"])
def test_program_installed_in_opt_can_be_used(folder: Path, opt: Path, first_line: str) -> None:
    first_line = first_line.format(opt=opt)
    by_command = program(folder, [f"{opt}/bin/shell", "highest.sh"], **{"highest.sh": HIGHEST})
    assert faults_of(by_command) == []
    program(folder, ["./run"], run=f"{first_line}\n{HIGHEST}")
    (folder / "prog" / "run").chmod(0o755)
    by_script = load(folder / "prog")
    assert faults_of(by_script) == []


def test_program_beside_bots_is_not_started(opt: Path) -> None:
    (opt / "bots").mkdir()
    beside = program(opt / "bots", [f"{opt}/bin/shell", "highest.sh"], **{"highest.sh": HIGHEST})
    (fault,) = faults_of(beside)
    assert fault.kind == "import"
    assert fault.cause == f"its command cannot be started: '{opt}/bin/shell' is in {opt}, where bots or results are too"


@pytest.mark.parametrize("private", ["/usr/share/league/results", "/usr/local/lib/league", "/bin"])
def test_league_among_the_systems_software_is_refused(folder: Path, private: str) -> None:
    bots = [shell(folder, "exit 7"), bot("honest", HONEST)]
    with (
        HostFactory(Isolation.SANDBOX, LIMITS, private=[private]) as factory,
        pytest.raises(IsolationError, match=f"^Bots could read {private}, since all software in .* can be read"),
    ):
        play(factory, bots, block(bots, 1, LIMITS))


def test_results_in_a_relative_folder_are_not_taken_for_the_bots_own(folder: Path) -> None:
    own = program(folder, ["./bot.sh"], **{"bot.sh": f"#!/bin/sh\n{HIGHEST}"})
    (folder / "prog" / "bot.sh").chmod(0o755)
    bots = [load(own.path), bot("honest", HONEST)]
    with HostFactory(Isolation.SANDBOX, LIMITS, private=["results/class"]) as factory:
        assert play(factory, bots, block(bots, 1, LIMITS)).faults == ()


def test_league_among_pythons_libraries_is_refused() -> None:
    libraries = sysconfig.get_paths()["purelib"]
    bots = [bot("other", HONEST), bot("honest", HONEST)]
    with HostFactory(Isolation.SANDBOX, LIMITS, private=["/usr/share/league"]) as factory:
        assert play(factory, bots, block(bots, 1, LIMITS)).faults == ()  # out of reach of Python bots
    with (
        HostFactory(Isolation.SANDBOX, LIMITS, private=[f"{libraries}/results"]) as factory,
        pytest.raises(IsolationError, match=f"Bots could read {libraries}/results"),
    ):
        play(factory, bots, block(bots, 1, LIMITS))


def faults_of(one: Bot, limits: Limits = LIMITS) -> list[Fault]:
    """What a program does wrong in a game against an honest bot."""
    bots = [one, bot("honest", HONEST)]
    return list(play(factory_of(limits=limits), bots, block(bots, 1, limits)).faults)


def program(folder: Path, command: list[str], **files: str) -> Bot:
    """A bot that is a folder with a command and some files."""
    (folder / "prog").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / "prog" / name).write_text(text)
    (folder / "prog" / "bot.toml").write_text(f"command = {json.dumps(command)}\n")
    return load(folder / "prog")


@each(
    "command", ["no-such-program", "../x", "./bot.toml/x", "/root/x", "/", "/.", "//", ".", "..", "/etc", "/etc/passwd"]
)
def test_a_command_must_be_a_system_program_or_one_of_the_folder(folder: Path, command: str) -> None:
    (fault,) = faults_of(program(folder, [command]))
    assert fault.kind == "import"
    assert fault.cause == f"its command cannot be started: {command!r} is no program of this system or of its folder"


def test_a_command_of_one_file_must_be_a_system_program(folder: Path) -> None:
    (folder / "evil.toml").write_text('command = ["./evil.sh"]\n')
    evil = load(folder / "evil.toml")
    (folder / "evil.sh").write_text("echo")
    (fault,) = faults_of(evil)
    assert fault.cause == "its command cannot be started: './evil.sh' is no program of this system"


def test_the_fault_of_a_program_that_is_not_executable_names_the_remedy(folder: Path) -> None:
    (fault,) = faults_of(program(folder, ["./main"], main="#!/bin/sh\n"))
    assert fault.kind == "import"
    assert re.fullmatch(
        r"its command cannot be started: '\./main' cannot be executed by user \d+ \(chmod \+x \./main\)", fault.cause
    )


def test_a_script_of_the_folder_is_executed(folder: Path) -> None:
    main = program(folder, ["./main"], main=f"#!/bin/sh\n{HIGHEST}")
    (main.path / "main").chmod(0o755)
    assert faults_of(load(main.path)) == []


def test_a_program_of_one_file_cannot_read_other_bots(folder: Path) -> None:
    """It cannot read the bots beside it, whatever its command says."""
    (folder / "victim.py").write_text("SECRET")
    steal = f"( exec 5<{folder}/victim.py ) || exec 5<victim.py; echo stolen >&2"
    (folder / "thief.toml").write_text(f"command = {json.dumps(['sh', '-c', steal])}\n")
    (fault,) = faults_of(load(folder / "thief.toml"))
    assert "stolen" not in fault.tail
    assert "cannot" in fault.tail.lower()


FAILING = """
while IFS= read -r line; do
    moves=
    rest=$line
    while [ "$rest" != "${rest#*'"legal":['}" ]; do
        rest=${rest#*'"legal":['}
        legal=${rest%%]*}
        move=${legal##*,}
        case ${rest#*]} in ',"prize":10,"pile":[10],'*) move='{"error": "ten is too much"}'; echo 'ten!' >&2 ;; esac
        moves=$moves${moves:+,}$move
    done
    echo "[$moves]"
done
"""


def test_a_program_can_fail_in_one_game_and_say_why(factory: HostFactory, folder: Path) -> None:
    tame = b"""
class Bot:
    def choose(self, view):
        if view.pile == (10,): raise ValueError
        return view.legal[-1]
"""
    bots = [shell(folder, FAILING), bot("honest", HONEST)]
    twins = [bot("evil", tame), bots[1]]
    result, reference = play(factory, bots, block(bots, 5, LIMITS)), trusted(twins, block(twins, 5, LIMITS))
    assert reference.faults
    assert [fault.address for fault in result.faults] == [fault.address for fault in reference.faults]
    assert {(fault.kind, fault.cause) for fault in result.faults} == {("error", "ten is too much")}
    assert set(result.faults[0].tail.splitlines()) == {"ten!"}
    assert result.outcomes == reference.outcomes


AWAY = """
while read -r line; do
    case $line in *'"choose":[]'*) echo '[]' ;; *) echo '[{"unavailable": "no route"}]' ;; esac
done
"""


def test_being_unavailable_is_a_fault_where_it_cannot_be_true(folder: Path) -> None:
    """In the sandbox there is no network, and a bot that is behind would end its matches so."""
    (fault,) = faults_of(shell(folder, AWAY))
    assert (fault.bot, fault.kind) == ("evil", "error")
    assert fault.cause == "unavailable, which is no excuse in the sandbox, where it depends on nothing: no route"
    bots = [shell(folder, AWAY), bot("honest", HONEST)]
    with pytest.raises(UnavailableError, match="evil could not be asked, so there is no game: no route"):
        play(factory_of(Isolation.PROCESS), bots, block(bots, 1, LIMITS))


@pytest.mark.parametrize("answer", ['{"error": 1}', '{"why": "x"}', '{"error": "x", "unavailable": "x"}', "{}"])
def test_an_answer_is_a_move_or_an_error_and_nothing_else(folder: Path, answer: str) -> None:
    (fault,) = faults_of(shell(folder, f"while read -r line; do echo '[{answer}]'; done"))
    assert (fault.kind, "not a list" in fault.cause) == ("protocol", True)
    assert fault.tail == f"It wrote:\n[{answer}]\n"


def test_what_a_program_says_instead_of_hello_is_shown(folder: Path) -> None:
    script = "# cannot start\necho 'Error: no memory'; echo 'Sorry.'; echo aside >&2; exit 1"
    (fault,) = faults_of(shell(folder, script))
    assert fault.kind == "import"
    assert fault.cause == """the answer to hello must be {"protocol": 1}, found 'Error: no memory'"""
    assert fault.tail == "It wrote:\nError: no memory\nSorry.\naside\n"


class TestJava:
    """A bot in Java, started in each possible way, with the memory limit of configs/class.yaml."""

    CLASS = Limits(move_ms=50, start_ms=20_000, memory_mb=256)

    @pytest.fixture
    def sources(self, folder: Path) -> Path:
        needs("javac")
        shutil.copytree(EXAMPLES / "nearest_java", folder / "prog")
        return folder / "prog"

    def test_an_ordinary_command_fits(self, sources: Path) -> None:
        assert faults_of(load(sources), self.CLASS) == []

    @pytest.mark.slow
    @pytest.mark.parametrize("way", ["classes", "jars"])
    def test_classes_and_jars_work(self, sources: Path, folder: Path, way: str) -> None:
        needs("jar")
        start = "public class Main { public static void main(String[] a) { Nearest.main(a); } }"
        (sources / "Main.java").write_text(start)
        subprocess.run(["javac", "-d", "classes", "Nearest.java", "Main.java"], check=True, cwd=sources)
        path = "classes"
        if way == "jars":
            for name in ("Main", "Nearest"):
                subprocess.run(["jar", "cf", f"{name}.jar", "-C", "classes", f"{name}.class"], check=True, cwd=sources)
            shutil.rmtree(sources / "classes")
            path = "Main.jar:Nearest.jar"
        assert faults_of(program(folder, ["java", "-XX:+UseParallelGC", "-cp", path, "Main"]), self.CLASS) == []

    def test_a_lack_of_memory_is_reported_with_a_remedy(self, sources: Path, folder: Path) -> None:
        (fault,) = faults_of(program(folder, ["java", "-Xms900m", "-Xmx900m", "Nearest.java"]), self.CLASS)
        assert fault.kind == "import"
        assert fault.cause == "Java lacks memory: a bot may take 256 MB. Try: java -Xmx64m -XX:+UseSerialGC"
        assert "It wrote:" in fault.tail


def test_the_folder_that_a_program_was_read_from_may_be_gone(folder: Path) -> None:
    prog = shell(folder, HIGHEST)
    shutil.rmtree(folder / "evil")
    assert faults_of(prog) == []


def test_the_page_about_the_protocol_is_true() -> None:
    """The league's messages on that page have the same fields as the real ones."""
    page = (Path(__file__).parents[2] / "docs" / "languages.md").read_text()
    hello, ready, tick, answer, failed, unavailable = (
        json.loads(block) for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    )
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
    assert len(answer) == len(failed) == len(tick["choose"])
    assert isinstance(failed[1], dict)
    assert msgspec.convert(failed[1], NoMove).error
    assert msgspec.convert(unavailable[0], NoMove).unavailable
    assert said["start"][0]["seed"] == 2**53 - 1
