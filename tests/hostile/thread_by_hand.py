"""Asks the kernel itself for a thread."""

import ctypes

EXPECT = "contained"

CLONE = {"x86_64": 56, "aarch64": 220}
FLAGS = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000


def attack(view):
    import platform

    system = ctypes.CDLL(None, use_errno=True)
    for number in (CLONE.get(platform.machine(), 56), 435):
        if system.syscall(number, FLAGS, 0, 0, 0, 0) != -1:
            raise AssertionError("a thread was started")
