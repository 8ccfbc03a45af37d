"""Reads the memory of the process that started it, by file, by system call and as a debugger."""

import ctypes
import os

EXPECT = "contained"
EARLY = True

PROCESS_VM_READV = {"x86_64": 310, "aarch64": 270}
PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206


def attack(view):
    runner = os.getppid()
    for name in ("mem", "maps", "environ", "stack"):
        try:
            os.open(f"/proc/{runner}/{name}", os.O_RDONLY)
        except OSError:
            continue
        raise AssertionError(f"{name} could be opened")
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(16)
    pair = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 16)
    calls = {
        "process_vm_readv": libc.syscall(PROCESS_VM_READV[os.uname().machine], runner, pair, 1, pair, 1, 0),
        "attach": libc.ptrace(PTRACE_ATTACH, runner, 0, 0),
        "seize": libc.ptrace(PTRACE_SEIZE, runner, 0, 0),
    }
    for name, result in calls.items():
        assert result == -1, name
