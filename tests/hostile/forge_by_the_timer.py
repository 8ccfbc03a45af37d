"""Writes into the league's channel whenever the host's timer fires."""

import os
import signal
import time

EXPECT = "protocol"


def write(*_):
    os.write(3, b"\xab" * 64)


def attack(view):
    signal.signal(signal.SIGPROF, write)
    until = time.process_time() + 0.03
    while time.process_time() < until:
        pass
