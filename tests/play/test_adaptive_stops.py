"""An adaptive league that is killed again and again, at any moment, chooses the same rounds and ends the same.

Every league here is played by the real command in processes of its own.
"""

import signal
from random import Random
from typing import Any

import pytest

from league.results.store import Store
from tests.leagues import DICE
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
LONG_CONFIG = """\
league: small
seed: 5
bots: bots
games: [{game: raj, players: [2, 4], deals: 40}, {game: braverats, deals: 40}]
schedule: adaptive
settle: {order: all}
"""


def skilled(bots: int) -> dict[str, str]:
    return {f"bot{number}": BOT.replace("SKILL", str(number / bots)) for number in range(bots)}


def rounds(league: RealLeague) -> Any:
    with Store.open(league.folder / RESULTS) as store:
        return store.plan().chosen


def check_kills(folder, config, bots, kills: int) -> None:
    """Compare a league that was killed at random moments with one that was left alone."""
    undisturbed = RealLeague(folder / "undisturbed", config, bots)
    undisturbed.run()
    with Store.open(undisturbed.folder / RESULTS) as store:
        games = store.plan().games
    assert len(rounds(undisturbed)) > 2
    killed = RealLeague(folder / "killed", config, bots)
    moments = sorted(Random(kills).sample(range(games), kills))
    stops = [killed.stop_after(moment, signal.SIGKILL) for moment in moments]
    assert any(stops)
    killed.run()
    assert rounds(killed) == rounds(undisturbed)
    assert killed.files() == undisturbed.files()


@pytest.mark.soak
def test_killed_a_few_times(tmp_path):
    check_kills(tmp_path, CONFIG, skilled(6), kills=2)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_killed_many_times(tmp_path):
    check_kills(tmp_path, LONG_CONFIG, skilled(7) | {"dice": DICE}, kills=10)
