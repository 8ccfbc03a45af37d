"""Asks numpy for more memory than there is."""

import numpy as np

EXPECT = "memory"


def attack(view):
    np.ones(1 << 33)
