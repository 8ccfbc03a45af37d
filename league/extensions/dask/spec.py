"""Dask as a value: `league run --executor dask`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import msgspec

if TYPE_CHECKING:
    from league.play.executors import Executor, Notice
    from league.play.worker import Team


class DaskSpec(msgspec.Struct, frozen=True):
    """A Dask cluster.

    Without an address, it is the scheduler that Dask's configuration names; if it names none, a cluster is started on
    this machine.
    """

    scheduler: str = ""
    """Its address, such as tcp://10.0.0.1:8786, or the file that it writes its address to: that has no colon."""
    plays_objects: ClassVar = False
    has_address: ClassVar = True

    def open(self, team: Team, workers: int, log_file: Path, private: Sequence[int], notice: Notice) -> Executor:
        from league.extensions.dask.executor import DaskExecutor

        return DaskExecutor(team, workers, self.scheduler, notice)
