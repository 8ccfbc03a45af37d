"""What a run can be played by: the executors by name, as values that know what they can do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

import msgspec

from league.commands import EXECUTORS as OF_EXTENSIONS
from league.commands import is_here, load
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


EXECUTORS = ("local", *(name for name, place in OF_EXTENSIONS.items() if is_here(place)))
"""The word that names each."""


def executor_spec(executor: str | ExecutorSpec, *address: str) -> ExecutorSpec:
    """An executor that may be given by its name, and by its address if it has one."""
    if not isinstance(executor, str):
        return executor
    if executor == "local":
        return LocalSpec()
    if executor not in EXECUTORS:
        near = did_you_mean(executor, EXECUTORS)
        raise LeagueError(f"expected executor as one of {', '.join(EXECUTORS)}, found {executor!r}.{near}")
    spec: ExecutorSpec = load(OF_EXTENSIONS[executor])(*address)
    return spec
