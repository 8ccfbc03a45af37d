"""An arena that is served: from the command line to the final, and through kills at any moment."""

import os
import random
import threading

import pytest
from click.testing import CliRunner

from league.arena.client import Connection
from league.arena.ladder import Ladder
from league.cli import league
from league.errors import ArenaError
from tests.arena.conftest import FAILING, HIGHEST
from tests.arena.serving import serving, until

pytestmark = pytest.mark.slow


def _variant(number: int) -> bytes:
    return HIGHEST + f"# {number}\n".encode()


def test_from_login_to_a_place_by_commands_alone(arena, tmp_path, monkeypatch):
    [(_, code)] = arena.invite([("Amy Miller", "amy", "", "author")], "test")
    monkeypatch.setenv("LEAGUE_LOGINS", str(tmp_path / "logins.json"))
    good, bad = tmp_path / "amy.py", tmp_path / "bad.py"
    good.write_bytes(HIGHEST)
    bad.write_bytes(FAILING)
    run = CliRunner().invoke
    with serving(arena.folder) as served:
        until(lambda: run(league, ["login", f"{served.url}/enter#{code}"]).exit_code == 0)
        assert (tmp_path / "logins.json").stat().st_mode & 0o077 == 0
        passed = run(league, ["submit", str(good), "--to", served.url])
        assert passed.exit_code == 0, passed.output
        assert "It has passed, and plays from the next round on." in passed.output
        failed = run(league, ["submit", str(bad), "--to", served.url])
        assert failed.exit_code == 1
        assert "ZeroDivisionError: division by zero" in failed.output
        until(lambda: "Place " in run(league, ["status", "--to", served.url]).output)
        assert "Version 2: failed. Version 1 plays." in run(league, ["status", "--to", served.url]).output
    log = (arena.folder / "arena.log").read_text()
    assert code not in log
    assert "Traceback" not in log


@pytest.mark.soak
def test_kills_lose_no_receipt_and_rounds_go_on(arena):
    kills = int(os.environ.get("ARENA_KILLS", "10"))
    authors = arena.invite([(name, name, "", "author") for name in ("amy", "bob", "cid", "dan")], "test")
    arena.change_rules("test", per_hour=100_000)
    rng = random.Random(kills)
    receipts = []
    ending = threading.Event()

    def hand_in_on_and_on(code: str, first: int) -> None:
        connection, number = Connection(served.url, code), first
        while not ending.wait(0.05):
            number += 1
            path = arena.folder.parent / f"{first}.py"
            path.write_bytes(_variant(number))
            try:
                receipts.append((connection.hand_in(path), _variant(number)))
            except ArenaError:  # the web server was killed meanwhile: no receipt, no promise
                number -= 1

    with serving(arena.folder) as served:
        until(lambda: len(served.children()) == 3)
        threads = [
            threading.Thread(target=hand_in_on_and_on, args=(code, 100_000 * number))
            for number, (_, code) in enumerate(authors, 1)
        ]
        for thread in threads:
            thread.start()
        until(lambda: receipts)
        for _ in range(kills):
            for role in rng.choice([("web",), ("checker",), ("player",), ("web", "checker", "player")]):
                served.kill(role)
            ending.wait(rng.uniform(0.0, 1.0))
            until(lambda: len(served.children()) == 3)
        before = len(receipts)
        until(lambda: len(receipts) > before)
        ending.set()
        for thread in threads:
            thread.join()
        rounds = len([part for part in arena.rounds() if part.ended])
        until(lambda: not arena.queue())
        until(lambda: len([part for part in arena.rounds() if part.ended]) > rounds)
    stored = {(submission.bot, submission.number): submission for submission in arena.submissions()}
    assert len(stored) == len(arena.submissions())  # none twice
    for receipt, body in receipts:
        assert receipt.is_genuine(arena.receipt_key)
        assert arena.content(stored[receipt.bot, receipt.number]) == body
    ladder = Ladder(arena.folder, workers=1)
    try:
        while ladder.step(lambda: False):
            pass
    finally:
        ladder.close()
    assert set(arena.last_round().roster) >= {"amy", "bob", "cid", "dan"}
