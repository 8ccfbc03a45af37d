"""Bots that attack, of a few lines or of files in tests/hostile: contained, rightly blamed, and harmless to others.

A file says what must happen: `EXPECT = "contained"` (the attack fails and the bot plays on), or the kind of fault.
In each case the block must end exactly like one in which a tame bot of the same name raised an error in the same
games, or did nothing.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from league.hosts.factory import HostFactory
from league.values.block import BlockResult
from tests.counting import tally_of
from tests.hosts.short_attacks import SHORT
from tests.hosts.stage import (
    HONEST,
    HOSTILE,
    LIMITS,
    block,
    bot,
    children,
    descriptors,
    hostile,
    mallory,
    play,
    trusted,
    zygote_of,
)

FOLDERS = [path.parent.name for path in HOSTILE.glob("*/bot.py")]
FILES = sorted([*SHORT, *FOLDERS, *(path.stem for path in HOSTILE.glob("*.py"))])
VICTIM = HOSTILE / "victim.txt"
OPEN_FOLDERS = ("/var/tmp", "/tmp", "/dev/shm")
HELD_BY_PROCESS = ("timeout", "memory", "crash", "error", "illegal", "import", "protocol")
"""What separate processes and limits can stop. Attacks on others need the sandbox."""
NEEDS_A_FILTER = ("system_call_in_disguise",)
CONTAINED_BY_PROCESS = """
    change_the_view false_results flood_output patch_random patch_the_rules read_the_environment search_descriptors
    search_the_heap start_a_daemon start_processes start_threads
"""
"""Attacks that fail even without a sandbox. The others are not tried without one: they would succeed."""


def constants(name: str) -> dict[str, Any]:
    tree = ast.parse(hostile(name).source.decode())
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id in ("EXPECT", "EXPECT_SINCE_3_12", "HOOK", "EXACT")
    }


def expectation(found: dict[str, Any]) -> str:
    """What must happen under the Python that runs this."""
    newer = sys.version_info >= (3, 12) and "EXPECT_SINCE_3_12" in found
    expected: str = found["EXPECT_SINCE_3_12" if newer else "EXPECT"]
    return expected


@cache
def tame(expected: str, hook: str) -> BlockResult:
    """The result that the block must have."""
    if expected == "contained":
        text = "def attack(_): pass"
    elif expected == "import":
        text = "raise ValueError"
    else:
        text = "def attack(_): raise ValueError"
    return trusted([bot("honest", HONEST), mallory(text, hook)])


def check(name: str, factory: HostFactory) -> None:
    found = constants(name)
    expected, hook = expectation(found), found.get("HOOK", "choose")
    reference = tame(expected, hook)
    assert bool(reference.faults) == (expected != "contained")
    attacker = hostile(name)
    factory.folder_of(attacker)
    zygotes = start_zygotes(factory)
    before = [descriptors(pid) for pid in (os.getpid(), *zygotes)]
    victim = VICTIM.read_text(), VICTIM.stat().st_mtime, VICTIM.stat().st_mode

    with pytest.MonkeyPatch.context() as patch:
        if expected != "timeout":  # whatever an attacker does, a slow machine must not look like its fault
            patch.setattr(factory, "_limits", msgspec.structs.replace(LIMITS, move_ms=5_000, start_ms=5_000))
        result = play(factory, [bot("honest", HONEST), attacker])

    assert [(fault.bot, fault.kind) for fault in result.faults] == [("mallory", expected)] * len(reference.faults), (
        result.faults[:2]
    )
    assert sorted(fault.address for fault in result.faults) == sorted(fault.address for fault in reference.faults)
    if found.get("EXACT", True):
        assert result.outcomes == reference.outcomes
        assert [usage.decisions for usage in result.usage] == [usage.decisions for usage in reference.usage]
    guilty = {int(fault.address.rpartition(":")[2].partition(".")[0]) for fault in result.faults}
    assert untouched(result, guilty) == untouched(reference, guilty)
    for fault in result.faults:
        assert fault.cause
        assert fault.cause.isprintable()
        assert len(fault.cause) <= 200
        assert fault.tail.replace("\n", "").isprintable()
    assert start_zygotes(factory) == zygotes, "a zygote was killed"
    wait_until_nobody_is_left(zygotes)
    assert [descriptors(pid) for pid in (os.getpid(), *zygotes)] == before
    assert (VICTIM.read_text(), VICTIM.stat().st_mtime, VICTIM.stat().st_mode) == victim
    assert not [path for folder in OPEN_FOLDERS for path in Path(folder).glob("league-hostile*")]


def untouched(result: BlockResult, guilty: set[int]) -> list[object]:
    """The results of the games without fault; a block of less than 64 games has a group for each of them."""
    tally = tally_of(result)
    return [entry for entries in (tally.rankings, tally.points) for entry in entries if entry[0] not in guilty]


def start_zygotes(factory: HostFactory) -> list[int]:
    """The process ids of all zygotes, which are started if they do not run yet."""
    return [zygote_of(factory, has_numpy) for has_numpy in (False, True)]


def wait_until_nobody_is_left(zygotes: list[int]) -> None:
    deadline = time.monotonic() + 30
    while any(children(zygote) for zygote in zygotes):
        assert time.monotonic() < deadline, "a host was left"
        time.sleep(0.01)


def half_later(names: list[str], mark: pytest.MarkDecorator) -> list[Any]:
    """All of them, every second one with this mark."""
    return [pytest.param(name, marks=mark) if number % 2 else name for number, name in enumerate(names)]


@pytest.mark.parametrize("name", half_later(FILES, pytest.mark.slow))
def test_in_the_sandbox(name: str, sandbox: HostFactory) -> None:
    check(name, sandbox)


HELD = [name for name in FILES if constants(name)["EXPECT"] in HELD_BY_PROCESS and name not in NEEDS_A_FILTER]


@pytest.mark.slow
@pytest.mark.parametrize("name", half_later([*HELD, *CONTAINED_BY_PROCESS.split()], pytest.mark.soak))
def test_in_a_process_of_its_own(name: str, process: HostFactory) -> None:
    check(name, process)


ON_THE_BOOKS = ("compile", "forge", "guess", "hoard", "lie", "poison", "search_for", "thread", "think")
SIX_TIMES = [name for name in FILES if name.startswith(ON_THE_BOOKS)]
SIX_TIMES += ["close_and_go_on", "loop_in_c_in_start", "loop_moving_its_position", "patch_the_channel"]
SIX_TIMES += ["reply_twice", "sleep_by_steps", "sleep_in_finish"]
"""Attacks on the league's own bookkeeping, where a race could decide who is blamed."""
RUNS = 6
ALWAYS = 8
"""This many of them are tried by `make test`, the others by `make soak`."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [*SIX_TIMES[:ALWAYS], *[pytest.param(x, marks=pytest.mark.soak) for x in SIX_TIMES[ALWAYS:]]]
)
def test_the_same_every_time(name: str, sandbox: HostFactory) -> None:
    """Faults with their causes, all results at that table, and the results of the honest bots without the attacker."""
    honest = [bot("honest", HONEST), bot("other", HONEST)]
    table = [*honest, hostile(name)]
    calm = as_bytes(trusted(honest, block(honest, 12)))
    attacked = set()
    for _ in range(RUNS):
        attacked.add(as_bytes(play(sandbox, table, block(table, 12))))
        assert as_bytes(play(sandbox, honest, block(honest, 12))) == calm
    assert len(attacked) == 1


def test_guessing_the_seed_works_without_a_secret(sandbox: HostFactory) -> None:
    """The attack is real: it succeeds against a seed that was not stretched."""
    bots = [bot("honest", HONEST), hostile("guess_the_seed")]
    wanted = block(bots, 12)
    open_seed = msgspec.structs.replace(wanted, series=msgspec.structs.replace(wanted.series, seed=42))
    assert {fault.cause for fault in play(sandbox, bots, open_seed).faults} == {"AssertionError: the seed is 42"}


def as_bytes(result: BlockResult) -> bytes:
    """Everything of a result that is kept, except timings."""
    return msgspec.msgpack.encode((result.outcomes, result.faults, result.forfeits))


ORDINARY = 65534


A_FEW = [f"test_in_the_sandbox[{name}]" for name in FILES[::24]]
ALL = ["test_in_the_sandbox", "test_the_same_every_time"]


@pytest.mark.slow
@pytest.mark.parametrize("tests", [A_FEW, pytest.param(ALL, marks=pytest.mark.soak)], ids=["a few", "all"])
def test_as_an_ordinary_user(tests: list[str]) -> None:
    """The same tests for an ordinary user, whose bots run under the same user."""
    if os.geteuid() != 0:
        pytest.skip("this is an ordinary user already")
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv is not installed here")
    become = ["setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups"]
    if not others_may_run(Path(sys.executable).resolve()):  # they must be able to read Python itself
        become += ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    words = [*(f"{__file__}::{test}" for test in tests), "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    played = subprocess.run(
        [*become, sys.executable, "-m", "pytest", *words], cwd=HOSTILE.parents[1], capture_output=True, text=True
    )
    assert played.returncode == 0, played.stdout[-3000:] + played.stderr[-1000:]


def others_may_run(program: Path) -> bool:
    """Whether a user who owns nothing can reach a program and execute it."""
    return all(part.stat().st_mode & 0o1 for part in (program, *program.parents))


def test_there_are_enough_attacks() -> None:
    assert len(FILES) >= 100
    assert {constants(name)["EXPECT"] for name in FILES} == {*HELD_BY_PROCESS, "contained"}
