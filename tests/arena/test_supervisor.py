"""The processes of an arena: one of each, which start quickly and are started again."""

import os
import subprocess
import sys

import pytest

from league.arena import process
from league.arena.supervisor import LOCK, ServeOptions, Supervisor
from league.errors import ArenaError
from league.tools.system import lock


def test_an_arena_that_is_served_is_not_served_again(arena):
    descriptor = os.open(arena.folder / LOCK, os.O_RDWR | os.O_CREAT)
    lock(descriptor)
    with pytest.raises(ArenaError, match=r"arena is being served already\. End that one first\."):
        Supervisor([arena.folder], ServeOptions(port=0, insecure=True))
    os.close(descriptor)


def test_a_player_waits_until_the_one_before_has_ended(arena, monkeypatch):
    descriptor = os.open(arena.folder / ".player.lock", os.O_RDWR | os.O_CREAT)
    lock(descriptor)
    waits = []

    def stopping(seconds: float) -> bool:
        waits.append(seconds)
        if len(waits) == 2:
            os.close(descriptor)  # the one before has ended
        return False

    monkeypatch.setattr(process, "stopping", stopping)
    assert process._wait_for_place(arena.folder, "player")
    assert len(waits) == 2


def test_a_player_that_waits_ends_with_its_supervisor(arena, monkeypatch):
    descriptor = os.open(arena.folder / ".player.lock", os.O_RDWR | os.O_CREAT)
    lock(descriptor)
    monkeypatch.setattr(process, "stopping", lambda seconds: True)
    assert not process._wait_for_place(arena.folder, "player")
    os.close(descriptor)


@pytest.mark.slow
def test_the_web_server_starts_without_what_computes_standings():
    """It is started again after a kill, and its memory is for readers."""
    code = "import sys, league.arena.web, league.page.server; print({'scipy', 'pandas'} & set(sys.modules))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "set()\n"
