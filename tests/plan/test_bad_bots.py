"""One bad bot does not slow down the games among the others, by a simulated clock: two workers, each with a queue."""

import pytest

from league.plan.coverage import Coverage
from tests.plan.simulation import GOOD, Kind, Simulation, planned
from tests.tables import each

HONEST = [f"bot{number}" for number in range(6)]
SLOW = {"burns in every decision": Kind(game=15 * 0.09), "allocates in every match": Kind(game=0.15)}
BAD = {
    "sleeps in every decision": Kind(asleep=15 * 0.24),
    "burns when it is imported": Kind(start=4.5),
    "holds memory": Kind(start=0.2),
    "loops for ever": Kind(game=0.4, fault="timeout"),
    "sleeps for ever": Kind(asleep=0.8, start=0.02, fault="timeout"),
    "crashes in every game": Kind(game=0.006, fault="crash"),
}


def league(kinds, deals=2000):
    return Simulation(Coverage(planned(f"{{game: raj, deals: {deals}}}", kinds)), kinds)


def seconds(others, honest=HONEST, deals=2000):
    """Until the honest bots have played everything among themselves."""
    simulation = league(dict.fromkeys(honest, GOOD) | others, deals)
    whole = len(honest) * (len(honest) - 1) * deals

    def done():
        lineups = ({one.name for one in block.series.lineup} for block in simulation.played)
        games = (block.games for block, names in zip(simulation.played, lineups, strict=True) if names <= {*honest})
        return sum(games) == whole

    simulation.play(until=done)
    return simulation.now


@pytest.fixture(scope="module")
def usual():
    return seconds({"mallory": GOOD})


@each("kind", SLOW)
def test_slow_bot_slows_the_others_less_than_half_as_much_again(kind, usual):
    assert seconds({"mallory": SLOW[kind]}) < 1.5 * usual


@each("kind", BAD)
def test_bad_bot_slows_the_others_less_than_twice(kind, usual):
    assert seconds({"mallory": BAD[kind]}) < 2 * usual


def test_every_game_is_played_and_those_of_the_bad_bot_last():
    simulation = league(dict.fromkeys(HONEST, GOOD) | {"mallory": BAD["loops for ever"]}, deals=60).play()
    is_bad = ["mallory" in [one.name for one in block.series.lineup] for block in simulation.played]
    assert not any(simulation.coverage.to_play())
    assert sum(is_bad[: is_bad.count(False)]) < 0.1 * len(is_bad)


def test_twenty_slow_ones_among_forty_that_are_new_hold_up_nobody_for_long():
    """Each of them plays its first games, and then they share three tenths of the time."""
    honest = [f"bot{number:02}" for number in range(20)]
    slow = {f"slow{number:02}": Kind(game=0.5) for number in range(20)}
    first_games = 20 * 2 * 0.5
    assert seconds(slow, honest, 200) < 2 * (seconds({}, honest, 200) + first_games)


def test_three_that_are_costly_to_start_are_started_seldom():
    """A virtual machine cannot wait for the next sitting, so sittings are longer where it plays."""
    machines = {f"java{number}": Kind(game=0.002, start=0.5, is_program=True) for number in range(3)}
    names = {f"bot{number:02}": Kind(game=0.002) for number in range(41)} | machines
    simulation = league(names, deals=10).play()
    starting = sum(0.5 for name in simulation.starts if name in machines)
    assert starting < 0.25 * len(simulation.hands) * simulation.now
