"""Says in the host's name that it is loaded, while it is still at it."""

import os

EXPECT = "import"

READY = b"\x92\xa0\xa0"
os.write(3, len(READY).to_bytes(4, "little") + READY)
raise ValueError
