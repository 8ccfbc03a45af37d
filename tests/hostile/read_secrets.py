"""Reads files that tell about the machine and its users."""

from pathlib import Path

EXPECT = "contained"
EARLY = True

ATTEMPTS = (
    lambda: Path("/etc/passwd").read_text(),
    lambda: Path("/etc/hostname").read_text(),
    lambda: Path("/proc/self/environ").read_bytes(),
    lambda: Path("/proc/self/maps").read_bytes(),
    lambda: Path("/proc/1/cmdline").read_bytes(),
    lambda: Path("/sys/kernel/notes").read_bytes(),
)
