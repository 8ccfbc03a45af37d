"""Ctrl-C, politely: the first one asks to stop, the second one stops at once."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """In the context, a call returns whether there was a Ctrl-C or SIGTERM; a second one raises KeyboardInterrupt.

    `notice` is called once, by the call that finds out: a signal may come in the middle of a line of output, where
    nothing can be printed.
    """

    def __init__(self, notice: Callable[[], None]) -> None:
        self._wanted = self._noticed = False
        self._notice = notice
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        self._before = {number: signal.signal(number, self._handle) for number in SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def __call__(self) -> bool:
        if self._wanted and not self._noticed:
            self._noticed = True
            self._notice()
        return self._wanted

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._wanted:
            raise KeyboardInterrupt
        self._wanted = True
