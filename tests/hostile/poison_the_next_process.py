"""Changes whatever of its process loads bots, so that the next process might load another one, and ends."""

import linecache
import marshal
import os
import sys

from league.hosts import child, runtime

EXPECT = "crash"


def poisoned(*_):
    raise SystemExit("poisoned")


assert poisoned not in (marshal.loads, runtime.load, runtime._compile, child.load)
assert not hasattr(sys, "poisoned")
assert "def attack" in "".join(linecache.getlines("mallory.py"))


def attack(view):
    sys.poisoned = True
    marshal.loads = runtime.load = runtime._compile = child.load = poisoned
    linecache.cache.clear()
    attack.__code__ = poisoned.__code__
    os._exit(1)
