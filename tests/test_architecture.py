"""Imports go one way only, as `docs/architecture.md` tells; and the command line is quick to answer."""

import ast
import re
import shutil
import subprocess
import sys
from graphlib import TopologicalSorter

import pytest

from tests import sizes
from tests.modules import FILES, PAGE, ROOT, TOP, folder_of, folders, imported, tree
from tests.tables import each

LIMITS = {
    "lines": 42_400,
    "core_lines": 33_200,
    "nodes": 327_500,
    "modules": 225,
    "record_types": 230,
    "constants": 830,
    "web_lines": 2_500,
    "test_lines": 37_800,
    "doc_words": 40_000,
}
"""By the function of `tests.sizes` that counts."""
HEAVY = ("distributed", "jinja2", "numpy", "pandas", "scipy", "trueskill", "yaml")


def test_the_page_lists_every_folder():
    assert {folder_of(name) for name in FILES} == set(folders())


def test_every_module_says_what_it_is_for():
    assert [name for name in FILES if not ast.get_docstring(tree(name))] == []


def test_no_docstring_begins_in_the_middle_of_a_sentence():
    """As `hash: str` with "Of the text." below it."""
    begins = re.compile(r'^\s*"""Of ', re.MULTILINE)
    assert not [name for name, path in FILES.items() if begins.search(path.read_text(encoding="utf-8"))]


def test_no_query_has_numbered_placeholders():
    """Python 3.12 warns of `?1` beside a sequence of values, and later versions refuse it."""
    numbered = re.compile(r"[ (=]\?[1-9]")
    texts = {
        name: node.value
        for name in FILES
        for node in ast.walk(tree(name))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and numbered.search(node.value)
    }
    assert not texts


def test_imports_go_upwards_only():
    order = folders()
    wrong = [
        f"{name} imports {other}, whose folder stands below its own in {PAGE.name}"
        for name in FILES
        if name not in (TOP, f"{TOP}.__main__")  # they lead to all others
        for other in sorted(imported(name))
        if order.index(folder_of(other)) > order.index(folder_of(name))
    ]
    assert not wrong


def test_the_core_imports_no_extension():
    core = [name for name in FILES if folder_of(name) != "extensions" and name != TOP]  # `league` names types alone
    wrong = {name: sorted(other for other in imported(name) if folder_of(other) == "extensions") for name in core}
    assert not {name: others for name, others in wrong.items() if others}


def test_no_folder_has_a_cycle_of_imports():
    for folder in folders():
        names = {name for name in FILES if folder_of(name) == folder and name != TOP}
        list(TopologicalSorter({name: imported(name) & names for name in names}).static_order())


@each("count", LIMITS)
def test_the_house_stays_small(count):
    """Whoever needs more changes the limit, so that growth is a decision that somebody sees."""
    assert getattr(sizes, count)() <= LIMITS[count]


@pytest.mark.slow
def test_the_quick_league_is_played_without_extensions(tmp_path):
    shutil.copytree(ROOT / "league", tmp_path / "league", ignore=shutil.ignore_patterns("extensions", "__pycache__"))
    for folder in ("bots", "configs"):
        shutil.copytree(ROOT / folder, tmp_path / folder)

    def run(*words):
        ended = subprocess.run([sys.executable, "-m", "league", *words], cwd=tmp_path, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    run("run", "configs/quick.yaml", "--quiet")
    assert len((tmp_path / "results" / "quick" / "standings.csv").read_text().splitlines()) > 10
    helped = run("--help")
    assert "Look at games:" in helped
    assert "Extensions:" not in helped


def test_no_class_name_means_two_things():
    places: dict[str, list[str]] = {}
    for name in FILES:
        for node in ast.walk(tree(name)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(name)
    twice = {word: modules for word, modules in places.items() if len(modules) > 1}
    assert not twice, f"one word, one meaning: rename all but one of {twice}"


def test_the_glossary_names_classes_that_exist():
    glossary = PAGE.read_text(encoding="utf-8").partition("## Glossary")[2].partition("\n## ")[0]
    named = re.findall(r"\| `(\w+)` \|$", glossary, re.MULTILINE)
    classes = {node.name for name in FILES for node in ast.walk(tree(name)) if isinstance(node, ast.ClassDef)}
    assert named
    assert not {*named} - classes


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
