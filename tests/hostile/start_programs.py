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


def attack(view):
    for number, attempt in enumerate(ATTEMPTS):
        try:
            attempt()
        except OSError:
            continue
        raise AssertionError(f"attempt {number} went through")
