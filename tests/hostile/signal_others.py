"""Kills, stops and annoys every process that it can name."""

import os
import signal

EXPECT = "contained"

ATTEMPTS = (
    lambda: os.kill(os.getppid(), signal.SIGKILL),
    lambda: os.kill(os.getppid(), signal.SIGSTOP),
    lambda: os.kill(-1, signal.SIGKILL),
    lambda: os.kill(0, signal.SIGKILL),
    lambda: os.killpg(os.getpgid(0), signal.SIGKILL),
    lambda: os.kill(1, signal.SIGTERM),
    lambda: os.pidfd_open(os.getppid()),
)
