"""Looks for the runner's environment and arguments in its own process."""

import os
import sys

EXPECT = "contained"


def attack(view):
    assert "HOSTILE_SECRET" not in os.environ
    assert set(os.environ) <= {
        "LANG", "LC_CTYPE", "LD_BIND_NOW", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PATH",
        "PYTHONHASHSEED",
    }  # fmt: skip
    assert not any("pytest" in word for word in sys.argv)
    assert "pytest" not in sys.modules
