"""Tables of examples that are one test: `@each` instead of `@pytest.mark.parametrize` where a row takes no time.

A test of its own costs a few milliseconds for each row, more than most rows need. All rows are tried, and a failure
names every row that fails. Fixtures are shared by the rows.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]


def each(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """The test is called with every row of values for these arguments."""
    keys = names.replace(",", " ").split() if isinstance(names, str) else list(names)
    table = [_values(row, len(keys)) for row in rows]
    assert table

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        fixtures = [parameter for name, parameter in signature.parameters.items() if name not in keys]

        @wraps(test)
        def run(*arguments: Any, **values: Any) -> None:
            failures = []
            for row in table:
                try:
                    test(*arguments, **values, **dict(zip(keys, row, strict=True)))
                except (Exception, pytest.fail.Exception) as problem:  # noqa: BLE001 - each row fails alone
                    failures.append(f"{row!r:.200}: {type(problem).__name__}: {problem}")
            if failures:
                pytest.fail(f"{len(failures)} of {len(table)} rows fail:\n" + "\n".join(failures), pytrace=False)

        run.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return run

    return decorate


def _values(row: Any, count: int) -> Sequence[Any]:
    if isinstance(row, type(pytest.param())):
        return tuple(row.values)
    return tuple(row) if count > 1 else (row,)
