"""Answers as if it had been asked nothing."""

import gc
import os
import struct

EXPECT = "protocol"


def the_timer():
    return next(item for item in gc.get_objects() if type(item).__name__ == "DecisionTimer")


def attack(view):
    os.write(3, struct.pack("<III", the_timer().serial, 0, 0))
