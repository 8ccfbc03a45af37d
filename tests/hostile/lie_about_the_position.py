"""Says that it is at work on another game, and ends its process."""

import gc
import os

EXPECT = "crash"


def attack(view):
    timer = next(item for item in gc.get_objects() if type(item).__name__ == "DecisionTimer")
    timer._position[0] = 0
    os._exit(1)
