"""Kills at any moment under load: no receipt is lost, rounds go on, and they follow from their rosters alone.

`ARENA_KILLS` says how many in all; `make soak` has a few.
"""

import os
import random
import threading

import pytest

from league.errors import ArenaError
from league.extensions.arena.client import Connection
from league.extensions.arena.folder import make_arena
from league.extensions.arena.ladder import Ladder
from league.extensions.arena.records import Receipt
from league.values.settings import Isolation
from tests.arena.conftest import CONFIG, HIGHEST
from tests.arena.replaying import never, replayed, tables
from tests.arena.serving import serving, until

KILLS = int(os.environ.get("ARENA_KILLS", "8")) // 2
"""For each schedule."""
pytestmark = [pytest.mark.soak, pytest.mark.timeout(600 + 60 * KILLS)]
LONGEST_PAUSE = 4.0
"""Before the next kill, after all processes are there again."""
VICTIMS = [("web",), ("checker",), ("player",), ("web", "checker", "player"), ("all",)]


class Author(threading.Thread):
    """Hands in one version after the other, and keeps the receipts."""

    def __init__(self, url: str, alias: str, code: str, folder, ending: threading.Event, rng: random.Random) -> None:
        super().__init__()
        self._connection = Connection(url, code)
        self._path = folder / f"{alias}.py"
        self._ending = ending
        self._rng = rng
        self.receipts: list[tuple[Receipt, bytes]] = []

    def run(self) -> None:
        number = 0
        while not self._ending.wait(self._rng.uniform(0.0, 3.0)):
            body = HIGHEST + f"# {self._path.stem} {number}\n".encode()
            self._path.write_bytes(body)
            try:
                self.receipts.append((self._connection.hand_in(self._path), body))
                number += 1
            except ArenaError:  # the web server was killed meanwhile: no receipt, no promise; the same once more
                pass


@pytest.mark.parametrize("schedule", ["round_robin", "adaptive"])
def test_kills_lose_no_receipt_and_rounds_follow_from_their_rosters(tmp_path, schedule):
    (tmp_path / "demo.yaml").write_text(CONFIG.replace("deals: 8", "deals: 200") + f"schedule: {schedule}\n")
    arena, _, _ = make_arena(tmp_path / "arena", tmp_path / "demo.yaml")
    people = arena.invite([(name, name, "", "author") for name in ("amy", "bob", "cid", "dan")], "test")
    arena.change_rules("test", per_hour=100_000)
    rng, ending = random.Random(KILLS), threading.Event()
    with serving(arena.folder) as served:
        until(lambda: len(served.children()) == 3)
        authors = [
            Author(served.url, person.alias, code, tmp_path, ending, random.Random(person.alias))
            for person, code in people
        ]
        for author in authors:
            author.start()
        try:
            until(lambda: all(author.receipts for author in authors))
            for _ in range(KILLS):
                for role in rng.choice(VICTIMS):
                    served.kill_all() if role == "all" else served.kill(role)
                until(lambda: len(served.children()) == 3 and served.answers())
                ending.wait(rng.uniform(0.0, LONGEST_PAUSE))
            before = [len(author.receipts) for author in authors]
            until(lambda: all(len(author.receipts) > n for author, n in zip(authors, before, strict=True)))
        finally:
            ending.set()
            for author in authors:
                author.join()
        ended = sum(part.ended is not None for part in arena.rounds())
        until(lambda: not arena.queue())
        until(lambda: sum(part.ended is not None for part in arena.rounds()) > ended)
    stored = {(submission.bot, submission.number): submission for submission in arena.submissions()}
    assert len(stored) == len(arena.submissions())
    bodies = [arena.content(submission) for submission in arena.submissions()]
    assert len(set(bodies)) == len(bodies), "a hand-in is stored twice"
    for author in authors:
        for receipt, body in author.receipts:
            assert receipt.is_genuine(arena.receipt_key)
            assert arena.content(stored[receipt.bot, receipt.number]) == body
    ladder = Ladder(arena.folder, 1, Isolation.TRUSTED)
    while ladder.step(never) and not (arena.last_round().ended and arena.last_round().roster.keys() >= {"amy", "bob"}):
        pass
    ladder.close()
    print(f"{KILLS} kills: {len(bodies)} hand-ins, {len(arena.rounds())} rounds")
    assert arena.last_round().roster.keys() >= {"amy", "bob", "cid", "dan"}
    assert replayed(arena, tmp_path) == tables(arena.folder)
    log = (arena.folder / "arena.log").read_text()
    assert not any(code in log for _, code in people)
