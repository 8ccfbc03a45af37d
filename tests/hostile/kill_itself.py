"""Kills its own process."""

import os
import signal

EXPECT = "crash"


def attack(view):
    os.kill(os.getpid(), signal.SIGKILL)
