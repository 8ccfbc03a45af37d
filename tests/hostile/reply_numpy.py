"""Answers with a number of numpy's own kind."""

import numpy as np

EXPECT = "illegal"


def attack(view):
    return np.int64(view.legal[0])
