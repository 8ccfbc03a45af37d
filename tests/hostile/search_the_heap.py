"""Searches all objects of its process, and its callers, for the other player's cards."""

import gc
import sys

EXPECT = "contained"


def attack(view):
    gc.unfreeze()  # also those that were there before it was forked
    found = {type(item).__name__ for item in gc.get_objects()}
    frame = sys._getframe()
    while frame:
        found |= {type(value).__name__ for value in frame.f_locals.values()}
        frame = frame.f_back
    assert not found & {"RajState", "RajDeal", "Block", "BlockPlayer", "Slot", "HostFactory"}, found
