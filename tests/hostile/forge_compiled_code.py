"""Tells the league, as its process does before it loads a bot, what the next process should run, and ends."""

import marshal
import os

EXPECT = "protocol"

POISON = marshal.dumps(compile("raise SystemExit('poisoned')", "poison", "exec"))
HELD = b"\x92\xa0\xc6" + len(POISON).to_bytes(4, "big") + POISON


def attack(view):
    os.write(3, len(HELD).to_bytes(4, "little") + HELD)
    os._exit(1)
