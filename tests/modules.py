"""The modules of League and what they import. `docs/architecture.md` has the order of the folders, as a table."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
ROW = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)
TOP = "league"
"""Where the modules are that are in no folder."""


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {_name(path): path for path in sorted((ROOT / "league").rglob("*.py"))}


@cache
def tree(name: str) -> ast.Module:
    """A module's syntax tree."""
    return ast.parse(FILES[name].read_text(encoding="utf-8"))


@cache
def imported(name: str) -> frozenset[str]:
    """The modules of League that a module imports, wherever in it."""
    imports: set[str] = set()
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            imports |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} imports relatively; write the whole name"
            words = {f"{node.module}.{alias.name}" for alias in node.names}
            imports |= {word if word in FILES else str(node.module) for word in words}
    return frozenset(word for word in imports if word in FILES and word != name)


def folder_of(name: str) -> str:
    """The folder below `league/` that a module is in; a module beside the folders may have a row of its own."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in folders() else TOP


def folders() -> list[str]:
    """The folders in the order of the page."""
    return ROW.findall(PAGE.read_text(encoding="utf-8").partition("## Folders")[2].partition("\n## ")[0])
