"""Bots' processes run the same League as the league, whatever else is installed, and have numpy if they want it."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from league import __version__
from league.errors import IsolationError
from league.games import files
from league.games.contract import GameFile
from league.hosts import Tick, launcher
from league.hosts.factory import HostFactory, may_load_numpy
from league.setup.bot_folder import BotFile
from league.values.settings import Isolation
from tests.hosts.stage import HONEST, LIMITS, bot, play, zygote_of
from tests.tables import each

BOTS = [bot("honest", HONEST), bot("other", HONEST)]


@pytest.fixture
def copy(tmp_path, monkeypatch) -> Path:
    """A copy of the package in another folder, which this process uses as its own."""
    shutil.copytree(launcher.PLACE, tmp_path / "league", ignore=shutil.ignore_patterns("__pycache__", "static"))
    monkeypatch.setattr(launcher, "PLACE", str(tmp_path / "league"))
    return tmp_path


def test_another_league_that_python_would_find_first_is_not_used(tmp_path, monkeypatch):
    (tmp_path / "league").mkdir()
    (tmp_path / "league" / "__init__.py").write_text("raise SystemExit('the wrong League')")
    monkeypatch.setitem(launcher.ENVIRONMENT, "PYTHONPATH", str(tmp_path))
    with HostFactory(Isolation.PROCESS, LIMITS) as factory:
        assert play(factory, BOTS).faults == ()


def test_a_league_that_dies_in_the_middle_of_a_request_leaves_no_traceback():
    one = launcher.Launcher(has_numpy=False)
    zygote = one.start()
    one._control.sendall(launcher.REQUEST.pack(b"f", 100) + b"cut off")
    one.close()
    assert zygote.returncode == 0


def test_a_stopped_zygote_is_replaced(monkeypatch):
    monkeypatch.setattr(launcher, "PATIENCE_S", 2)
    monkeypatch.setattr(launcher, "END_S", 0.1)
    with HostFactory(Isolation.PROCESS, LIMITS) as factory:
        stopped = zygote_of(factory)
        os.kill(stopped, signal.SIGSTOP)
        assert play(factory, BOTS).faults == ()
        assert zygote_of(factory) != stopped


def test_a_file_beside_the_package_does_not_hide_pythons_own(copy):
    (copy / "random.py").write_text("raise SystemExit('the wrong random')")
    with HostFactory(Isolation.PROCESS, LIMITS) as factory:
        assert play(factory, BOTS).faults == ()


def test_another_version_in_the_same_place_is_refused(copy):
    (copy / "league" / "__init__.py").write_text("__version__ = '99.0'")
    with HostFactory(Isolation.PROCESS, LIMITS) as factory, pytest.raises(IsolationError) as refused:
        zygote_of(factory)
    assert str(refused.value) == (
        f"Bots' processes would run League 99.0, but this is League {__version__}. If it was upgraded just now, start "
        "the command again."
    )


SENDER = """
import socket
from league.hosts.confine import drop_root
drop_root()
one, other = socket.socketpair()
socket.send_fds(one, [b"x"], [0] * 200)
print("sent", flush=True)
input()
"""


@pytest.fixture
def many_on_the_way() -> Iterator[None]:
    """Another process of the user of zygotes has sent many descriptors that were not yet received."""
    sender = [sys.executable, "-c", SENDER]
    with subprocess.Popen(sender, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "sent\n"
        yield
        process.communicate("\n")


@pytest.mark.usefixtures("many_on_the_way")
def test_what_other_processes_of_its_user_send_stops_no_zygote():
    with HostFactory(Isolation.SANDBOX, LIMITS) as factory:
        assert play(factory, BOTS).faults == ()


LIKE_A_BUILT_IN = f"""
from pathlib import Path
from league.games.raj import Raj
Path({__file__!r}).read_text()
class OtherRaj(Raj): pass
"""


def test_a_game_that_is_a_file_is_not_confined_though_it_is_called_like_a_built_in_one(monkeypatch):
    monkeypatch.setattr(files, "_by_name", {})
    game = files.run(GameFile("raj", LIKE_A_BUILT_IN))(2)
    with HostFactory(Isolation.SANDBOX, LIMITS) as factory:
        host = factory.open(BOTS[0], game)
        host.send(Tick((), (), (), ()))
        assert not host.receive().troubles
        host.close()


DRAWS = b"""
%s
class Bot:
    def choose(self, view):
        return int(n.random.choice(view.legal))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "found",
    [
        b"import numpy as n",
        b"import math, numpy as np; n = np",
        b"from numpy import random\nimport numpy as n",
        b"from importlib import import_module\nn = import_module('num' 'py')",
        b"n = __import__('num' 'py')",
        b"exec('import num' 'py as n')",
        b"import pickle\nn = pickle.loads(b'cnum' b'py\\narray\\n.') and __import__('sys').modules['num' 'py']",
    ],
    ids=["alone", "among others", "a part of it", "import_module", "__import__", "exec", "pickle"],
)
def test_draws_from_numpy_are_reproducible(found):
    with HostFactory(Isolation.PROCESS, LIMITS) as factory:
        first, second = (play(factory, [BOTS[0], bot("drawing", DRAWS % found)]) for _ in range(2))
    assert first.faults == ()
    assert first.outcomes == second.outcomes


@each(
    ("source", "may"),
    [
        (b"import random\nfrom math import sqrt as root", False),
        (b"import math as m, random", False),
        (b"from league.games.raj import RajView", False),
        (b"import league.games.raj as rules", False),
        (b"from .helper import guess\nimport helper", False),
        (b"from league.rating.fit import fit", True),
        (b"from league import games", True),
        (b"import numpy as np", True),
        (b"import math, scipy", True),
        (b"import math, \\\n    scipy", True),
        (b"if True: from torch import nn", True),
    ],
)
def test_who_may_load_numpy(source, may):
    assert may_load_numpy(source, (BotFile("helper.py", ""),)) is may


@pytest.mark.parametrize(
    ("path", "content", "may"),
    [
        ("helper.py", b"import numpy", True),
        ("helper.py", b"import helper", False),
        ("net.bin", pickle.dumps(np.arange(3)), True),
        ("net.txt", b"import scipy", False),
    ],
)
def test_every_file_of_a_folder_tells_whether_it_may_load_numpy(path, content, may):
    assert may_load_numpy(b"import helper", (BotFile("helper.py", ""), BotFile(path, "", content=content))) is may
