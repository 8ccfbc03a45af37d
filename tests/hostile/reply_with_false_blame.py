"""Writes an answer that puts the blame on a game that it was not asked about."""

import gc
import os
import struct

EXPECT = "protocol"

TROUBLE = b"\x91\x95\xcd\x27\x0f\xa5crash\xa3boo\xa0\xc2"


def attack(view):
    clock = next(item for item in gc.get_objects() if type(item).__name__ == "DecisionTimer")
    tick, count = clock.tick, len(clock.tick.slots)
    moves = [view.legal[0] for view in tick.views]
    os.write(3, struct.pack(f"<III{count}i", clock.serial, count, len(TROUBLE), *moves) + TROUBLE)
    while True:
        pass
