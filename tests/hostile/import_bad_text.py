"""Says in the host's name, with bytes that are no text, why it cannot be loaded."""

import os

EXPECT = "import"

REASON = b"\x92\xa2\xff\xfe\xa0"
os.write(3, len(REASON).to_bytes(4, "little") + REASON)
raise ValueError
