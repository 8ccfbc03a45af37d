"""Names of Python's modules."""

from __future__ import annotations

import sys

TAKEN = sys.stdlib_module_names | {"league", "msgspec", "numpy"}
"""Names that no module of a bot can have."""
