"""The filter follows its list, also for other processors than this one, and `prove` finds what is not confined."""

from __future__ import annotations

import errno
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from league.hosts.confine import seccomp
from league.hosts.confine.syscalls import ALWAYS, FORKING, LOOKING, NUMBERS, PROCESSORS, Processor, number
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


def filters(kind: str, processor: Processor) -> list[bytes]:
    """The filters of a process, the newest first."""
    if kind in ("program", "build"):
        return [(seccomp.program if kind == "program" else seccomp.build)(OWN, processor)]
    walls = seccomp.walls("sealed" if kind == "sealed" else "landlock", processor)
    return [walls] if kind == "zygote" else [seccomp.lock(OWN, processor), walls]


def verdict(kind: str, processor: Processor, audit: int, call: int, arguments: tuple[int, ...] = ()) -> int:
    """What the kernel makes of several decisions: the strictest counts, and of equal ones the newest filter's."""
    decisions = [decide(code, audit, call, arguments) for code in filters(kind, processor)]
    return min(decisions, key=lambda decision: struct.unpack("<i", struct.pack("<I", decision & 0xFFFF_0000)))


CASES = [
    ("sealed", "read", (), ALLOW),
    ("sealed", "openat", (0, 0, 0), REFUSED),
    ("sealed", "newfstatat", (), REFUSED),
    ("landlock", "openat", (0, 0, 0o2000000), ALLOW),
    ("landlock", "openat", (0, 0, 0o1), REFUSED),
    ("landlock", "openat", (0, 0, 0o2), REFUSED),
    ("landlock", "openat", (0, 0, 0o100), REFUSED),
    ("landlock", "openat", (0, 0, 0o20200000), REFUSED),
    *((kind, "madvise", (0, 0, 4), ALLOW) for kind in ("sealed", "landlock", "program")),
    *((kind, "madvise", (0, 0, advice), REFUSED) for kind in ("sealed", "landlock", "program") for advice in (20, 21)),
    ("landlock", "kill", (OWN, 9), ALLOW),
    ("landlock", "kill", (OWN + 1, 9), REFUSED),
    ("landlock", "kill", (2**64 - 1, 9), REFUSED),
    ("landlock", "tgkill", (OWN, OWN, 6), ALLOW),
    ("landlock", "tgkill", (1, 1, 6), REFUSED),
    ("landlock", "prlimit64", (0, 7, 0), ALLOW),
    ("landlock", "prlimit64", (0, 7, 1 << 32), REFUSED),
    ("landlock", "prlimit64", (0, 7, 1), REFUSED),
    ("landlock", "prlimit64", (1, 7, 0), REFUSED),
    ("landlock", "fcntl", (3, 1), ALLOW),
    ("landlock", "fcntl", (3, 8), REFUSED),
    ("landlock", "clock_gettime", (2,), ALLOW),
    ("landlock", "clock_gettime", (~OWN << 3 & 0xFFFF_FFFF | 2,), REFUSED),
    ("sealed", "clock_nanosleep", (~OWN << 3 & 0xFFFF_FFFF | 2,), REFUSED),
    ("landlock", "futex", (1, 0x80), ALLOW),
    ("landlock", "futex", (1, 1), REFUSED),
    ("sealed", "futex", (1, 0), REFUSED),
    ("landlock", "clone", (0x10000,), REFUSED),
    ("landlock", "clone3", (), UNKNOWN),
    ("landlock", "execve", (), REFUSED),
    ("landlock", "clone", (17,), REFUSED),
    ("landlock", "recvmsg", (), REFUSED),
    ("landlock", "prctl", (22,), REFUSED),
    ("landlock", "setitimer", (), REFUSED),
    ("zygote", "clone", (17,), ALLOW),
    ("zygote", "clone3", (), UNKNOWN),
    ("zygote", "prctl", (22,), ALLOW),
    ("zygote", "prlimit64", (0, 6, 1), ALLOW),
    ("zygote", "prlimit64", (1, 6, 1), REFUSED),
    ("zygote", "execve", (), REFUSED),
    ("zygote", "openat", (0, 0, 0o1), REFUSED),
    ("zygote", "socketpair", (1,), REFUSED),
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
    ("build", "kill", (OWN + 1, 9), REFUSED),
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
            assert verdict("landlock", processor, processor.audit, call) == (REFUSED if call <= 450 else UNKNOWN)
    assert verdict("landlock", processor, 0x40000003, 0) == KILL
    assert all(len(code) // 8 < 4096 for code in filters("landlock", processor)), "the kernel takes no longer filters"


@pytest.mark.parametrize("machine", PROCESSORS)
@pytest.mark.parametrize(("kind", "allowed"), [("sealed", ALWAYS), ("landlock", ALWAYS + LOOKING)])
def test_what_a_host_may_do_whatever_the_arguments(machine: str, kind: str, allowed: tuple[str, ...]) -> None:
    """The lock takes away everything that the walls leave to a zygote."""
    processor = PROCESSORS[machine]
    passed = {
        name
        for name in NUMBERS
        if (call := number(name, processor)) is not None
        and all(verdict(kind, processor, processor.audit, call, (word,) * 6) == ALLOW for word in (0, 20, 2**64 - 1))
    }
    assert passed == {name for name in allowed if number(name, processor) is not None}
    assert not passed & {*FORKING}


def test_another_instruction_set_is_killed() -> None:
    processor = PROCESSORS["x86_64"]
    assert verdict("program", processor, processor.audit, 0x40000000) == KILL
    assert verdict("landlock", processor, processor.audit, 0x40000000) == KILL


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
        "from league.hosts.confine import enclose, landlock, lock, prove\n"
        "from league.values.settings import Limits\n"
    )
    done = subprocess.run([sys.executable, "-c", preamble + code], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_proof_fails_in_a_process_that_is_not_confined() -> None:
    found = confined("print(prove('sealed'))")
    assert found.startswith("a confined process could still read a folder and open a file for writing")
    assert "start a process" in found
    assert "look at a file" in found


def test_proof_fails_if_only_landlock_is_missing() -> None:
    """The filter alone does not confine reading, so such a host must not load a bot."""
    found = confined("enclose('landlock', Limits()); lock('landlock', os.getppid()); print(prove('landlock'))")
    assert found == "a confined process could still read a folder\n"


def test_proof_fails_in_a_process_that_is_enclosed_but_not_locked() -> None:
    """As a zygote is: a host that forgot its own part must not load a bot."""
    found = confined("enclose('landlock', Limits(), landlock.ruleset([])); print(prove('landlock'))")
    assert found.startswith("a confined process could still start a process")


WITHOUT_FILTERS = """
import errno
from league.hosts.confine import seccomp, syscalls
from league.hosts.confine.seccomp import _ALLOW, _ARGS, _EQUAL, _ERRNO, _LOAD, _NR, _PR_SET_SECCOMP, _RETURN
from league.hosts.doctor import _sandbox
allowed = [(_RETURN, 0, 0, _ALLOW)]
refused = [(_LOAD, 0, 0, _ARGS), (_EQUAL, 0, 1, _PR_SET_SECCOMP), (_RETURN, 0, 0, _ERRNO | errno.EINVAL), *allowed]
code = [(_LOAD, 0, 0, _NR), *seccomp._calls(["prctl"], syscalls.processor(), refused), *allowed]
seccomp.install(seccomp._assembled(code))
"""
"""From then on the kernel is like one that has Landlock, but no system call filters."""


@pytest.mark.slow
@each("sealed", [False, True])
def test_where_the_kernel_refuses_there_is_no_sandbox_and_the_reason_is_reported(sealed: bool) -> None:
    """Whether the zygote encloses itself, or each host."""
    assert confined(f"{WITHOUT_FILTERS}print(_sandbox('sandbox', {sealed}).found)") == (
        "Isolation is not available here: the kernel refused to confine a process: prctl 22: Invalid argument. "
        "See: league doctor\n"
    )


FEW_PROCESSES = """
import resource
from league.hosts.doctor import _sandbox
resource.setrlimit(resource.RLIMIT_NPROC, (1, resource.getrlimit(resource.RLIMIT_NPROC)[1]))
print(_sandbox("sandbox", False).good)
"""


def test_a_limit_of_processes_that_does_not_hold_for_root_stops_no_zygote() -> None:
    """The zygote becomes another user, for whom the limit of root would count."""
    if os.geteuid() != 0:
        pytest.skip("for an ordinary user the limit holds")
    assert confined(FEW_PROCESSES) == "True\n"


def test_proof_succeeds_in_a_confined_process() -> None:
    rules = {"landlock": "landlock.ruleset([])", "sealed": "-1"}
    for way, ruleset in rules.items():
        code = f"enclose({way!r}, Limits(), {ruleset}); lock({way!r}, os.getppid()); print(repr(prove({way!r})))"
        assert confined(code) == "''\n"


@pytest.mark.parametrize("column", [0, 1])
def test_no_two_system_calls_have_one_number(column: int) -> None:
    numbers = [both[column] for both in NUMBERS.values() if both[column] is not None]
    assert len(numbers) == len(set(numbers))
