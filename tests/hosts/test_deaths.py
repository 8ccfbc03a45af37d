"""Who is to blame for the death of a bot's process."""

from types import SimpleNamespace
from typing import Any

import pytest

from league.hosts import Tick
from league.hosts.process import BotProcess
from league.hosts.wire import HostSetup
from league.values.settings import Limits


class Ended(BotProcess):
    """A process that has ended with an exit code; None: its zygote died, and took it along."""

    def __init__(self, code: int | None) -> None:
        self.forked: Any = SimpleNamespace(handle=0, end=lambda: code)
        self._setup = HostSetup("ended", b"", Limits(), confined=False)
        self._left = b"", b""
        self._open = False
        self._suspect = Tick((), (), (), ())

    def _overrun(self, poll: Any) -> str:
        return ""

    def _release(self) -> None:
        pass


@pytest.mark.parametrize(("code", "blameless"), [(None, True), (0, False), (1, False), (-9, False)])
def test_a_bot_is_not_blamed_for_the_death_of_its_zygote(code, blameless):
    death = Ended(code)._ended()
    assert (death.kind, death.blameless) == ("crash", blameless)
