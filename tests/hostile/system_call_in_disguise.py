"""Makes system calls as another kind of program would, to get around the list."""

import ctypes
import os

EXPECT = "crash"


def attack(view):
    if os.uname().machine != "x86_64":
        os.abort()
    ctypes.CDLL(None).syscall(0x40000000 + 39)
