"""How large the project is, as `test_architecture` counts it. `python -m tests.sizes` prints all figures."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEAGUE = ROOT / "league"
EXTENSIONS = LEAGUE / "extensions"
WEB = (".js", ".css", ".j2", ".html")
RECORDS = {"Struct", "NamedTuple", "State", "View", "Deal", "Options"}
"""What record types derive from, under the last part of its name."""


def lines(folder: Path = LEAGUE) -> int:
    """Of the Python files of a folder and all below it."""
    return _lines(folder.rglob("*.py"))


def core_lines() -> int:
    """Of `league/` without its extensions."""
    return lines() - lines(EXTENSIONS)


def nodes() -> int:
    """Of the syntax trees of `league/`, so that dense code is not taken for little."""
    return sum(1 for tree in _trees() for _ in ast.walk(tree))


def modules() -> int:
    """Python files of `league/`."""
    return len(_trees())


def record_types() -> int:
    """Classes of `league/` that are made of fields: structs, named tuples, dataclasses, and what derives from them."""
    classes = [node for tree in _trees() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    records, before = set(RECORDS), 0
    while before < len(records):
        before = len(records)
        records |= {node.name for node in classes if _is_record(node, records)}
    return sum(_is_record(node, records) for node in classes)


def constants() -> int:
    """Names in upper case that modules of `league/` assign at their top level, private ones too."""
    return sum(name.isupper() for tree in _trees() for node in tree.body for name in _assigned(node))


def web_lines() -> int:
    """Of the scripts, styles and templates of pages."""
    folders = [folder for name in ("static", "templates") for folder in LEAGUE.rglob(name)]
    return _lines(path for folder in folders for path in folder.rglob("*") if path.suffix in WEB)


def test_lines() -> int:
    """Of the Python files of `tests/`."""
    return lines(ROOT / "tests")


def doc_words() -> int:
    """Of the pages below `docs/`."""
    return sum(len(path.read_text(encoding="utf-8").split()) for path in (ROOT / "docs").rglob("*.md"))


def _lines(paths: Iterable[Path]) -> int:
    return sum(path.read_bytes().count(b"\n") for path in paths)


def _trees() -> list[ast.Module]:
    return [ast.parse(path.read_text(encoding="utf-8")) for path in LEAGUE.rglob("*.py")]


def _is_record(node: ast.ClassDef, records: set[str]) -> bool:
    derives = any(_last_name(base) in records for base in node.bases)
    return derives or any(_last_name(mark) == "dataclass" for mark in node.decorator_list)


def _last_name(node: ast.expr) -> str:
    """`Struct` of `msgspec.Struct`, `View` of `View[int]`, `dataclass` of `dataclass(frozen=True)`."""
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    if isinstance(node, ast.Subscript):
        return _last_name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _assigned(node: ast.stmt) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    names = [each for target in targets for each in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return [name.id for name in names if isinstance(name, ast.Name)]


def main() -> None:
    """Print all figures."""
    for count in (lines, core_lines, nodes, modules, record_types, constants, web_lines, test_lines, doc_words):
        print(f"{count.__name__:14}{count():>9,}")


if __name__ == "__main__":
    main()
