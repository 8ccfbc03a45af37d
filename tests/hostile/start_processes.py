"""Forks."""

import os

EXPECT = "contained"

ATTEMPTS = (
    lambda: os.fork(),
    lambda: os.forkpty(),
    lambda: os.spawnv(os.P_NOWAIT, "/bin/true", ["true"]),
    lambda: os.posix_spawn("/bin/true", ["true"], {}),
)
