"""Never stops, and ignores the timer's signal."""

import signal

EXPECT = "timeout"


def attack(view):
    signal.signal(signal.SIGPROF, signal.SIG_IGN)
    while True:
        pass
