"""Records, in a run of `make coverage`, which file of tests reached a line: `make mutate` runs only those."""

import coverage
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """What is measured from now on belongs to the file of this test, its fixtures included."""
    if measured := coverage.Coverage.current():
        measured.switch_context(item.nodeid.partition("::")[0])
