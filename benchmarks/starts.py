"""What it costs to start a bot, and a league of many bots that play few deals, in which starting them is nearly all."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.isolation import NEAREST
from benchmarks.league import RANDOM_BOT, in_a_child
from league import games
from league.hosts.factory import HostFactory, pin
from league.hosts.process import NOTHING
from league.loop import LeagueRun
from league.setup.config import parse
from league.setup.roster import Bot
from league.values.settings import Isolation, Limits

HOSTS = 400
ROUNDS = 5
BOTS = 50
DEALS = (1, 8)


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    least = min(in_a_child(_start_hosts).processor for _ in range(ROUNDS))
    yield _row("a host from its fork to its end, one worker", f"{1000 * least / HOSTS:.1f} ms", "(aim 4 ms)")
    spent = {deals: in_a_child(partial(_league, deals)).processor for deals in DEALS}
    few, many = DEALS
    for deals in DEALS:
        each = 1000 * spent[deals] / (BOTS * (BOTS - 1) * deals)
        yield _row(f"{BOTS} bots, deals: {deals}", f"{spent[deals]:.1f} s", f"{each:.1f} ms a game")
    yield _row(f"{many} deals instead of {few}", "", f"{spent[many] / spent[few]:.2f} times the processor time")


def _row(what: str, figure: str, note: str) -> dict[str, object]:
    return {"what": what, "processor time": figure, "": note}


def _start_hosts() -> None:
    pin(0)  # as every worker is
    bot = Bot("ann", Path("ann.py"), NEAREST, "ann")
    game = games.make("raj", 2)
    with HostFactory(Isolation.SANDBOX, Limits()) as factory:
        for _ in range(HOSTS):
            host = factory.open(bot, game)
            host.send(NOTHING)
            host.receive()
            host.close()


def _league(deals: int) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bots").mkdir()
        for number in range(BOTS):
            (folder / "bots" / f"bot_{number:02}.py").write_text(RANDOM_BOT)
        text = f"league: bench\nseed: 1\nbots: bots\ngames: [{{game: raj, players: 2, deals: {deals}}}]\n"
        with LeagueRun(parse(text, folder), folder, workers=2) as league:
            league.play()
