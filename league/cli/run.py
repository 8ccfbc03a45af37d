"""`league run`: play what is missing of a league, and write its standings."""

from __future__ import annotations

import subprocess
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click
import msgspec

from league.cli import complete
from league.cli.options import (
    PATH,
    Value,
    isolation_or,
    results_option,
    scheduler_option,
    time_option,
    whole,
    workers_option,
)
from league.cli.output import tell
from league.commands import executors
from league.tools.text import counted, safe
from league.values.settings import PERCENT, Isolation, TimeOfDay

if TYPE_CHECKING:
    from league.api.printer import Printer
    from league.events import Played


@click.command("run")
@click.argument("config", metavar="[CONFIG]", default="configs/quick.yaml", type=PATH, shell_complete=complete.configs)
@workers_option
@click.option(
    "--executor",
    type=click.Choice(executors()),
    default="local",
    help="What plays: processes of this machine, or a Dask cluster.",
)
@scheduler_option
@results_option
@isolation_or("How bots are isolated, instead of what CONFIG says.")
@time_option
@click.option("--until", type=Value(TimeOfDay, "HH:MM"), help="Stop at this time of day.")
@click.option("--games", type=whole(1), help="Stop after this many games.")
@click.option("--rounds", type=whole(1), help="Stop after this many rounds.")
@click.option(
    "--until-decided",
    is_flag=True,
    help="Play up to 16 times the deals while that may tell whether bots have reached milestones.",
)
@click.option("--strict", is_flag=True, help="Stop if a bot cannot be read or loaded, instead of going on without it.")
@click.option("--dry-run", is_flag=True, help="Print lineups, games, rounds and expected time; keep no game.")
@click.option("--watch", is_flag=True, help="Print the leaders from time to time.")
@click.option(
    "--notify",
    metavar="COMMAND",
    help="When the run has ended or was stopped, run this shell command, with the result as JSON on its input.",
)
@click.option("--quiet", "-q", is_flag=True, help="No progress and no messages, only the standings.")
@click.option("--verbose", "-v", is_flag=True, help="Also print every fault as it happens.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    config: Path,
    *,
    for_: float | None,
    dry_run: bool,
    notify: str | None,
    quiet: bool,
    verbose: bool,
    **asked: Any,
) -> None:
    """Play the league that CONFIG describes, or what is missing of it, and write its standings.

    Without CONFIG it is configs/quick.yaml, which `league init` writes.

    Run it again after Ctrl-C, a crash, a new bot or more deals: it plays exactly what is missing.
    With --for, --until, --games or --rounds it ends in time, standings included; they replace the `stop` of CONFIG.

    --executor dask plays on the cluster that Dask's configuration names, or starts one on this machine; --scheduler
    names one. docs/scale.md describes both.
    """
    started = monotonic()
    from league.api.leagues import run
    from league.api.printer import Printer
    from league.cli.exits import Interrupts

    printer = Printer(quiet=quiet, verbose=verbose, table=True)
    if dry_run:
        _show_dry_run(config, printer, **asked)
        return
    if for_ is not None:  # on a busy machine, importing all that takes seconds
        for_ = max(for_ - (monotonic() - started), 1e-9)
    # The options that are left are called as in `league.run`.
    played = run(config, for_=for_, stopping=Interrupts(printer.stopping), observer=printer, **asked).played
    if played and notify:
        _notify(notify, played)
    if played and played.summary.interrupted:
        ctx.exit(130)
    if played and played.summary.abandoned:
        ctx.exit(1)


def _notify(command: str, played: Played) -> None:
    """Run a command with how the run ended on its standard input; a failure of it is one line."""
    from league.results.lines import board

    summary = played.summary
    ended = "stopped" if summary.interrupted else "budget" if summary.out_of_budget else "finished"
    lines = played.standings.overall if played.standings else []
    result = {
        "folder": str(summary.folder),
        "ended": ended,
        "games": summary.games,
        "games_left": summary.games_left,
        "seconds": round(summary.seconds, 1),
        "faults": summary.faults,
        "files": [str(path) for path in played.files],
        "standings": board(lines[:100]).json(),
    }
    done = subprocess.run(command, shell=True, input=msgspec.json.encode(result), check=False)  # noqa: S602 - the user's
    if done.returncode:
        tell(f"league: the command of --notify ended with exit code {done.returncode}: {safe(command)}", err=True)


def _show_dry_run(
    config: Path,
    printer: Printer,
    *,
    results: Path,
    workers: int | None,
    isolation: Isolation | None,
    strict: bool,
    **_: object,
) -> None:
    from league.api.forecast import forecast
    from league.api.leagues import read_config
    from league.loop import LeagueRun
    from league.tools.table import Table

    settings = read_config(config, isolation)
    with LeagueRun(settings, results, workers=workers, observer=printer, read_only=True) as planned:
        planned.check_bots(strict=strict)
        expected = forecast(planned)
    coverage, is_open = expected.coverage, expected.coverage.plan.unsettled
    to_play = coverage.to_play()
    rows = []
    for fixture, count, estimate in zip(coverage.plan.fixtures, to_play, expected.contests, strict=True):
        took = str(estimate) if count else "-"
        rows.append((fixture.contest.title, f"{fixture.lineup_count:,}", f"{fixture.games:,}", f"{count:,}", took))
    numbers = ("lineups", "games", "to play", "expected")
    click.echo(Table.of(("contest", *numbers), rows, numbers).text())
    if expected.rounds:
        numbers = ("round", "games", "done after", f"{PERCENT} interval")
        steps = [(str(part.number), f"{part.games:,}", str(part.expected), part.interval) for part in expected.rounds]
        click.echo(f"\n{Table.of(numbers, steps, numbers).text()}\n")
    before = f", {counted(coverage.games_played, 'game')} played before" if coverage.games_played else ""
    known = " of the rounds that are chosen" if is_open else ""
    took = f"{expected.whole} with {counted(planned.workers, 'worker')}"
    click.echo(f"{counted(sum(to_play), 'game')} to play{known}{before}; {took}.")
    if expected.slowest:
        click.echo(expected.slowest)
    if is_open:
        click.echo("The results decide who plays the rounds after them, and how many there are.")
