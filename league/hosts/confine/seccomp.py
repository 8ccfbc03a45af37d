"""The system call filter (seccomp): a small assembler, and the filters of Python hosts, of programs, and of builds.

The order of decisions: a foreign instruction set is killed; calls on the list pass, some only with harmless
arguments; calls newer than the list do not exist; everything else is "operation not permitted".
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Iterable
from functools import cache

from league.hosts.confine import libc
from league.hosts.confine.syscalls import (
    ALWAYS,
    BUILD,
    CLOCKS,
    LOOKING,
    MISSING,
    NEWEST,
    PROGRAM,
    Processor,
    number,
)

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_KILL, _ALLOW, _ERRNO, _ASK = 0x8000_0000, 0x7FFF_0000, 0x0005_0000, 0x7FC0_0000
_NOT_PERMITTED = _ERRNO | errno.EPERM
_NO_SUCH_CALL = _ERRNO | errno.ENOSYS
_NR, _ARCH, _ARGS = 0, 4, 16
_X32 = 0x4000_0000

_WRITE_FLAGS = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000 | 0o20000 | 0o20000000
"""O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_ASYNC and the bit of O_TMPFILE."""
_HARMLESS_FCNTL = (0, 1, 2, 3, 4, 1030)
"""F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC: none that makes the kernel send signals."""
_HARMLESS_IOCTL = (0x541B, 0x5421, 0x5450, 0x5451)
"""FIONREAD, FIONBIO, FIONCLEX, FIOCLEX: how a descriptor of one's own is, and behaves."""
_BELOW_ZERO = 0x8000_0000
_FUTEX_PRIVATE = 128
_CLONE_THREAD = 0x10000
_CLONE_NAMESPACES = 0x7E02_0000
"""All flags that begin with CLONE_NEW."""
_EVICTING = (20, 21)
"""MADV_COLD and MADV_PAGEOUT: they take a file out of the system's cache, which other processes can notice."""
_AF_UNIX = 1
_PR_SET_NO_NEW_PRIVS, _PR_GET_NAME, _PR_SET_NAME, _PR_SET_VMA = 38, 16, 15, 0x53564D41
_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_SET_MODE_FILTER, _NEW_LISTENER = 1, 8

Code = list[tuple[int, int, int, int]]
"""Instructions: operation, steps to jump if true, if false, operand."""


@cache
def python(machine: Processor) -> bytes:
    """The filter of a Python host: it thinks and reads files, and sends no signal."""
    code = _native_only(machine)
    code += _calls(ALWAYS, machine, [(_RETURN, 0, 0, _ALLOW)])
    code += _calls(["prlimit64"], machine, _only_reading_own_limits())
    code += _calls(["futex"], machine, _only_with_bits(1, _FUTEX_PRIVATE))  # others would be heard by other processes
    return _assembled(code + _reading(machine) + _the_rest(machine))


def program(pid: int, machine: Processor) -> bytes:
    """The filter of a program of another language with this id: it needs threads as well, and to be executed."""
    code = _native_only(machine) + _reading(machine)
    code += _calls(["clone"], machine, _only_with_bits(0, _CLONE_THREAD))
    return _assembled(code + _of_programs(pid, machine) + _the_rest(machine))


def build(pid: int, machine: Processor) -> bytes:
    """The filter of a program that builds a bot: it may also start others, and write; Landlock says where."""
    code = _native_only(machine)
    code += _calls([*LOOKING, *BUILD], machine, [(_RETURN, 0, 0, _ALLOW)])
    code += _calls(["clone"], machine, _unless_bits(0, _CLONE_NAMESPACES))
    return _assembled(code + _of_programs(pid, machine) + _the_rest(machine))


@cache
def gate(machine: Processor) -> bytes:
    """A filter that makes every call with a path wait until the league lets it pass."""
    code = [(_LOAD, 0, 0, _NR), *_calls([*LOOKING, "open", "openat"], machine, [(_RETURN, 0, 0, _ASK)])]
    return _assembled([*code, (_RETURN, 0, 0, _ALLOW)])


def _of_programs(pid: int, machine: Processor) -> Code:
    """What all programs of other languages may do, whether they play or build."""
    code = _calls([*ALWAYS, *PROGRAM], machine, [(_RETURN, 0, 0, _ALLOW)])
    code += _calls(["kill", "tgkill"], machine, _only_if(0, [pid]))
    code += _calls(["prlimit64"], machine, _only_reading_own_limits())
    code += _calls(["ioctl"], machine, _only_if(1, _HARMLESS_IOCTL))
    code += _calls(["socketpair"], machine, _only_if(0, [_AF_UNIX]))  # Java opens no file without one
    return code + _calls(["prctl"], machine, _only_if(0, [_PR_GET_NAME, _PR_SET_NAME, _PR_SET_VMA]))


def install(filter_code: bytes) -> None:
    """Apply the filter to this process and all that it starts, irrevocably."""
    described = _Program(len(filter_code) // 8, filter_code)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1)
    libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(described))


def install_gate(filter_code: bytes, machine: Processor) -> int:
    """Apply the filter too; returns the descriptor by which calls are let pass. Once it is closed, they all fail."""
    described = _Program(len(filter_code) // 8, filter_code)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1)
    return libc.syscall(number("seccomp", machine) or 0, _SET_MODE_FILTER, _NEW_LISTENER, ctypes.byref(described))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def _native_only(machine: Processor) -> Code:
    """Kill a process that makes calls of another instruction set; then load the number of the call."""
    code: Code = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, machine.audit), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NR)]
    if machine.column == 0:
        code += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _KILL)]
    return code


def _reading(machine: Processor) -> Code:
    """Files can be looked at and opened, but not for writing."""
    code = _calls(LOOKING, machine, [(_RETURN, 0, 0, _ALLOW)])
    code += _calls(["open"], machine, _unless_bits(1, _WRITE_FLAGS))
    return code + _calls(["openat"], machine, _unless_bits(2, _WRITE_FLAGS))


def _the_rest(machine: Processor) -> Code:
    """The end of every list."""
    code = _calls(["fcntl"], machine, _only_if(1, _HARMLESS_FCNTL))
    code += _calls(["madvise"], machine, _unless(2, _EVICTING))
    code += _calls(CLOCKS, machine, _unless_bits(0, _BELOW_ZERO))
    code += _calls(MISSING, machine, [(_RETURN, 0, 0, _NO_SUCH_CALL)])
    return [*code, (_AT_LEAST, 0, 1, NEWEST + 1), (_RETURN, 0, 0, _NO_SUCH_CALL), (_RETURN, 0, 0, _NOT_PERMITTED)]


def _assembled(code: Code) -> bytes:
    return b"".join([struct.pack("<HBBI", *instruction) for instruction in code])


def _calls(names: Iterable[str], machine: Processor, body: Code) -> Code:
    """For each of these calls: run `body`, which must end in a return."""
    code: Code = []
    for name in names:
        wanted = number(name, machine)
        if wanted is not None:
            code += [(_EQUAL, 0, len(body), wanted), *body]
    return code


def _argument(index: int, high: bool = False) -> int:
    return _ARGS + 8 * index + 4 * high


def _only_if(index: int, values: Iterable[int]) -> Code:
    return [*_returned_for(index, values, _ALLOW), (_RETURN, 0, 0, _NOT_PERMITTED)]


def _unless(index: int, values: Iterable[int]) -> Code:
    return [*_returned_for(index, values, _NOT_PERMITTED), (_RETURN, 0, 0, _ALLOW)]


def _returned_for(index: int, values: Iterable[int], verdict: int) -> Code:
    code: Code = [(_LOAD, 0, 0, _argument(index))]
    for value in values:
        code += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, verdict)]
    return code


def _unless_bits(index: int, mask: int) -> Code:
    return _by_bits(index, mask, _NOT_PERMITTED, _ALLOW)


def _only_with_bits(index: int, mask: int) -> Code:
    return _by_bits(index, mask, _ALLOW, _NOT_PERMITTED)


def _by_bits(index: int, mask: int, if_any: int, if_none: int) -> Code:
    return [(_LOAD, 0, 0, _argument(index)), (_ANY_BIT, 0, 1, mask), (_RETURN, 0, 0, if_any), (_RETURN, 0, 0, if_none)]


def _only_reading_own_limits() -> Code:
    """prlimit64(0, …, NULL, …): the process itself, and no new limit."""
    return [
        (_LOAD, 0, 0, _argument(0)),
        (_EQUAL, 0, 5, 0),
        (_LOAD, 0, 0, _argument(2)),
        (_EQUAL, 0, 3, 0),
        (_LOAD, 0, 0, _argument(2, high=True)),
        (_EQUAL, 0, 1, 0),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _NOT_PERMITTED),
    ]
