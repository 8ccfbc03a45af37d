"""Zygotes that go from test to test: to start one takes longer than most tests that need one."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from pathlib import Path

import pytest

from league.hosts import launcher as module
from league.hosts.factory import HostFactory
from league.hosts.launcher import Launcher, Zygote


class SpareZygotes:
    """Zygotes without hosts, left by factories that were closed. Only the process that started one may use it."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._spare: dict[object, list[Launcher]] = {}

    def share(self, patch: pytest.MonkeyPatch) -> None:
        """From now on, factories leave their zygotes here, and launchers look here first."""
        start = Launcher.start

        def found_or_started(launcher: Launcher) -> Zygote:
            if launcher._zygote is None and os.getpid() == self._owner:
                spare = self._spare.get(_kind(launcher), [])
                while spare:
                    other = spare.pop()
                    if other._zygote and other._zygote.poll() is None:
                        launcher._zygote, launcher._control = other._zygote, other._control
                        break
                    other.close()
            return start(launcher)

        def close(factory: HostFactory) -> None:
            for launcher in factory._launchers.values():
                self._take(launcher)
            factory._unpacked.close()

        patch.setattr(Launcher, "start", found_or_started)
        patch.setattr(HostFactory, "close", close)

    def close(self) -> None:
        """End them all."""
        for launchers in self._spare.values():
            for launcher in launchers:
                with suppress(OSError):  # a copy of this process may have the channel too
                    launcher._control.shutdown(socket.SHUT_RDWR)
                launcher.close()

    def _take(self, launcher: Launcher) -> None:
        """Keep the zygote of a launcher, unless it has hosts that must end with it."""
        zygote = launcher._zygote
        if zygote is None or os.getpid() != self._owner or not _is_idle(zygote):
            launcher.close()
            return
        kept = Launcher(launcher._has_numpy)
        kept._zygote, kept._control = zygote, launcher._control
        launcher._zygote = None
        self._spare.setdefault(_kind(launcher), []).append(kept)


def _kind(launcher: Launcher) -> object:
    """All that decides what kind of zygote a launcher starts now."""
    environment = tuple(sorted(module.ENVIRONMENT.items()))
    place, version = vars(module)["PLACE"], vars(module)["__version__"]  # tests replace them
    return launcher._has_numpy, place, version, module._START, environment


def _is_idle(zygote: Zygote) -> bool:
    """Whether a zygote is alive and has no hosts."""
    if zygote.poll() is None:
        with suppress(OSError):
            return not Path(f"/proc/{zygote.pid}/task/{zygote.pid}/children").read_text()
    return False
