"""Runs another program in its place, or beside it."""

import os
import subprocess

EXPECT = "contained"
EARLY = True

ATTEMPTS = (
    lambda: os.execv("/bin/sh", ["sh", "-c", "exit 3"]),
    lambda: subprocess.run(["/bin/true"], check=False),
    lambda: subprocess.Popen("true", shell=True),
)
