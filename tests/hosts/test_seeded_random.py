"""However an honest bot draws random numbers, a game played alone is the same as in a block."""

from __future__ import annotations

import random

import numpy as np
import pytest

from league.games.raj import Raj
from league.hosts.factory import HostFactory
from league.hosts.trusted import TrustedHost
from tests.counting import tally_of
from tests.hosts.stage import HONEST, block, bot, play, trusted

WAYS = {
    "random.choice": "random.choice(view.legal)",
    "random.shuffle": "(lambda hand: (random.shuffle(hand), hand[0])[1])(list(view.legal))",
    "random.seed": "(random.seed(), random.choice(view.legal))[1]",
    "random.Random()": "random.Random().choice(view.legal)",
    "imported name": "choice(view.legal)",
    "drawn at import": "view.legal[DRAWN % len(view.legal)]",
    "numpy.random.choice": "int(np.random.choice(view.legal))",
    "numpy.random.seed": "(np.random.seed(), int(np.random.choice(view.legal)))[1]",
    "numpy.random.default_rng": "int(np.random.default_rng().choice(view.legal))",
    "own generator": "self.rng.choice(view.legal)",
}
SOURCE = """
import random
import numpy as np
from random import choice

DRAWN = random.randrange(1000)

class Bot:
    def __init__(self, table):
        self.rng = random.Random()

    def choose(self, view):
        return {}
"""


@pytest.mark.parametrize("way", WAYS)
def test_a_game_alone_is_the_same_as_in_a_block(sandbox: HostFactory, way: str) -> None:
    bots = [bot("dicer", SOURCE.format(WAYS[way]).encode()), bot("honest", HONEST)]
    whole = block(bots, 6)
    together = play(sandbox, bots, whole)
    assert together.faults == ()
    assert len({moves for moves, _ in tally_of(together).points}) == 6
    for deal in (0, 5):
        alone = play(sandbox, bots, type(whole)(whole.series, deal, deal + 1))
        assert tally_of(alone).points == tuple(points for points in tally_of(together).points if points[0] == deal)
    assert trusted(bots, whole).outcomes == together.outcomes


def test_the_modules_are_restored_afterwards() -> None:
    before = vars(random).copy(), vars(np.random).copy()
    trusted([bot("dicer", SOURCE.format(WAYS["random.choice"]).encode()), bot("honest", HONEST)])
    assert (vars(random), vars(np.random)) == before


def test_the_modules_are_restored_when_the_last_host_is_closed() -> None:
    before = vars(random).copy()
    first, second = (TrustedHost(name, HONEST, Raj(2)) for name in ("ann", "bob"))
    assert vars(random) != before
    first.close()
    first.close()
    assert vars(random) != before
    second.close()
    assert vars(random) == before
