"""Reaches for the processes that were forked beside it: they have the same user, the same parent and the same walls."""

import ctypes
import os
import resource
import signal
import time

EXPECT = "contained"
EARLY = True

NEAR = 30
GET_ROBUST_LIST = {"x86_64": 274, "aarch64": 100}
TKILL = {"x86_64": 200, "aarch64": 130}
PROCESS_VM_READV = {"x86_64": 310, "aarch64": 270}

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine


def asked(number, *words):
    if libc.syscall(number, *words) == -1:
        raise OSError(ctypes.get_errno(), "refused")


def attempts(pid):
    word = ctypes.c_size_t()
    pair = (ctypes.c_size_t * 2)(ctypes.addressof(word), 8)
    yield lambda: os.kill(pid, 0)
    yield lambda: os.kill(-pid, 0)
    yield lambda: signal.pidfd_send_signal(os.pidfd_open(pid), 0)
    yield lambda: asked(TKILL[machine], pid, 0)
    yield lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE)
    yield lambda: time.clock_gettime((~pid << 3) | 2)  # how long it has been thinking
    yield lambda: asked(GET_ROBUST_LIST[machine], pid, ctypes.byref(word), ctypes.byref(word))
    yield lambda: asked(PROCESS_VM_READV[machine], pid, pair, 1, pair, 1, 0)
    for name in ("exe", "cwd", "fd/3", "ns/pid"):
        yield lambda name=name: os.readlink(f"/proc/{pid}/{name}")
    for name in ("maps", "mem", "fd", "stat", "environ"):
        yield lambda name=name: os.open(f"/proc/{pid}/{name}", os.O_RDONLY)


def attack(view):
    own = os.getpid()
    for pid in [*range(max(2, own - NEAR), own), *range(own + 1, own + NEAR), os.getppid()]:
        for number, attempt in enumerate(attempts(pid)):
            try:
                attempt()
            except OSError:
                continue
            raise AssertionError(f"attempt {number} on {pid - own} went through")
