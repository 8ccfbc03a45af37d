"""The filter follows its list, also for other processors than this one, and `prove` finds what is not confined."""

from __future__ import annotations

import errno
import platform
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from league.hosts.confine import seccomp
from league.hosts.confine.syscalls import ALWAYS, LOOKING, NUMBERS, PROCESSORS, Processor, number
from tests.tables import each

OWN = 4321
ALLOW, KILL = 0x7FFF_0000, 0x8000_0000
REFUSED, UNKNOWN = 0x0005_0000 | errno.EPERM, 0x0005_0000 | errno.ENOSYS
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


def decide(code: bytes, audit: int, call: int, arguments: tuple[int, ...] = ()) -> int:
    """What the kernel would decide. It runs the five kinds of instructions that our filters consist of."""
    data = struct.pack("<IIQ6Q", call, audit, 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    instructions = list(struct.iter_unpack("<HBBI", code))
    at = value = 0
    while True:
        operation, if_true, if_false, operand = instructions[at]
        at += 1
        if operation == 0x20:
            value = struct.unpack_from("<I", data, operand)[0]
        elif operation == 0x06:
            return operand
        else:
            holds = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}[operation]
            at += if_true if holds else if_false


def filter_of(kind: str, processor: Processor) -> bytes:
    if kind == "python":
        return seccomp.python(processor)
    return (seccomp.program if kind == "program" else seccomp.build)(OWN, processor)


def verdict(kind: str, processor: Processor, audit: int, call: int, arguments: tuple[int, ...] = ()) -> int:
    return decide(filter_of(kind, processor), audit, call, arguments)


CASES = [
    ("python", "read", (), ALLOW),
    ("python", "newfstatat", (), ALLOW),
    ("python", "openat", (0, 0, 0o2000000), ALLOW),
    ("python", "openat", (0, 0, 0o1), REFUSED),
    ("python", "openat", (0, 0, 0o2), REFUSED),
    ("python", "openat", (0, 0, 0o100), REFUSED),
    ("python", "openat", (0, 0, 0o20200000), REFUSED),
    *((kind, "madvise", (0, 0, 4), ALLOW) for kind in ("python", "program")),
    *((kind, "madvise", (0, 0, advice), REFUSED) for kind in ("python", "program") for advice in (20, 21)),
    *((kind, "kill", (OWN, 9), ALLOW) for kind in ("program", "build")),
    *((kind, "kill", (pid, 9), REFUSED) for kind in ("program", "build") for pid in (OWN + 1, 2**64 - 1)),
    ("python", "kill", (OWN, 9), REFUSED),
    ("program", "tgkill", (OWN, OWN, 6), ALLOW),
    ("program", "tgkill", (1, 1, 6), REFUSED),
    ("python", "tgkill", (OWN, OWN, 6), REFUSED),
    ("python", "prlimit64", (0, 7, 0), ALLOW),
    ("python", "prlimit64", (0, 7, 1 << 32), REFUSED),
    ("python", "prlimit64", (0, 7, 1), REFUSED),
    ("python", "prlimit64", (1, 7, 0), REFUSED),
    ("python", "fcntl", (3, 1), ALLOW),
    ("python", "fcntl", (3, 8), REFUSED),
    ("python", "clock_gettime", (2,), ALLOW),
    ("python", "clock_gettime", (~OWN << 3 & 0xFFFF_FFFF | 2,), REFUSED),
    ("python", "clock_nanosleep", (~OWN << 3 & 0xFFFF_FFFF | 2,), REFUSED),
    ("python", "futex", (1, 0x80), ALLOW),
    ("python", "futex", (1, 1), REFUSED),
    ("python", "futex", (1, 0), REFUSED),
    ("python", "clone", (0x10000,), REFUSED),
    ("python", "clone3", (), UNKNOWN),
    ("python", "execve", (), REFUSED),
    ("python", "clone", (17,), REFUSED),
    ("python", "prctl", (22,), REFUSED),
    ("program", "execve", (), ALLOW),
    ("program", "clone", (0x3D0F00,), ALLOW),
    ("program", "clone", (17,), REFUSED),
    ("program", "ioctl", (0, 0x5421), ALLOW),
    ("program", "ioctl", (0, 0x5412), REFUSED),
    ("program", "prctl", (15,), ALLOW),
    ("program", "prctl", (1,), REFUSED),
    ("program", "clock_gettime", (~OWN << 3 & 0xFFFF_FFFF | 2,), REFUSED),
    ("program", "openat", (0, 0, 0o1), REFUSED),
    ("program", "unlinkat", (), REFUSED),
    ("build", "openat", (0, 0, 0o101), ALLOW),
    ("build", "unlinkat", (), ALLOW),
    ("build", "clone", (17,), ALLOW),
    ("build", "clone", (0x10000011,), REFUSED),
    ("build", "socketpair", (2,), REFUSED),
    ("build", "prlimit64", (0, 7, 1), REFUSED),
]


@each("machine", PROCESSORS)
@each(("kind", "call", "arguments", "expected"), CASES)
def test_decisions(machine: str, kind: str, call: str, arguments: tuple[int, ...], expected: int) -> None:
    processor = PROCESSORS[machine]
    wanted = number(call, processor)
    assert wanted is not None
    assert verdict(kind, processor, processor.audit, wanted, arguments) == expected


@each("machine", PROCESSORS)
def test_what_is_not_on_the_list(machine: str) -> None:
    processor = PROCESSORS[machine]
    listed = {NUMBERS[name][processor.column] for name in NUMBERS}
    for call in range(452):
        if call not in listed:
            assert verdict("python", processor, processor.audit, call) == (REFUSED if call <= 450 else UNKNOWN)
    assert verdict("python", processor, 0x40000003, 0) == KILL
    assert len(filter_of("python", processor)) // 8 < 4096, "the kernel takes no longer filters"


@each("machine", PROCESSORS)
def test_what_a_host_may_do_whatever_the_arguments(machine: str) -> None:
    processor = PROCESSORS[machine]
    passed = {
        name
        for name in NUMBERS
        if (call := number(name, processor)) is not None
        and all(
            verdict("python", processor, processor.audit, call, (word,) * 6) == ALLOW for word in (0, 20, 2**64 - 1)
        )
    }
    assert passed == {name for name in ALWAYS + LOOKING if number(name, processor) is not None}


def test_another_instruction_set_is_killed() -> None:
    processor = PROCESSORS["x86_64"]
    assert verdict("program", processor, processor.audit, 0x40000000) == KILL
    assert verdict("python", processor, processor.audit, 0x40000000) == KILL


@each("machine", PROCESSORS)
def test_numbers_are_those_of_the_system_headers(machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip(f"{HEADERS[machine]} is not installed here")
    text = HEADERS[machine].read_text()
    known = {name: int(value) for name, value in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    known.setdefault("newfstatat", known.get("fstatat", -1))
    for name in NUMBERS:
        assert number(name, PROCESSORS[machine]) == known.get(name), name


def confined(code: str) -> str:
    """What a separate process prints when it runs this code."""
    preamble = (
        "import os\n"
        "from league.hosts.confine import address_space, confine_python, landlock, prove\n"
        "from league.values.settings import Limits\n"
    )
    done = subprocess.run([sys.executable, "-c", preamble + code], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_proof_fails_in_a_process_that_is_not_confined() -> None:
    found = confined("print(prove(True))")
    assert found.startswith("a confined process could still read a folder and open a file for writing")
    assert "start a process" in found


def test_proof_fails_if_only_landlock_is_missing() -> None:
    """The filter alone does not confine reading, so such a host must not load a bot."""
    found = confined("confine_python(True, os.getppid(), Limits(), -1, address_space()); print(prove(True))")
    assert found == "a confined process could still read a folder\n"


def test_proof_fails_if_only_the_filter_is_missing() -> None:
    found = confined(
        "confine_python(False, os.getppid(), Limits(), landlock.ruleset([]), address_space()); print(prove(True))"
    )
    assert "open a socket" in found
    assert "start a process" in found


REFUSING = """
import errno
import platform
from league.hosts.confine import seccomp, syscalls
from league.hosts.confine.seccomp import _ALLOW, _ARGS, _EQUAL, _ERRNO, _LOAD, _NR, _PR_SET_SECCOMP, _RETURN
from league.hosts.doctor import _sandbox
allowed = [(_RETURN, 0, 0, _ALLOW)]
words = [_PR_SET_SECCOMP, seccomp._SET_MODE_FILTER]
refused = [(_LOAD, 0, 0, _ARGS), *seccomp._returned_for(0, words, _ERRNO | errno.EINVAL), *allowed]
code = [(_LOAD, 0, 0, _NR), *seccomp._calls([CALL], syscalls.processor(), refused), *allowed]
seccomp.install(seccomp._assembled(code))
print(_sandbox().found)
"""
"""From then on the kernel is like one that has Landlock, but no system call filters, or no gate."""


@pytest.mark.slow
@each(("call", "told"), [("prctl", "prctl 22: Invalid argument"), ("seccomp", "system call 317: Invalid argument")])
def test_where_the_kernel_refuses_there_is_no_sandbox_and_the_reason_is_reported(call: str, told: str) -> None:
    told = told.replace("317", str(NUMBERS["seccomp"][platform.machine() == "aarch64"]))
    assert confined(REFUSING.replace("CALL", repr(call))) == (
        f"Isolation is not available here: the kernel refused to confine a process: {told}. See: league doctor\n"
    )


WITHOUT_LANDLOCK = """
from league.errors import IsolationError
from league.games import make
from league.hosts.factory import HostFactory
from league.values.settings import Isolation
from tests.hosts.stage import HONEST, bot
landlock.version = lambda: 0
for level in Isolation:
    with HostFactory(level, Limits()) as factory:
        try:
            print(factory.open(bot("ann", HONEST), make("raj", 2)) is not None)
        except IsolationError as problem:
            print(problem)
"""


def test_without_landlock_there_is_no_sandbox_and_one_line_says_so() -> None:
    sandbox, process, trusted = confined(WITHOUT_LANDLOCK).splitlines()
    assert sandbox.startswith("isolation: sandbox needs Landlock, which this kernel lacks or has switched off.")
    assert (process, trusted) == ("True", "True")


def test_proof_succeeds_in_a_confined_process() -> None:
    code = (
        "confine_python(True, os.getppid(), Limits(), landlock.ruleset([]), address_space()); print(repr(prove(True)))"
    )
    assert confined(code) == "''\n"


@pytest.mark.parametrize("column", [0, 1])
def test_no_two_system_calls_have_one_number(column: int) -> None:
    numbers = [both[column] for both in NUMBERS.values() if both[column] is not None]
    assert len(numbers) == len(set(numbers))
