"""Writes an answer that tells of one trouble thousands of times, to fill the league's books."""

import gc
import os
import struct

EXPECT = "protocol"


def attack(view):
    clock = next(item for item in gc.get_objects() if type(item).__name__ == "DecisionTimer")
    tick, count = clock.tick, len(clock.tick.slots)
    slot = tick.slots[tick.views.index(view)]
    trouble = b"\x95" + bytes([slot]) + b"\xa5error\xa3boo\xa0\xc2"
    troubles = b"\xdd" + struct.pack(">I", 1000) + 1000 * trouble
    moves = [view.legal[0] for view in tick.views]
    os.write(3, struct.pack(f"<III{count}i", clock.serial, count, len(troubles), *moves) + troubles)
    while True:
        pass
