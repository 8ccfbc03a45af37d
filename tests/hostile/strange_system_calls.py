"""Asks the kernel for what few programs need: namespaces, keys, filters of its own, ways around the list."""

import ctypes
import os

EXPECT = "contained"

CALLS = {
    "x86_64": {
        "unshare": (272, 0x10000000),
        "add_key": (248, b"user", b"x", b"x", 1, -2),
        "keyctl": (250, 0, -3, 1),
        "io_uring_setup": (425, 8, bytes(128)),
        "bpf": (321, 0, bytes(128), 128),
        "perf_event_open": (298, bytes(128), 0, -1, -1, 0),
        "userfaultfd": (323, 0),
        "memfd_secret": (447, 0),
        "pidfd_getfd": (438, 3, 0, 0),
        "prctl, to outlive its parent": (157, 1, 0, 0, 0, 0),
        "prctl, to be dumped": (157, 4, 1, 0, 0, 0),
        "personality": (135, 0x0040000),
        "shmget": (29, 0, 4096, 0o1600),
        "msgget": (68, 0, 0o1600),
        "fcntl, to be sent signals for others": (72, 3, 8, 1),
        "futex, to wake other processes": (202, bytes(4), 1, 1),
        "ioctl": (16, 0, 0x5412, b"x"),
        "fadvise64, to take a file out of the cache": (221, 0, 0, 0, 4),
        "a call that does not exist yet": (5000,),
    }
}


def attack(view):
    libc = ctypes.CDLL(None, use_errno=True)
    for name, (number, *words) in CALLS.get(os.uname().machine, {}).items():
        assert libc.syscall(number, *words) == -1, name
