"""Never stops, and hears no signal that can be refused."""

import signal

EXPECT = "timeout"


def attack(view):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
    while True:
        pass
