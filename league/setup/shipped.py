"""The bots, configs and pages of documentation that come with League, wherever it is installed.

A wheel carries them inside the package; in a checkout they are the folders `bots`, `configs` and `docs` at its top.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import league

Part = Literal["bots", "configs", "docs"]
_PACKAGE = Path(league.__file__).parent


def shipped(part: Part) -> Path:
    """The folder with the shipped bots, configs or documentation."""
    inside = _PACKAGE / "shipped" / part
    return inside if inside.is_dir() else _PACKAGE.parent / part
