"""What every host does, done in the zygote with a bot of our own.

Python adapts code to how it is used, but only after some runs, and in memory that a new process must copy first. What
was rehearsed in the zygote is adapted in all its hosts.
"""

from __future__ import annotations

import linecache
import random
import sys

from league.games.raj import Raj
from league.hosts import Begin, End, Tick
from league.hosts.child import DecisionTimer, decode_setup
from league.hosts.own_folder import OwnFolder
from league.hosts.runtime import Runtime, compiled, load
from league.hosts.wire import IDLE, HostSetup, encode, pack_reply, tick_decoder
from league.values.settings import Limits

TIMES = 20
"""More than Python needs to adapt."""
_NAME = "warm_up"
_BOT = b"""
class Bot:
    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        return self.rng.choice(view.legal)

    def finish(self, outcome):
        pass
"""


def rehearse() -> None:
    """Load a bot and have it play. Call it inside `seeded_random.routed`. Nothing of it is left but adapted code."""
    game = Raj()
    state = game.start(game.deal(random.Random(0)))
    view = state.view(0)
    outcome = state.copy().playout(random.Random(0))
    decode = tick_decoder(game.view_type).decode
    setup = encode(HostSetup(_NAME, _BOT, Limits(), "landlock", code=compiled(_NAME, _BOT)))
    begin, end = Tick((), (Begin(0, 0, 0, True),), (0,), (view,)), Tick((End(0, outcome),), (), (), ())
    for _ in range(TIMES):
        _live(setup, game, [Tick(*decode(encode(tick))) for tick in (begin, end)])
    del sys.modules[f"league_bot_{_NAME}"], linecache.cache[f"{_NAME}.py"]


def _live(message: bytes, game: Raj, ticks: list[Tick]) -> None:
    setup = decode_setup(message)
    position = [IDLE]
    clock = DecisionTimer(position, setup.limits)
    OwnFolder(setup.folder).show_modules()
    runtime = Runtime(load(setup.name, setup.source, setup.folder, setup.code or b""), game, (BaseException,), position)
    for tick in ticks:
        clock.tick = tick
        pack_reply(1, *runtime.answer(tick))
