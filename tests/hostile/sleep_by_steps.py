"""Sleeps a little at a time, and says that it is at another game each time."""

import gc
import time

EXPECT = "timeout"


def attack(view):
    timer = next(item for item in gc.get_objects() if type(item).__name__ == "DecisionTimer")
    while True:
        time.sleep(0.01)
        timer._position[0] = (timer._position[0] + 1) % len(timer.tick.slots)
