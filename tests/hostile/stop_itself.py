"""Stops its own process; in the sandbox, where it may not, it sleeps."""

import os
import signal
import time

EXPECT = "timeout"


def attack(view):
    try:
        os.kill(os.getpid(), signal.SIGSTOP)
    finally:
        time.sleep(3600)
