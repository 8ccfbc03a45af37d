"""Writes a whole answer of its own, and ends its process before the real one."""

import gc
import os
import struct

EXPECT = "crash"
EXACT = False  # it is noticed a tick later


def frame(timer):
    """The answer that the host would write to this tick, with moves of ours."""
    moves = [view.legal[0] for view in timer.tick.views]
    return struct.pack(f"<III{len(moves)}i", timer.serial, len(moves), 0, *moves)


def the_timer():
    return next(item for item in gc.get_objects() if type(item).__name__ == "DecisionTimer")


def attack(view):
    os.write(3, frame(the_timer()))
    os._exit(1)
