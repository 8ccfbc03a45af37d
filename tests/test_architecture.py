"""Imports go one way only, as `docs/architecture.md` tells; and the command line is quick to answer."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = "docs/architecture.md"
HEAVY = ("altair", "distributed", "jinja2", "numpy", "pandas", "scipy", "trueskill", "yaml")


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(path): path for path in sorted((ROOT / "league").rglob("*.py"))}
LISTED = re.findall(r"^- `(league[\w.]*)`: .+\.$", (ROOT / PAGE).read_text(), re.MULTILINE)


def imported(name: str) -> set[str]:
    """The modules of League that a module imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(FILES[name].read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} imports relatively; write the whole name"
            words = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {word if word in FILES else str(node.module) for word in words}
    return {word for word in found if word in FILES}


def test_every_module_is_described_once():
    missing = [name for name in FILES if name not in LISTED]
    gone = [name for name in LISTED if name not in FILES]
    assert not missing, f"{PAGE} needs a line for each of {missing}, below all that they import"
    assert not gone, f"{PAGE} describes what is not there: {gone}"
    assert len(LISTED) == len(set(LISTED))


@pytest.mark.parametrize("name", [name for name in FILES if name != "league"])  # it loads names when they are used
def test_imports_go_upwards_only(name):
    if name not in LISTED:
        pytest.fail(f"{PAGE} has no line for {name}")
    above = LISTED[: LISTED.index(name)]
    wrong = {word for word in imported(name) if word not in above}
    assert not wrong, f"{name} imports {wrong}, which {PAGE} does not list above it"


def test_no_class_name_means_two_things():
    places: dict[str, list[str]] = {}
    for name, path in FILES.items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(name)
    twice = {word: modules for word, modules in places.items() if len(modules) > 1}
    assert not twice, f"one word, one meaning: rename all but one of {twice}"


@pytest.mark.parametrize("words", ["--help", "--version"])
def test_help_loads_nothing_heavy(words):
    code = (
        "import sys\nfrom league.cli import league\n"
        f"try:\n    league({words.split()!r})\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ended.stderr.split())
    assert "click" in loaded
    assert not loaded & set(HEAVY)


def test_import_league_loads_nothing_but_itself():
    code = "import sys, league\nlen(league.__all__)\nprint(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in ended.stdout.split() if name.startswith("league") or name in HEAVY}
    assert loaded == {"league"}
