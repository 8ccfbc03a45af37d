"""The league and its bots' processes run the same League, whatever else is installed or lies about."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from league import __version__
from league.errors import IsolationError
from league.hosts import launcher
from league.hosts.factory import HostFactory
from league.hosts.zygote_wire import PLACE
from tests.hosts.stage import HONEST, LIMITS, bot, play

BOTS = [bot("honest", HONEST), bot("other", HONEST)]


@pytest.fixture
def copy(tmp_path, monkeypatch) -> Path:
    """Another folder with the package in it, which this process takes for its own."""
    shutil.copytree(PLACE, tmp_path / "league", ignore=shutil.ignore_patterns("__pycache__", "static"))
    monkeypatch.setattr(launcher, "PLACE", str(tmp_path / "league"))
    return tmp_path


def test_another_league_that_python_would_find_first_is_not_taken(tmp_path, monkeypatch):
    (tmp_path / "league").mkdir()
    (tmp_path / "league" / "__init__.py").write_text("raise SystemExit('the wrong League')")
    monkeypatch.setitem(launcher._ENVIRONMENT, "PYTHONPATH", str(tmp_path))
    with HostFactory("process", LIMITS) as factory:
        assert play(factory, BOTS).faults == ()


def test_a_file_beside_the_package_does_not_hide_pythons_own(copy):
    (copy / "random.py").write_text("raise SystemExit('the wrong random')")
    with HostFactory("process", LIMITS) as factory:
        assert play(factory, BOTS).faults == ()


def test_another_version_in_the_same_place_is_refused(copy):
    (copy / "league" / "__init__.py").write_text("__version__ = '99.0'")
    with HostFactory("process", LIMITS) as factory, pytest.raises(IsolationError) as refused:
        factory.warm()
    assert str(refused.value) == (
        f"Bots' processes would run League 99.0 from {copy}/league, but this is League {__version__} "
        f"from {copy}/league. If it was upgraded just now, start the command again."
    )


def test_another_place_is_refused(copy, monkeypatch):
    other = f"import sys; sys.argv[1] = {PLACE + '/__init__.py'!r}"
    monkeypatch.setattr(launcher, "_START", other + launcher._START)
    with HostFactory("process", LIMITS) as factory, pytest.raises(IsolationError, match=f"from {PLACE}, but this is"):
        factory.warm()
