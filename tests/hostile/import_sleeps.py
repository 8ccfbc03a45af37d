"""Sleeps while it is imported."""

import time

EXPECT = "import"

time.sleep(3600)
