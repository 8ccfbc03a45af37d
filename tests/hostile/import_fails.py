"""Raises while it is imported."""

EXPECT = "import"


raise ValueError("\x1b[31mnot today")
