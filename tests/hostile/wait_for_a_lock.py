"""Waits for a lock that nobody will release."""

import threading

EXPECT = "timeout"


def attack(view):
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
