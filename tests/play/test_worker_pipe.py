"""A worker and its parent never wait for each other, however large sittings and results are."""

from __future__ import annotations

from multiprocessing import Pipe
from threading import Thread
from typing import Any

import pytest

from league.play import worker as module

LARGE = 4_000_000
"""Bytes: far more than a pipe holds."""


class Echo:
    """A worker whose results are as large as its sittings."""

    def play_sitting(self, sitting: bytes) -> bytes:
        return sitting


def test_large_sittings_and_results_pass_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_decode_sitting", lambda message: message)
    monkeypatch.setattr(module, "encode", lambda answer: answer)
    ours, theirs = Pipe()
    played: Any = Echo()
    Thread(target=module.serve, args=(played, theirs), daemon=True).start()
    sent = [bytes([number]) * LARGE for number in range(1, 4)]

    def send() -> None:
        for message in sent:
            ours.send_bytes(message)

    sender = Thread(target=send, daemon=True)
    sender.start()
    sender.join(30)  # the parent reads results only after it has handed out its sittings
    assert not sender.is_alive(), "the worker does not read while it sends"
    assert [ours.recv_bytes() for _ in sent] == sent
    ours.close()
