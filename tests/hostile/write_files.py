"""Writes files wherever one usually may."""

import os
import tempfile
from pathlib import Path

EXPECT = "contained"
EARLY = True

ATTEMPTS = (
    lambda: Path("/var/tmp/league-hostile").write_text("x"),
    lambda: Path("/dev/shm/league-hostile").write_text("x"),
    lambda: tempfile.mkstemp(prefix="league-hostile"),
    lambda: os.mkdir("/var/tmp/league-hostile"),
    lambda: os.symlink("/etc/passwd", "/var/tmp/league-hostile"),
    lambda: os.mkfifo("/var/tmp/league-hostile"),
    lambda: os.open("/var/tmp", os.O_TMPFILE | os.O_RDWR),
    lambda: os.memfd_create("league-hostile"),
    lambda: Path("/dev/tty").write_text("x"),
)
