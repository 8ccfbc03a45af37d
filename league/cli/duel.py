"""`league duel`: play until it is settled which bot is better."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from league.cli.options import SEED, Number, bots_option, game_options, isolation_option, results_option, workers_option
from league.cli.tell import tell
from league.tools.text import counted, listed, safe, shown_path
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.play.duel import DuelResult
    from league.rating.sequential import SequentialTest
    from league.setup.roster import Bot

RATE = Number(float, 0.0001, 0.5)


@click.command("duel")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--game", required=True, metavar="G", help="What they play.")
@click.option("--players", type=Number(int, 2), metavar="N", help="Seats at the table.  [default: the fewest]")
@click.option(
    "--with", "others", multiple=True, metavar="BOT", help="Who fills a larger table; repeat it.  [default: random]"
)
@game_options
@click.option(
    "--alpha", default=0.05, show_default=True, type=RATE, metavar="X", help="How often equals may be called unequal."
)
@click.option(
    "--beta", default=0.05, show_default=True, type=RATE, metavar="X", help="How often a difference may be missed."
)
@click.option(
    "--smallest",
    default=0.04,
    show_default=True,
    type=Number(float, 0.002, 0.8),
    metavar="X",
    help="The lead in mean score that matters; with less, they are called even.",
)
@click.option(
    "--deals",
    default=100_000,
    show_default=True,
    type=Number(int, 1, 10**9),
    metavar="N",
    help="Give up after so many, in rounds of 64.",
)
@click.option(
    "--seed",
    type=SEED,
    metavar="N",
    help="Deals that anybody can reproduce.  [default: drawn at random, and kept with the results]",
)
@workers_option
@results_option
@bots_option
@isolation_option
@click.option("--quiet", "-q", is_flag=True, help="No progress, only the verdict.")
@click.pass_context
def command(
    ctx: click.Context,
    a: str,
    b: str,
    *,
    game: str,
    players: int | None,
    others: tuple[str, ...],
    options: dict[str, object],
    alpha: float,
    beta: float,
    smallest: float,
    deals: int,
    seed: int | None,
    workers: int | None,
    results: Path,
    bots_dir: str,
    isolation: Isolation,
    quiet: bool,
) -> None:
    """Play the bots A and B against each other until it is settled which one is better, or that it hardly matters.

    What counts is the mean score: 1 for the first place, 0 for the last, evenly between. Every deal is played in every
    seat rotation, and a look after every 64 deals costs nothing: the test allows for it. At tables of three and more, A
    and B take turns with the same opponents on the same deals. Interrupt it at any time; the same command goes on.

    \b
      league duel raj_nearest random --game raj
      league duel tale_envy tale_habits --game magillat --with random --with random
    """
    from league import games
    from league.play.duel import Duel
    from league.play.run import default_workers
    from league.rating.sequential import SequentialTest
    from league.setup.roster import find
    from league.tools.interrupts import Interrupts
    from league.values.block import Contest, Limits
    from league.values.settings import Config

    rules = games.make(game, players, options)
    contest = Contest.of(rules)
    one, other = find(a, bots_dir), find(b, bots_dir)
    fill = _fillers(others, rules.players, bots_dir, taken=(one.name, other.name))
    name = f"{one.name}-vs-{other.name}-{contest.key}"
    config = Config(name, (), Path.cwd(), (), seed=seed, isolation=isolation, limits=Limits())
    duel = Duel(one, other, fill, contest, config, results / "duels" / name)
    line = LiveLine(one.name, other.name, quiet=quiet)
    with Interrupts(line.stopping) as stopping:
        test = SequentialTest(alpha, beta, smallest / 2)  # a lead of 0.04 is a score of 0.52 against 0.48
        outcome = duel.play(test, deals, workers or default_workers(), line.update, stopping)
    line.end()
    tell(_verdict(outcome, one.name, other.name, [bot.name for bot in fill]))
    for sentence in outcome.faults:
        tell(f"! {safe(sentence)}")
    if not quiet:
        what = f"{counted(outcome.played, 'game')} played now, {outcome.counted:,} in the verdict"
        tell(f"league: {what}; results: {shown_path(outcome.folder)}", err=True)
    if outcome.verdict is None and stopping():
        ctx.exit(130)


def _fillers(names: tuple[str, ...], players: int, bots_dir: str, taken: tuple[str, ...]) -> list[Bot]:
    """Who sits at a table of three and more beside A or B: those named, or so many copies of `random`."""
    from league.setup.roster import find, told_apart

    wanted = names if names or players == 2 else ("random",) * (players - 1)
    return told_apart([find(name, bots_dir) for name in wanted], taken)


class LiveLine:
    """Tells on stderr how it stands: one line that is written over on a terminal, a line now and then elsewhere."""

    def __init__(self, a: str, b: str, *, quiet: bool) -> None:
        self._names = (safe(a), safe(b))
        self._quiet = quiet
        self._live = sys.stderr.isatty()
        self._next = 1

    def update(self, test: SequentialTest) -> None:
        """After each round."""
        looks_due = self._live or test.deals >= self._next
        if self._quiet or not looks_due:
            return
        self._next = test.deals * 2
        a, b = self._names
        line = f"{test.deals:,} deals: {a} less {b} {_lead(test)}"
        click.echo(f"\r\x1b[K{line}" if self._live else line, err=True, nl=not self._live)

    def stopping(self) -> None:
        """The user wants to stop."""
        if not self._quiet:
            self.end()
            click.echo("league: stopping; the same command goes on.", err=True)

    def end(self) -> None:
        """Leave the line as it is."""
        if self._live and not self._quiet:
            click.echo(err=True)


def _verdict(outcome: DuelResult, a: str, b: str, others: Sequence[str]) -> str:
    test = outcome.test
    a, b = safe(a), safe(b)
    where = f" at a table with {listed([safe(name) for name in others])}" if others else ""
    deals = counted(test.deals, "deal")
    if outcome.verdict in ("a", "b"):
        swapped = outcome.verdict == "b"
        better, worse = (b, a) if swapped else (a, b)
        first, second = reversed(outcome.scores) if swapped else outcome.scores
        scores = f"mean scores {first:.3f} and {second:.3f}"
        return (
            f"{better} is better than {worse}{where}: {scores}, a lead of {_lead(test, swapped=swapped)} after {deals}."
        )
    first, second = outcome.scores
    found = f"mean scores {first:.3f} and {second:.3f}, {a} less {b} {_lead(test)} after {deals}"
    if outcome.verdict == "even":
        return f"{a} and {b} are even within {2 * test.smallest:g}{where}: {found}."
    return f"Not settled yet{where}: {found}. Go on by the same command, with more --deals if they ran out."


def _lead(test: SequentialTest, *, swapped: bool = False) -> str:
    """The mean score of A less that of B, or the other way round, with its interval."""
    low, high = test.interval()
    value, low, high = (2 * score - 1 for score in (test.mean, low, high))
    if swapped:
        value, low, high = -value, -high, -low
    return f"{value:+.3f} ({low:+.3f} … {high:+.3f})"
