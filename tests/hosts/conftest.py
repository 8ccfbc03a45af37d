"""Factories that are started once and serve many tests: starting a zygote takes longer than most blocks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from league.hosts.factory import HostFactory
from league.values.settings import Isolation
from tests.hosts.stage import LIMITS


@pytest.fixture(scope="session")
def sandbox() -> Iterator[HostFactory]:
    with HostFactory(Isolation.SANDBOX, LIMITS) as factory:
        yield factory


@pytest.fixture(scope="session")
def process() -> Iterator[HostFactory]:
    with HostFactory(Isolation.PROCESS, LIMITS) as factory:
        yield factory
