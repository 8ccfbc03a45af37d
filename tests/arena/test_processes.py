"""The processes of an arena: one of each, which start quickly and are started again."""

import os
import subprocess
import sys

import pytest

from league.errors import ArenaError
from league.extensions.arena import serve
from league.extensions.arena.serve import LOCK, ServeOptions, Supervisor
from league.tools import logs
from league.tools.system import lock
from tests.arena.serving import until


def test_an_arena_that_is_served_is_not_served_again(arena):
    descriptor = os.open(arena.folder / LOCK, os.O_RDWR | os.O_CREAT)
    lock(descriptor)
    with pytest.raises(ArenaError, match=r"arena is being served already\. End that one first\."):
        Supervisor(ServeOptions(str(arena.folder), port=0, insecure=True))
    os.close(descriptor)


def test_a_player_waits_until_the_one_before_has_ended(arena):
    descriptor = os.open(arena.folder / ".player.lock", os.O_RDWR | os.O_CREAT)
    lock(descriptor)
    waits = []

    def stopping(seconds: float) -> bool:
        waits.append(seconds)
        if len(waits) == 2:
            os.close(descriptor)  # the one before has ended
        return False

    assert serve._wait_for_place(arena.folder, "player", stopping)
    assert len(waits) == 2


def test_a_player_that_waits_ends_with_its_supervisor(arena):
    descriptor = os.open(arena.folder / ".player.lock", os.O_RDWR | os.O_CREAT)
    lock(descriptor)
    assert not serve._wait_for_place(arena.folder, "player", lambda seconds: True)
    os.close(descriptor)


WRITER = """
import logging, sys
from logging.handlers import WatchedFileHandler
from pathlib import Path
from league.extensions.arena.serve import let_go

logging.basicConfig(format="%(message)s", handlers=[WatchedFileHandler(sys.argv[1])])
number = 0
while not let_go(0.0):
    logging.error("%s %d %s", sys.argv[2], number, "x" * 200)
    number += 1
Path(sys.argv[3]).write_text(str(number))
"""


def test_a_log_is_put_aside_while_processes_write_to_it_and_no_line_is_lost(tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "LOG_BYTES", 100_000)
    monkeypatch.setattr(logs, "LOGS_KEPT", 1000)
    path = tmp_path / "arena.log"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name, str(tmp_path / name)], stdin=subprocess.PIPE)
        for name in ("web", "player")
    ]
    until(lambda: logs.put_aside_if_large(path) or (tmp_path / "arena.log.3").exists())
    for writer in writers:
        writer.stdin.close()
        assert writer.wait() == 0
    lines = [line for file in tmp_path.glob("arena.log*") for line in file.read_text().splitlines()]
    for name in ("web", "player"):
        written = int((tmp_path / name).read_text())
        assert sorted(int(line.split()[1]) for line in lines if line.startswith(name)) == [*range(written)]


@pytest.mark.slow
def test_the_web_server_starts_without_what_computes_standings():
    """It is started again after a kill, and its memory is for readers."""
    code = "import sys, league.extensions.arena.web, league.page.server; print({'scipy', 'pandas'} & set(sys.modules))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "set()\n"
