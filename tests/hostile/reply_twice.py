"""Writes a whole answer of its own before the real one."""

import gc
import os
import struct

EXPECT = "protocol"
EXACT = False  # it is noticed a tick later


def attack(view):
    clock = next(item for item in gc.get_objects() if type(item).__name__ == "DecisionTimer")
    tick, count = clock.tick, len(clock.tick.slots)
    os.write(3, struct.pack(f"<III{count}i", clock.serial, count, 0, *[view.legal[0] for view in tick.views]))
