"""Writes an answer whose trouble is told in bytes that are no text."""

import gc
import os
import struct

EXPECT = "protocol"


def attack(view):
    clock = next(item for item in gc.get_objects() if type(item).__name__ == "DecisionTimer")
    tick, count = clock.tick, len(clock.tick.slots)
    slot = tick.slots[tick.views.index(view)]
    troubles = b"\x91\x95" + bytes([slot]) + b"\xa5error\xa2\xff\xfe\xa0\xc2"
    moves = [view.legal[0] for view in tick.views]
    os.write(3, struct.pack(f"<III{count}i", clock.serial, count, len(troubles), *moves) + troubles)
    while True:
        pass
