"""Gives itself more than it was given, or others less."""

import os
import resource
import signal

EXPECT = "contained"

ATTEMPTS = (
    lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8)),
    lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1)),
    lambda: resource.prlimit(0, resource.RLIMIT_AS, (1 << 40, 1 << 40)),
    lambda: signal.setitimer(signal.ITIMER_PROF, 0),
    lambda: signal.setitimer(signal.ITIMER_REAL, 1),
    lambda: os.setsid(),
    lambda: os.setpgid(0, 0),
    lambda: os.setuid(0),
)


def attack(view):
    for number, attempt in enumerate(ATTEMPTS):
        try:
            attempt()
        except (OSError, ValueError):
            continue
        raise AssertionError(f"attempt {number} went through")
