"""Makes the host count its answers wrongly."""

import gc

EXPECT = "protocol"


def attack(view):
    timer = next(item for item in gc.get_objects() if type(item).__name__ == "DecisionTimer")
    timer.serial += 7
