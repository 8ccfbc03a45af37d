"""Asks the kernel again and again for what takes long, needs no processor time and cannot be interrupted."""

import ctypes
import os

EXPECT = "contained"

MEMBARRIER = {"x86_64": 324, "aarch64": 283}
GLOBAL = 1


def attack(view):
    libc = ctypes.CDLL(None, use_errno=True)
    number = MEMBARRIER.get(os.uname().machine)
    while number is not None and libc.syscall(number, GLOBAL, 0, 0) == 0:
        pass
