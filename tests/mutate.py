"""Changes the code in small ways, one at a time, and sees whether a test fails: `make mutate`.

A sample of all possible changes of a few folders is drawn by a seed. Each is made in a copy of the project, where the
files of tests that reach the changed line are run: the last `make coverage` knows them. Without it, and for code of
bots' processes, which it does not measure, tests of the same folder are run. A change that no test notices is printed:
a test is missing, or the change makes no difference (a tolerance, a faster way to the same result), or only a slow test
would notice.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from coverage import CoverageData

ROOT = Path(__file__).parents[1]
PARTS = ("league", "tests", "bots", "configs", "docs", "examples", "benchmarks", "results")
"""What tests need of the project."""
TESTS = {
    "plan": ("tests/plan",),
    "results": ("tests/results",),
    "rating": ("tests/rating", "tests/results/test_standings.py"),
    "page": ("tests/page",),
    "hosts": ("tests/hosts",),
    "play": ("tests/play",),
    "setup": ("tests/setup",),
    "analysis": ("tests/analysis", "tests/test_api.py"),
    "api": ("tests/test_api.py", "tests/test_public.py"),
    "cli": ("tests/cli",),
    "games": ("tests/games",),
    "testing": ("tests/games/test_testing.py", "tests/games/test_game.py"),
    "extensions/arena": ("tests/arena",),
    "extensions/course": ("tests/course",),
    "extensions/solver": ("tests/solve",),
}
"""By folder of `league/`: the tests that are run if it is not known which ones reach a line."""
MOST_FILES = 12
"""Of tests that are run for one change: those named like the module first, then those of its folder."""
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
    tree = ast.parse(source)
    strict = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "strict"}
    for node in ast.walk(tree):  # no result depends on strict=True of zip
        if not isinstance(node, ast.expr) or id(node) in strict or (after := _changed(node)) is None:
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


def reached_from(data: CoverageData | None, mutant: Mutant) -> list[str]:
    """The files of tests that reach the line of a change, or its module if the line runs when it is imported."""
    path = mutant.path.relative_to(ROOT)
    near = next(tests for folder, tests in TESTS.items() if path.is_relative_to(f"league/{folder}"))
    named = [str(file.relative_to(ROOT)) for file in (ROOT / "tests").rglob(f"test_{path.stem}*.py")]
    by_line = data.contexts_by_lineno(str(mutant.path)) if data else {}
    files = set(filter(None, by_line.get(mutant.line, ())))
    if not files and "" in by_line.get(mutant.line, ()):
        files = {file for line in by_line.values() for file in line if file}
    if not files:
        return [*named, *near]
    return sorted(files, key=lambda file: (file not in named, not file.startswith(near), file))[:MOST_FILES]


def run_tests(copy: Path, tests: Sequence[str]) -> str | None:
    """The first of some tests that fails in a copy of the project; None if all pass."""
    words = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m", "not soak", "-k", NO_BROWSER, *tests]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": ""}
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", *words], cwd=copy, env=environment, capture_output=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return "none that ended"
    output = ended.stdout.decode()
    if ended.returncode in (4, 5):
        raise SystemExit(f"No tests were run: {' '.join(tests)}\n{output[-500:]}")
    failed = re.search(r"^(?:FAILED|ERROR) ([^\s\[]+)", output, re.MULTILINE)  # parameters may have spaces
    if ended.returncode == 0:
        return None
    return failed[1] if failed else output[-500:]


def tried(mutant: Mutant, copy: Path, number: int, tests: Sequence[str]) -> str:
    """What tests say about a change: the one that notices it, which must pass without it."""
    path = copy / mutant.path.relative_to(ROOT)
    source, times = path.read_bytes(), path.stat()
    path.write_bytes(source[: mutant.start] + mutant.after.encode() + source[mutant.stop :])
    os.utime(path, (times.st_atime, times.st_mtime + number))  # compiled files are known by the time of their source
    try:
        failed = run_tests(copy, tests)
    finally:
        path.write_bytes(source)
        os.utime(path, (times.st_atime, times.st_mtime))
    if failed is None:
        return "SURVIVED"
    if "::" in failed and run_tests(copy, [failed]):
        raise SystemExit(f"This test fails without any change: {failed}")
    return f"noticed by {failed}"


def main() -> None:
    """Draw mutants, try them, and print those that survive."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--mutants", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", action="append", choices=TESTS, help="only these")
    parser.add_argument("--line", action="append", metavar="FILE:LINE", help="instead: every change of these lines")
    options = parser.parse_args()
    mutants = drawn(options.mutants, options.seed, tuple(options.folder or TESTS))
    if options.line:
        places = [(ROOT / file, int(line)) for file, _, line in (place.partition(":") for place in options.line)]
        mutants = [mutant for path, line in places for mutant in mutants_of(path) if mutant.line == line]
    data = None
    if (ROOT / ".coverage").exists():
        data = CoverageData(str(ROOT / ".coverage"))
        data.read()
    survivors = 0
    with tempfile.TemporaryDirectory(prefix="league-mutants-") as name:
        copy = Path(name) / "copy"
        for part in PARTS:
            shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        for file in filter(Path.is_file, ROOT.iterdir()):
            shutil.copy(file, copy)
        for number, mutant in enumerate(mutants, 1):
            verdict = tried(mutant, copy, number, reached_from(data, mutant))
            survivors += verdict == "SURVIVED"
            print(f"{number:3} {mutant}\n    {verdict}", flush=True)
    print(f"{survivors} of {len(mutants)} changes were not noticed by any test.")


if __name__ == "__main__":
    main()
