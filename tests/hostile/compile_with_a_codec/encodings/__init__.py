"""Says in the host's name that the sandbox has a hole, to stop the whole league."""

import os

ALARM = b"\x91\xa4hole"
os.write(3, len(ALARM).to_bytes(4, "little") + ALARM)
