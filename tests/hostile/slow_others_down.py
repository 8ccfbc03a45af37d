"""Takes processor time from others."""

import os

EXPECT = "contained"

ATTEMPTS = (
    lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19),
    lambda: os.setpriority(os.PRIO_USER, 0, 19),
    lambda: os.nice(-5),
    lambda: os.sched_setaffinity(os.getppid(), {0}),
    lambda: os.sched_setaffinity(0, {0}),
    lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
)
