"""`league bench`: how fast this machine plays, per game and level of isolation."""

from __future__ import annotations

import click

from league.cli import complete
from league.cli.options import number
from league.values.settings import Isolation

BLOCK_GAMES = 256
SECONDS = 1.0
"""For each game and level."""


@click.command("bench")
@click.option(
    "--game",
    "wanted",
    multiple=True,
    metavar="GAME",
    shell_complete=complete.games,
    help="Only this game; repeatable.  [default: all]",
)
@click.option(
    "--seconds",
    default=SECONDS,
    show_default=True,
    type=number(0.01, 3600),
    metavar="X",
    help="Time for each figure.",
)
def command(wanted: tuple[str, ...], seconds: float) -> None:
    """Measure how many games per second one core plays, with random bots, at each level of isolation.

    Figures are games per second and, in brackets, microseconds per decision, overhead included. A level that this
    machine does not support is left out; `league doctor` says why.
    """
    from league import games
    from league.errors import IsolationError
    from league.tools.text import table

    header = ("game", "players", *reversed(Isolation))
    rows = []
    for name in wanted or games.names():
        counts = games.load(name).player_counts
        for players in dict.fromkeys((counts[0], counts[-1])):
            row = [name, str(players)]
            for level in reversed(Isolation):
                try:
                    row.append(_measured(name, players, level, seconds))
                except IsolationError:
                    row.append("not here")
            rows.append(row)
    click.echo(table(header, rows, right=header[1:]))


def _measured(game: str, players: int, isolation: Isolation, seconds: float) -> str:
    from contextlib import closing
    from time import perf_counter

    from league.analysis.bot_check import random_bots
    from league.games import make
    from league.play.worker import Team, Worker
    from league.values.block import Block, Series
    from league.values.settings import Contest, Limits

    rules = make(game, players)
    contest = Contest.of(rules)
    bots = random_bots(players)
    series = Series(contest, tuple(bot.entrant() for bot in bots), 0, 0, Limits())
    played = decisions = 0
    with closing(Worker(Team(bots, isolation, Limits()))) as worker:
        worker.play(Block(series, 0, 1))  # starting up is not what is measured
        started = perf_counter()
        while perf_counter() - started < seconds:
            result = worker.play(Block(series, played, played + BLOCK_GAMES))
            played += BLOCK_GAMES
            decisions += sum(usage.decisions for usage in result.usage)
        took = perf_counter() - started
    return f"{played / took:,.0f}/s ({1e6 * took / decisions:.1f} µs)"
