"""Starts a thread by the module below `threading`, to think while others play."""

import _thread

EXPECT = "contained"


def spin():
    while True:
        pass


def attack(view):
    for _ in range(4):
        try:
            _thread.start_new_thread(spin, ())
        except RuntimeError:
            continue
        raise AssertionError("a thread was started")
