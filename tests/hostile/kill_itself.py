"""Kills its own process; in the sandbox it may not even do that, and ends it."""

import os
import signal

EXPECT = "crash"


def attack(view):
    try:
        os.kill(os.getpid(), signal.SIGKILL)
    finally:
        os._exit(1)
