"""Starts threads that go on thinking while others play."""

import threading

EXPECT = "contained"


def spin():
    while True:
        pass


def attack(view):
    for _ in range(4):
        try:
            threading.Thread(target=spin, daemon=True).start()
        except RuntimeError:
            continue
        raise AssertionError("a thread was started")
