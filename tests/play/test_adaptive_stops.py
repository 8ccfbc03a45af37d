"""An adaptive league that is killed again and again, at any moment, chooses the same rounds and ends the same.

Every league here is played by the real command in processes of its own.
"""

import signal
from random import Random
from typing import Any

import pytest

from league.results.store import Store
from tests.play.real_league import RESULTS, RealLeague
from tests.play.test_adaptive_league import BOT

CONFIG = """\
league: small
seed: 3
bots: bots
games: [{game: raj, deals: 40}, {game: raj, players: 3, deals: 20}]
isolation: trusted
schedule: adaptive
settle: {places: 2, within: 1.2}
"""


def skilled(bots: int) -> dict[str, str]:
    return {f"bot{number}": BOT.replace("SKILL", str(number / bots)) for number in range(bots)}


def rounds(league: RealLeague) -> Any:
    with Store.open(league.folder / RESULTS) as store:
        return store.plan().chosen


@pytest.mark.soak
def test_killed_a_few_times(tmp_path):
    """A league that was killed at random moments, beside one that was left alone."""
    undisturbed = RealLeague(tmp_path / "undisturbed", CONFIG, skilled(6))
    undisturbed.run()
    with Store.open(undisturbed.folder / RESULTS) as store:
        games = store.plan().games
    assert len(rounds(undisturbed)) > 2
    killed = RealLeague(tmp_path / "killed", CONFIG, skilled(6))
    stops = [killed.stop_after(moment, signal.SIGKILL) for moment in sorted(Random(4).sample(range(games), 4))]
    assert any(stops)
    killed.run()
    assert rounds(killed) == rounds(undisturbed)
    assert killed.files() == undisturbed.files()
