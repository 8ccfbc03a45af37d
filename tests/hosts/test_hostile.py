"""Bots that attack, a file each in tests/hostile: contained, rightly blamed, and harmless to everybody else.

A file says what must come of it: `EXPECT = "contained"` (the attack fails and the bot plays on), or the kind of fault.
Whatever it is, the block must end exactly like one in which a tame bot of the same name raised an error in the same
games, or did nothing at all.
"""

from __future__ import annotations

import ast
import os
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from league.hosts.factory import HostFactory
from league.values.block import BlockResult
from tests.hosts.stage import HONEST, HOSTILE, bot, children, descriptors, mallory, play, trusted

FILES = sorted(path.stem for path in HOSTILE.glob("*.py"))
VICTIM = HOSTILE / "victim.txt"
OPEN_FOLDERS = ("/var/tmp", "/tmp", "/dev/shm")
HELD_BY_PROCESS = ("timeout", "memory", "crash", "error", "illegal", "import", "protocol")
"""What separation and limits alone deal with; attacks on others are for the sandbox."""
NEEDS_A_FILTER = ("system_call_in_disguise",)
CONTAINED_BY_PROCESS = """
    change_the_view false_results flood_output patch_random patch_the_rules read_the_environment search_descriptors
    search_the_heap start_a_daemon start_processes start_threads
"""
"""Attacks that come to nothing even without a sandbox. The others are not tried without: they would go through."""


def constants(name: str) -> dict[str, Any]:
    tree = ast.parse((HOSTILE / f"{name}.py").read_text())
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id in ("EXPECT", "EXPECT_SINCE_3_12", "HOOK", "EXACT")
    }


def expectation(found: dict[str, Any]) -> str:
    """What comes of an attack under the Python that runs this."""
    newer = sys.version_info >= (3, 12) and "EXPECT_SINCE_3_12" in found
    expected: str = found["EXPECT_SINCE_3_12" if newer else "EXPECT"]
    return expected


@cache
def tame(expected: str, hook: str) -> BlockResult:
    """What the block must come to."""
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
    zygote = factory.warm()
    before = descriptors(os.getpid()), descriptors(zygote)
    victim = VICTIM.read_text(), VICTIM.stat().st_mtime, VICTIM.stat().st_mode

    result = play(factory, [bot("honest", HONEST), mallory((HOSTILE / f"{name}.py").read_text())])

    assert [(fault.bot, fault.kind) for fault in result.faults] == [("mallory", expected)] * len(reference.faults), (
        result.faults[:2]
    )
    assert sorted(fault.address for fault in result.faults) == sorted(fault.address for fault in reference.faults)
    if found.get("EXACT", True):
        assert result.tally == reference.tally
        assert [usage.decisions for usage in result.usage] == [usage.decisions for usage in reference.usage]
    guilty = {int(fault.address.rpartition(":")[2].partition(".")[0]) for fault in result.faults}
    assert untouched(result, guilty) == untouched(reference, guilty)
    for fault in result.faults:
        assert fault.cause
        assert fault.cause.isprintable()
        assert len(fault.cause) <= 200
        assert fault.tail.replace("\n", "").isprintable()
    assert factory.warm() == zygote, "the zygote was killed"
    wait_until_nobody_is_left(zygote)
    assert (descriptors(os.getpid()), descriptors(zygote)) == before
    assert (VICTIM.read_text(), VICTIM.stat().st_mtime, VICTIM.stat().st_mode) == victim
    assert not [path for folder in OPEN_FOLDERS for path in Path(folder).glob("league-hostile*")]


def untouched(result: BlockResult, guilty: set[int]) -> list[object]:
    """The results of the games without fault; a block of less than 64 games has a group for each of them."""
    tally = result.tally
    return [entry for entries in (tally.rankings, tally.points) for entry in entries if entry[0] not in guilty]


def wait_until_nobody_is_left(zygote: int) -> None:
    deadline = time.monotonic() + 30
    while children(zygote):
        assert time.monotonic() < deadline, "a host was left behind"
        time.sleep(0.01)


@pytest.mark.parametrize("name", FILES)
def test_in_the_sandbox(name: str, sandbox: HostFactory) -> None:
    check(name, sandbox)


@pytest.mark.parametrize("name", FILES)
def test_in_the_sealed_sandbox(name: str, sealed: HostFactory) -> None:
    check(name, sealed)


@pytest.mark.parametrize(
    "name",
    [
        *(name for name in FILES if constants(name)["EXPECT"] in HELD_BY_PROCESS and name not in NEEDS_A_FILTER),
        *CONTAINED_BY_PROCESS.split(),
    ],
)
def test_in_a_process_of_its_own(name: str, process: HostFactory) -> None:
    check(name, process)


def test_there_are_enough_behaviours() -> None:
    assert len(FILES) >= 40
    assert {constants(name)["EXPECT"] for name in FILES} == {*HELD_BY_PROCESS, "contained"}
