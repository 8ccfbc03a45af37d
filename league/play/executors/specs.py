"""What a run can be played by: the executors by name, as values that know what they can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

import msgspec

from league.errors import LeagueError, did_you_mean

if TYPE_CHECKING:
    from league.play.executors import Executor, Notice
    from league.play.worker import Team


class ExecutorSpec(Protocol):
    """What a run is asked to be played by: a value that knows what it can do, and opens the executor."""

    @property
    def plays_objects(self) -> bool:
        """Whether it plays beside this process, so that bots can be its own classes and functions."""

    @property
    def has_address(self) -> bool:
        """Whether it is somewhere else, with as many workers as there are."""

    def open(self, team: Team, workers: int, log_file: Path, private: Sequence[int], notice: Notice) -> Executor:
        """The executor itself. Workers log to `log_file`, and must not keep the descriptors in `private` open."""


class LocalSpec(msgspec.Struct, frozen=True):
    """Processes of this machine."""

    plays_objects: ClassVar = True
    has_address: ClassVar = False

    def open(self, team: Team, workers: int, log_file: Path, private: Sequence[int], notice: Notice) -> Executor:
        from league.play.executors.local import local_executor

        return local_executor(team, workers, log_file, private)


class DaskSpec(msgspec.Struct, frozen=True):
    """A Dask cluster.

    Without an address, it is the scheduler that Dask's configuration names; if it names none, a cluster is started on
    this machine.
    """

    scheduler: str | Path = ""
    """Its address, such as tcp://10.0.0.1:8786, or the file that it writes its address to."""
    plays_objects: ClassVar = False
    has_address: ClassVar = True

    def open(self, team: Team, workers: int, log_file: Path, private: Sequence[int], notice: Notice) -> Executor:
        from league.play.executors.dask.executor import DaskExecutor

        return DaskExecutor(team, workers, self.scheduler, notice)


EXECUTORS: Mapping[str, ExecutorSpec] = {"local": LocalSpec(), "dask": DaskSpec()}
"""By the word that names each. A new executor is one more entry."""


def executor_spec(executor: str | ExecutorSpec) -> ExecutorSpec:
    """An executor that may be given by its name."""
    if not isinstance(executor, str):
        return executor
    if executor not in EXECUTORS:
        near = did_you_mean(executor, EXECUTORS)
        raise LeagueError(f"expected executor as one of {', '.join(EXECUTORS)}, found {executor!r}.{near}")
    return EXECUTORS[executor]
