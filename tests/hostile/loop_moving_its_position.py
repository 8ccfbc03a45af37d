"""Never stops, ignores the timer's signal, and says that it is at another game all the time."""

import gc
import signal

EXPECT = "timeout"


def attack(view):
    signal.signal(signal.SIGPROF, signal.SIG_IGN)
    timer = next(item for item in gc.get_objects() if type(item).__name__ == "DecisionTimer")
    while True:
        timer._position[0] = (timer._position[0] + 1) % len(timer.tick.slots)
