"""Looks up names that are not there, which the kernel would remember for the bot's other processes."""

import errno
import os

EXPECT = "contained"

LOOKS = (os.stat, os.lstat, os.readlink, os.listdir, os.chdir, os.statvfs, lambda path: os.open(path, os.O_RDONLY))


def attack(view):
    for look in LOOKS:
        for path in (f"/usr/lib/{view.pile}", f"/proc/{os.getppid()}/fd", f"note-{view.pile}", "."):
            try:
                look(path)
            except OSError as problem:
                if problem.errno == errno.ENOSYS:
                    continue
            raise AssertionError(f"{look} looked for {path}")
    assert not os.access("/usr", os.F_OK)
