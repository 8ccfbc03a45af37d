"""From a hand-in to the final."""

from league.arena.checker import Checker
from league.arena.ladder import Ladder, final_seed, hash_of_roster
from league.setup.config import load
from tests.arena.conftest import FAILING, HIGHEST, LOWEST


def _all(step) -> int:
    steps = 0
    while step():
        steps += 1
        assert steps < 50
    return steps


def test_handins_are_checked_and_play_in_the_next_round_until_the_final(arena, authors):
    amy, bob = authors
    arena.hand_in(amy, "bot.py", HIGHEST)
    arena.hand_in(bob, "bot.py", FAILING)
    checker, ladder = Checker(arena.folder), Ladder(arena.folder, workers=1)
    try:
        _all(checker.step)
        assert {submission.bot: submission.state for submission in arena.submissions()} == {
            "amy": "passed",
            "bob": "failed",
        }
        assert any("ZeroDivisionError" in line for line in arena.check_of(arena.submissions("bob")[0].id).lines)
        _all(lambda: ladder.step(lambda: False))
        assert set(arena.last_round().roster) == {"amy", "raj_nearest", "random"}
        before = arena.last_round().number
        arena.hand_in(bob, "bot.py", LOWEST)
        _all(checker.step)
        assert ladder.step(lambda: False)
        assert arena.last_round().number == before + 1
        assert set(arena.last_round().roster) == {"amy", "bob", "raj_nearest", "random"}
        arena.change_rules("lecturer", phase="closed")
        _all(lambda: ladder.step(lambda: False))
    finally:
        checker.close()
        ladder.close()
    assert arena.rules.phase == "over"
    final = load(arena.folder / "final" / "config.yaml")
    assert final.seed == final_seed(arena.fact("published_secret"), arena.fact("roster_hash"))
    assert arena.fact("roster_hash") == hash_of_roster(arena.last_round().roster)
    assert (arena.folder / "final" / "results" / "demo-final" / "standings.csv").read_text().count("\n") == 5
