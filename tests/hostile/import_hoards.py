"""Takes all memory while it is imported."""

EXPECT = "import"


HOARD = bytearray(1 << 36)
