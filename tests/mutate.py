"""Changes the code in small ways, one at a time, and sees whether a test fails: `make mutate`.

A sample of all possible changes of a few folders is drawn by a seed. Each is made in a copy of the project, where the
tests that belong to the module are run. A change that no test notices is printed: a test is missing, or the change
makes no difference (a tolerance, a faster way to the same result), or only a slow test would notice.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
PARTS = ("league", "tests", "bots", "configs", "docs", "examples", "benchmarks", "results")
"""What tests need of the project."""
FOLDERS = ("plan", "results", "rating", "page", "hosts")
TESTS = {
    "plan": ("tests/plan", "tests/play/test_adaptive_league.py"),
    "results": ("tests/results", "tests/cli/test_results_commands.py", "tests/cli/test_find_commands.py"),
    "rating": ("tests/rating", "tests/results/test_standings.py", "tests/results/test_compare.py"),
    "page": ("tests/page", "tests/test_api.py"),
    "hosts": ("tests/hosts", "tests/play/test_match.py"),
}
"""By folder: the tests that are run."""
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
}  # fmt: skip
OTHER_NAME = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}
SECONDS = 900
"""After which a mutant is given up: its tests do not end."""
NO_BROWSER = "not browser and not accessibility and not ordinary_user"
"""Tests that take long, and that others come before."""


class Mutant(NamedTuple):
    """A change of one place."""

    path: Path
    line: int
    start: int
    stop: int
    """Bytes of the file."""
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.before}  ->  {self.after}"


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every change of a file, in its order."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.expr) or (after := _changed(node)) is None:
            continue
        first = starts[node.lineno - 1] + node.col_offset
        last = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        yield Mutant(path, node.lineno, first, last, source[first:last].decode(), after)


def _changed(node: ast.expr) -> str | None:
    """The text of an expression after a small change; None if there is none for it."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in SWAPPED:
            return f"({ast.unparse(ast.Compare(node.left, [_other(operator)], node.comparators))})"
        case ast.BoolOp(op=operator, values=[_, *rest]):
            dropped = node.values[0] if len(rest) == 1 else ast.BoolOp(operator, rest)
            return f"({ast.unparse(dropped)})"
        case ast.BinOp(op=operator) if type(operator) in SWAPPED and not _is_text(node):
            return f"({ast.unparse(ast.BinOp(node.left, _other(operator), node.right))})"
        case ast.UnaryOp(op=ast.Not()):
            return f"bool({ast.unparse(node.operand)})"
        case ast.Constant(value=bool(value)):
            return str(not value)
        case ast.Constant(value=int(value)):
            return f"({value + 1})"
        case ast.Constant(value=float(value)):
            return f"({value * 2 if value else 1.0})"
        case ast.IfExp():
            return f"({ast.unparse(ast.IfExp(node.test, node.orelse, node.body))})"
        case ast.Call(func=ast.Name(id=name)) if name in OTHER_NAME:
            return ast.unparse(ast.Call(ast.Name(OTHER_NAME[name]), node.args, node.keywords))
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in OTHER_NAME:
            return ast.unparse(ast.Call(ast.Attribute(owner, OTHER_NAME[name]), node.args, node.keywords))
    return None


def _other(operator: ast.AST) -> Any:
    return SWAPPED[type(operator)]()


def _is_text(node: ast.BinOp) -> bool:
    """Whether strings are added, which can hardly be subtracted."""
    parts = (node.left, node.right)
    return any(isinstance(part, ast.JoinedStr) or isinstance(getattr(part, "value", 0), str) for part in parts)


def drawn(count: int, seed: int, folders: tuple[str, ...]) -> list[Mutant]:
    """A sample, as many of each folder as of the others."""
    rng = Random(seed)
    pools = []
    for folder in folders:
        files = sorted((ROOT / "league" / folder).rglob("*.py"))
        pools.append([mutant for path in files for mutant in mutants_of(path)])
        rng.shuffle(pools[-1])
    return [mutant for turn in zip(*pools, strict=False) for mutant in turn][:count]


def run_tests(copy: Path, tests: Sequence[str], *, keep_compiled: bool = False) -> str:
    """What the tests say in a copy of the project: 'survived', 'noticed', or 'given up' if they take too long."""
    words = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m", "not soak", "-k", NO_BROWSER, *tests]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "" if keep_compiled else "1"}
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", *words], cwd=copy, env=environment, capture_output=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return "given up"
    if keep_compiled and ended.returncode:
        raise SystemExit(f"Tests fail without any change:\n{ended.stdout.decode()[-2000:]}")
    return "noticed" if ended.returncode else "SURVIVED"


def tried(mutant: Mutant, copy: Path, number: int) -> str:
    """What the tests of a module say about a change of it; those that are named like the module come first."""
    path = copy / mutant.path.relative_to(ROOT)
    source, times = path.read_bytes(), path.stat()
    tests = TESTS[mutant.path.relative_to(ROOT).parts[1]]
    named = [str(file) for test in tests for file in (copy / test).rglob(f"test_{path.stem}*.py")]
    path.write_bytes(source[: mutant.start] + mutant.after.encode() + source[mutant.stop :])
    os.utime(path, (times.st_atime, times.st_mtime + number))  # compiled files are known by the time of their source
    try:
        return run_tests(copy, [*named, *tests])
    finally:
        path.write_bytes(source)
        os.utime(path, (times.st_atime, times.st_mtime))


def main() -> None:
    """Draw mutants, try them, and print those that survive."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--mutants", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", action="append", choices=FOLDERS, help="only these")
    options = parser.parse_args()
    folders = tuple(options.folder or FOLDERS)
    mutants = drawn(options.mutants, options.seed, folders)
    verdicts = []
    with tempfile.TemporaryDirectory(prefix="league-mutants-") as name:
        copy = Path(name) / "copy"
        for part in PARTS:
            shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        for file in filter(Path.is_file, ROOT.iterdir()):
            shutil.copy(file, copy)
        for folder in folders:
            run_tests(copy, TESTS[folder], keep_compiled=True)
        for number, mutant in enumerate(mutants, 1):
            verdicts.append(tried(mutant, copy, number))
            print(f"{number:3} {verdicts[-1]:8} {mutant}", flush=True)
    print(f"{verdicts.count('SURVIVED')} of {len(mutants)} changes were not noticed by any test.")


if __name__ == "__main__":
    main()
