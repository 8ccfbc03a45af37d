"""Says hello to the league in the host's name, then fails."""

import os

EXPECT = "import"

os.write(3, b"\xff\xff\xff\xff" * 64)
raise ValueError
