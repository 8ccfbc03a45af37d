"""Stops its own process."""

import os
import signal

EXPECT = "timeout"


def attack(view):
    os.kill(os.getpid(), signal.SIGSTOP)
