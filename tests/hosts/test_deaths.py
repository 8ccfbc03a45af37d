"""Who is to blame for the death of a bot's process."""

from types import SimpleNamespace
from typing import Any

import pytest

from league.hosts import Tick
from league.hosts.process import BotProcess


class Ended(BotProcess):
    """A process that has ended with an exit code; None: its zygote died, and took it along."""

    def __init__(self, code: int | None) -> None:
        self._channel: Any = SimpleNamespace(wait=lambda: None, forked=SimpleNamespace(autopsy=lambda: code))
        self._last_words = ""
        self._suspect = Tick((), (), (), ())

    def _release(self) -> None:
        pass


@pytest.mark.parametrize(("code", "blameless"), [(None, True), (0, False), (1, False), (-9, False)])
def test_a_bot_is_not_blamed_for_the_death_of_its_zygote(code, blameless):
    death = Ended(code)._ended()
    assert (death.kind, death.blameless) == ("crash", blameless)
