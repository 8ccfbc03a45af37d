"""Ctrl-C, politely: the first one asks to stop, the second one stops at once."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Inside, `wanted` becomes true at the first Ctrl-C or SIGTERM, and `notice` is called; the second one raises."""

    def __init__(self, notice: Callable[[], None]) -> None:
        self.wanted = False
        self._notice = notice
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        self._before = {number: signal.signal(number, self._handle) for number in SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def __call__(self) -> bool:
        return self.wanted

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.wanted:
            raise KeyboardInterrupt
        self.wanted = True
        self._notice()
