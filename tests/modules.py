"""The modules of League: what each is for, from its docstring, and what it imports.

The headings of `docs/architecture.md` give the order of the folders; below each heading, the list of its modules is
generated. A module may import modules that are listed above it. Within a folder, modules are sorted by their imports.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
LIST = re.compile(r"(?<=<!-- modules of )(\w+)( -->\n)(.*?)(?=<!-- end -->)", re.DOTALL)
TOP = "league"
"""The list of the modules that are in no folder."""


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
    """The folder below `league/` that a module is in."""
    parts = name.split(".")
    return parts[1] if len(parts) > 2 or (FILES[name].name == "__init__.py" and len(parts) == 2) else TOP


def folders() -> list[str]:
    """The folders in the order of the page."""
    return [match[1] for match in LIST.finditer(PAGE.read_text(encoding="utf-8"))]


def listing(folder: str) -> str:
    """The list of a folder's modules for the page, sorted so that imports go upwards."""
    names = [name for name in FILES if folder_of(name) == folder]
    # `import league` loads its names when they are used, so it may name modules of every folder.
    inner = {name: sorted(imported(name) & set(names)) if name != TOP else [] for name in names}
    lines = [f"- `{name}`: {_summary(name)}" for name in TopologicalSorter(inner).static_order()]
    return "\n".join(["", *lines, "", ""])


def with_listings(page: str) -> str:
    """The page with its lists of modules as they are now."""
    return LIST.sub(lambda match: f"{match[1]}{match[2]}{listing(match[1])}", page)


def _summary(name: str) -> str:
    first = (ast.get_docstring(tree(name)) or "").split("\n\n")[0]
    return " ".join(first.split())
