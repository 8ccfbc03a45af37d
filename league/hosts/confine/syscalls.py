"""What a confined process may ask of the kernel, as data: system calls by name, and their numbers by processor."""

from __future__ import annotations

import platform
from functools import cache
from typing import NamedTuple


class Processor(NamedTuple):
    """A kind of processor that the filter can be written for."""

    audit: int
    """Its name in the kernel's filter data (AUDIT_ARCH_…)."""
    column: int
    """Which column of `NUMBERS` holds its numbers."""


PROCESSORS = {"x86_64": Processor(0xC000003E, 0), "aarch64": Processor(0xC00000B7, 1)}

NEWEST = 450
"""Calls with a greater number did not exist when these lists were written."""

NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "access": (21, None),
    "arch_prctl": (158, None),
    "brk": (12, 214),
    "capget": (125, 90),
    "chdir": (80, 49),
    "chmod": (90, None),
    "clock_getres": (229, 114),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "clone": (56, 220),
    "clone3": (435, 435),
    "close": (3, 57),
    "copy_file_range": (326, 285),
    "creat": (85, None),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_pwait": (281, 22),
    "epoll_wait": (232, None),
    "eventfd2": (290, 19),
    "execve": (59, 221),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "fallocate": (285, 47),
    "fchdir": (81, 50),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fcntl": (72, 25),
    "fdatasync": (75, 83),
    "flock": (73, 32),
    "fork": (57, None),
    "fstat": (5, 80),
    "fstatfs": (138, 44),
    "fsync": (74, 82),
    "ftruncate": (77, 46),
    "futex": (202, 98),
    "getcpu": (309, 168),
    "getcwd": (79, 17),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "getegid": (108, 177),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getgroups": (115, 158),
    "getpeername": (52, 205),
    "getpgid": (121, 155),
    "getpgrp": (111, None),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getpriority": (140, 141),
    "getrandom": (318, 278),
    "getresgid": (120, 150),
    "getresuid": (118, 148),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "getsid": (124, 156),
    "getsockname": (51, 204),
    "getsockopt": (55, 209),
    "gettid": (186, 178),
    "gettimeofday": (96, 169),
    "getuid": (102, 174),
    "ioctl": (16, 29),
    "kill": (62, 129),
    "lseek": (8, 62),
    "lstat": (6, None),
    "madvise": (28, 233),
    "mincore": (27, 232),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "munmap": (11, 215),
    "nanosleep": (35, 101),
    "newfstatat": (262, 79),
    "open": (2, None),
    "openat": (257, 56),
    "openat2": (437, 437),
    "pause": (34, None),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "poll": (7, None),
    "ppoll": (271, 73),
    "prctl": (157, 167),
    "pread64": (17, 67),
    "preadv": (295, 69),
    "prlimit64": (302, 261),
    "pselect6": (270, 72),
    "pwrite64": (18, 68),
    "pwritev": (296, 70),
    "read": (0, 63),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "readv": (19, 65),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "restart_syscall": (219, 128),
    "rmdir": (84, None),
    "rseq": (334, 293),
    "rt_sigaction": (13, 134),
    "rt_sigpending": (127, 136),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigsuspend": (130, 133),
    "rt_sigtimedwait": (128, 137),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "sched_yield": (24, 124),
    "seccomp": (317, 277),
    "select": (23, None),
    "sendfile": (40, 71),
    "set_robust_list": (273, 99),
    "set_tid_address": (218, 96),
    "sigaltstack": (131, 132),
    "socketpair": (53, 199),
    "stat": (4, None),
    "statfs": (137, 43),
    "statx": (332, 291),
    "sysinfo": (99, 179),
    "tgkill": (234, 131),
    "time": (201, None),
    "times": (100, 153),
    "truncate": (76, 45),
    "umask": (95, 166),
    "uname": (63, 160),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "utimensat": (280, 88),
    "vfork": (58, None),
    "wait4": (61, 260),
    "waitid": (247, 95),
    "write": (1, 64),
    "writev": (20, 66),
}
"""Name to number on x86-64 and on 64-bit ARM; None where that processor has no such call."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ALWAYS = _words("""
    arch_prctl brk close dup dup2 dup3 exit exit_group fstat getcpu getcwd getegid geteuid getgid getgroups getpgrp
    getpid getppid getrandom getresgid getresuid getrlimit getrusage gettid gettimeofday getuid lseek mmap mprotect
    mremap munmap nanosleep pause poll ppoll pread64 pselect6 pwrite64 read readv restart_syscall rseq rt_sigaction
    rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait sched_getaffinity sched_yield select
    set_robust_list set_tid_address sigaltstack time times uname write writev
""")
"""What a process that only thinks needs: its own memory, its own descriptors, sleeping, ending."""

CLOCKS = _words("clock_getres clock_gettime clock_nanosleep")
"""What needs the number of a clock; numbers below zero are clocks of any process or thread."""

LOOKING = _words("""
    access chdir faccessat faccessat2 fstatfs getdents64 lstat newfstatat readlink readlinkat stat statfs statx
""")
"""Looking at files; which ones can be opened is then up to Landlock."""

PROGRAM = _words("""
    capget epoll_create1 epoll_ctl epoll_pwait epoll_wait eventfd2 execve futex getpeername getpgid getpriority getsid
    getsockname getsockopt pipe pipe2 sched_getparam sched_getscheduler sysinfo
""")
"""What programs of other languages need besides. Some of it tells how other processes do."""

BUILD = _words("""
    chmod copy_file_range creat fallocate fchdir fchmod fchmodat fdatasync flock fork fsync ftruncate getdents mincore
    mkdir mkdirat open openat preadv pwritev rename renameat renameat2 rmdir sendfile truncate umask unlink unlinkat
    utimensat vfork wait4 waitid
""")
"""What building a bot needs besides: other programs, and files to write."""

MISSING = _words("clone3 openat2")
"""Answered as if this kernel did not have them, so that libraries fall back to calls that can be checked."""


@cache
def processor() -> Processor | None:
    """The kind of this machine, or None if no filter can be written for it."""
    return PROCESSORS.get(platform.machine())


def number(name: str, kind: Processor) -> int | None:
    """The number of a system call on a processor."""
    return NUMBERS[name][kind.column]
