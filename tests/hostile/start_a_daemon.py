"""Leaves a process behind that belongs to nobody."""

import os
import time

EXPECT = "contained"


def attack(view):
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(60)
            os._exit(0)
    except OSError:
        return
    raise AssertionError("a daemon was started")
