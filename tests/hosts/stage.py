"""Helpers for tests of bots that misbehave: blocks of Raj against an honest bot, at any level of isolation."""

from __future__ import annotations

import os
from pathlib import Path

from league import games
from league.hosts.factory import HostFactory
from league.play.match import play_block
from league.setup.bot_folder import BotFile, content_hash, folder_hash, read_folder
from league.setup.roster import Bot
from league.tools.seeds import stretched
from league.values.block import Block, BlockResult, Series
from league.values.settings import Contest, Isolation, Limits
from tests.hosts.short_attacks import SHORT, text_of

HOSTILE = Path(__file__).parents[1] / "hostile"
LIMITS = Limits(move_ms=60, start_ms=600, memory_mb=64)
"""Little memory, so that it is full long before the time is over, even on a busy machine."""
GAMES = 12

HONEST = b"""
import random

class Bot:
    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        return self.rng.choice(view.legal) if random.random() < 0.5 else random.choice(view.legal)
"""

MALLORY = """

class Bot:
    def start(self, table):
        if HOOK == "start" and table.rng.randrange(6) == 0:
            attack(table)

    def choose(self, view):
        move = None
        if HOOK == "choose" and len(view.history) == 2 and view.pile[-1] > 8:
            move = attack(view)
        return view.legal[0] if move is None else move

    def finish(self, outcome):
        if HOOK == "finish" and outcome.scores[0] % 7 == 0:
            attack(outcome)
"""
"""Added to files that define `attack`: a bot that bids its lowest card, and attacks in a few games."""


ATTEMPTING = """

def attack(view):
    for number, attempt in enumerate(ATTEMPTS):
        try:
            attempt()
        except OSError:
            continue
        raise AssertionError(f"attempt {number} went through")
"""
"""Added to files that define only what is attempted, each of which must fail."""


def mallory(text: str, hook: str = "choose") -> Bot:
    """A bot with this attack. One that is `EARLY` is tried at first while the bot is loaded, when there are paths."""
    if "ATTEMPTS = " in text and "def attack" not in text:
        text += ATTEMPTING
    if "class Bot" not in text and "def attack" in text:
        text += "\n\nattack(None)\n" * ("EARLY = True" in text)
        text += MALLORY if "HOOK = " in text else f"\nHOOK = {hook!r}\n{MALLORY}"
    return bot("mallory", text.encode())


def hostile(name: str) -> Bot:
    """The attacker of this name: a short one, or a file in tests/hostile, or a folder, which no roster has checked."""
    if name in SHORT:
        return mallory(text_of(name))
    if (HOSTILE / f"{name}.py").exists():
        return mallory((HOSTILE / f"{name}.py").read_text())
    main = mallory((HOSTILE / name / "bot.py").read_text()).source
    others = [file for file in read_folder(HOSTILE / name) if file.path != "bot.py"]
    files = (BotFile("bot.py", content_hash(main), content=main), *others)
    return Bot("mallory", HOSTILE / name, main, folder_hash(files), files=files)


def bot(name: str, source: bytes) -> Bot:
    """A bot with this source."""
    return Bot(name, Path(f"/nowhere/{name}.py"), source, f"hash of {name}")


def block(bots: list[Bot], number: int = GAMES, limits: Limits = LIMITS, games_per_match: int = 1) -> Block:
    """Deals of Raj for these bots."""
    game = games.make("raj", len(bots))
    contest = Contest.of(game, games_per_match)
    lineup = tuple(sorted(bot.entrant() for bot in bots))
    return Block(Series(contest, lineup, 0, stretched(2026), limits, luck_follows="seed"), 0, number)


def play(factory: HostFactory, bots: list[Bot], wanted: Block | None = None) -> BlockResult:
    """Play a block with hosts of this factory."""
    by_entrant = {bot.entrant(): bot for bot in bots}
    return play_block(wanted or block(bots), lambda entrant, game: factory.open(by_entrant[entrant], game))


def trusted(bots: list[Bot], wanted: Block | None = None) -> BlockResult:
    """The same in this process, for bots that are tame."""
    with HostFactory(Isolation.TRUSTED, LIMITS) as factory:
        return play(factory, bots, wanted)


def zygote_of(factory: HostFactory, has_numpy: bool = False) -> int:
    """The process id of a zygote, which is started if it does not run yet."""
    return factory._launcher(has_numpy).start().pid


def children(pid: int) -> list[int]:
    """The child processes of a process, those included that have ended and are not yet reaped."""
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def descriptors(pid: int) -> int:
    """How many descriptors a process has open."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except PermissionError:  # a zygote that cannot be inspected; the size is their number since Linux 6.2
        return os.stat(f"/proc/{pid}/fd").st_size
