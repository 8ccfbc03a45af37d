"""`league run`: play what is missing of a league, and write its standings."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from league.cli import complete
from league.cli.eta import Speed
from league.cli.options import Value, isolation_or, results_option, whole, workers_option
from league.cli.output import tell
from league.play.executors.specs import EXECUTORS, DaskSpec
from league.tools.bar import GamesBar
from league.tools.text import columns, counted, first_few, folded, listed, safe, shown_path
from league.tools.times import duration
from league.values.settings import Duration, Isolation, Stop, TimeOfDay

if TYPE_CHECKING:
    from league.api.run import Played
    from league.play.executors.specs import ExecutorSpec
    from league.play.run import LeagueRun, Preview, Summary
    from league.results.standings import Standings
    from league.values.block import BlockResult

NEWS_SECONDS = 10
"""Between two lines of progress where there is no terminal to draw a bar on."""
WATCH_SECONDS = 15
"""Between two tables of leaders with --watch."""
FORESEEN = 12
"""Rounds of an adaptive league that a dry run shows."""
BAR = "{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]"
"""tqdm's own time left follows the games per second of the last moments."""
SHOWN_FILES = 5
"""How many files are named in one line; of the others, only their number is printed."""


@click.command("run")
@click.argument(
    "config",
    metavar="[CONFIG]",
    default="configs/quick.yaml",
    type=click.Path(path_type=Path),
    shell_complete=complete.configs,
)
@workers_option
@click.option(
    "--executor",
    type=click.Choice(list(EXECUTORS)),
    default="local",
    show_default=True,
    help="What plays: processes of this machine, or a Dask cluster.",
)
@click.option("--scheduler", metavar="ADDRESS", help="Play on the Dask cluster of this scheduler.")
@click.option(
    "--scheduler-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Play on the Dask cluster whose scheduler wrote its address to FILE.",
)
@results_option
@isolation_or("How bots are isolated, instead of what CONFIG says.")
@click.option("--for", "after", type=Value(Duration), metavar="TIME", help="Stop after this time, such as 8h or 90min.")
@click.option("--until", "at", type=Value(TimeOfDay), metavar="HH:MM", help="Stop at this time of day.")
@click.option("--games", type=whole(1), metavar="N", help="Stop after this many games.")
@click.option("--strict", is_flag=True, help="Stop if a bot cannot be read or loaded, instead of going on without it.")
@click.option("--dry-run", is_flag=True, help="Print lineups, games, rounds and expected time; play nothing.")
@click.option("--watch", is_flag=True, help="Print the leaders now and then.")
@click.option("--quiet", "-q", is_flag=True, help="No progress and no messages, only the standings.")
@click.option("--verbose", "-v", is_flag=True, help="Also print every fault as it happens.")
@click.pass_context
def command(
    ctx: click.Context,
    config: Path,
    workers: int | None,
    executor: str,
    scheduler: str | None,
    scheduler_file: Path | None,
    results: Path,
    isolation: Isolation | None,
    after: float | None,
    at: str | None,
    games: int | None,
    strict: bool,
    dry_run: bool,
    watch: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Play the league that CONFIG describes, or what is missing of it, and write its standings.

    Without CONFIG it is configs/quick.yaml, which `league init` writes.

    Run it again after Ctrl-C, a crash, a new bot or more deals: it plays exactly what is missing.
    With --for, --until or --games it ends in time, standings included; they replace what CONFIG says about `stop`.

    --scheduler and --scheduler-file need no --executor dask. That alone plays on the cluster that Dask's configuration
    names, or starts one on this machine. docs/scale.md describes both.
    """
    from league.api import run as api
    from league.play.run import LeagueRun, default_workers
    from league.tools.interrupts import Interrupts

    spec = _executor(ctx, executor, scheduler, scheduler_file, workers)
    league = LeagueRun.of(config, results, isolation)
    voice = Voice(league.folder, quiet=quiet, verbose=verbose)
    if league.roster.twice:
        twice = first_few([shown_path(path) for path in league.roster.twice], SHOWN_FILES)
        voice.say(f"named more than once in {shown_path(config)}, but playing once: {twice}.")
    for broken in league.leave_out_broken(strict=strict):
        voice.say(f"left out: {broken}")
    if bystanders := league.bystanders():
        names = listed([bot.name for bot in bystanders])
        voice.say(f"not in this league, since they play none of its games at its tables: {names}.")
    for same in league.roster.copies():
        voice.say(f"the same content under {len(same)} names: {listed([bot.name for bot in same])}.")
    count = workers or default_workers()
    stop = Stop(after, at, games) if after or at or games else None
    if dry_run:
        _show_dry_run(league, count, stop)
        return
    try:
        played = api.run(
            league,
            workers=count,
            executor=spec,
            spectator=voice,
            stopping=Interrupts(voice.stopping),
            watch_seconds=WATCH_SECONDS if watch else None,
            stop=stop,
        )
    finally:
        voice.close()
    _conclude(ctx, played, voice)


def _executor(
    ctx: click.Context, executor: str, scheduler: str | None, scheduler_file: Path | None, workers: int | None
) -> ExecutorSpec:
    """What plays, as it was named."""
    if not scheduler and not scheduler_file:
        return EXECUTORS[executor]
    if scheduler and scheduler_file:
        raise click.UsageError("Give --scheduler or --scheduler-file, not both.")
    option = "--scheduler" if scheduler else "--scheduler-file"
    if not EXECUTORS[executor].has_address and ctx.get_parameter_source("executor") is ParameterSource.COMMANDLINE:
        raise click.UsageError(f"{option} needs --executor dask.")
    if workers is not None:
        raise click.UsageError(f"--workers is for this machine; with {option}, all workers of the cluster play.")
    return DaskSpec(scheduler or scheduler_file or "")


class Voice:
    """Prints on stderr how a run goes on: one bar on a terminal, a line now and then elsewhere, nothing if quiet."""

    def __init__(self, folder: Path, *, quiet: bool, verbose: bool) -> None:
        self._folder = folder
        self._quiet = quiet
        self._verbose = verbose
        self._bar: GamesBar | None = None
        self._news = monotonic()
        self._games = 0
        self._total: int | None = 0
        """None: results decide how many games there are."""
        self._speed = Speed()
        self.is_first_run = False

    def say(self, line: str) -> None:
        """A line for the user, above the bar."""
        if not self._quiet:
            self._write(folded(f"league: {line}", columns(err=True)))

    def planned(self, preview: Preview) -> None:
        """Before the first block."""
        self.is_first_run = not preview.games_before
        self._total = preview.all_games
        self._news = monotonic()
        self._speed = Speed(self._total, preview.blocks)
        if preview.games_before:
            self.say(f"{counted(preview.games_before, 'game')} played before.")
        if self._total is None:
            self.say("playing round by round: results decide who plays the next one, and when it ends.")
        elif not self._total:
            self.say("nothing is missing.")
            return
        else:
            lineups = sum(fixture.lineup_count for fixture in preview.plan.fixtures)
            self.say(f"{counted(self._total, 'game')} to play; {counted(lineups, 'lineup')} in all.")
        if not self._quiet:
            look = None if self._total is None else BAR
            self._bar = GamesBar(self._total, smoothing=0.1, bar_format=look)

    def replanned(self, preview: Preview) -> None:
        """When bots were left out on the way."""
        self._total = None if preview.all_games is None else self._games + preview.all_games
        self._speed.expect(preview.all_games, preview.blocks)
        if self._bar is not None:
            self._bar.expect(self._total)

    def played(self, result: BlockResult) -> None:
        """After each block."""
        self._games += result.block.games
        self._speed.played(result.block.games)
        if self._bar is not None and self._bar.drawn:
            self._bar.note(self._pace())
            self._bar.played(result.block.games)
        elif monotonic() - self._news > NEWS_SECONDS:
            self._news = monotonic()
            self.say(self._progress())
        if self._verbose:
            for fault in result.faults:
                self.say(safe(f"{fault.bot}: {fault.kind} in {fault.address}: {fault.cause}"))

    def watched(self, standings: Standings) -> None:
        """With --watch, now and then."""
        from league.results.report import leaders

        table = leaders(standings, self._folder, columns(err=True))
        self._write(f"\nleague: the leaders after {self._progress()}:\n{table}")

    def ended(self, summary: Summary) -> None:
        """After the last block, before the standings are written."""
        self.close()
        for block, reason in summary.abandoned:
            names = ", ".join(entrant.name for entrant in block.series.lineup)
            tell(f"league: not played: {block.series.contest.key} with {names}: {reason}.", err=True)
        if summary.interrupted:
            left = "" if summary.progress.open else f" {counted(summary.games_left, 'game')} to go:"
            tell(f"league: interrupted {summary.progress};{left} run the same command again to go on.", err=True)
            self.say("writing the standings so far (Ctrl-C again to go without them).")
        elif summary.out_of_budget:
            self.say(f"stopped as asked, {summary.progress}.")
            if ahead := summary.next_round:
                took = f", about {duration(ahead.seconds)}" if ahead.seconds else ""
                self.say(f"next: {counted(ahead.games, 'game')} to the end of round {ahead.number}{took}.")

    def explain(self, standings: Standings) -> None:
        """After the first run of a league: what the numbers mean, and what to do next."""
        from league.cli.first_run import first_run_lines

        if not self._quiet:
            self._write(folded("\n".join(first_run_lines(standings, self._folder)), columns(err=True)))

    def notice(self, line: str) -> None:
        """When something happens that the user should know of."""
        self.say(line)

    def stopping(self) -> None:
        """At the first Ctrl-C."""
        self.say("stopping: finishing what is under way (Ctrl-C again to stop at once).")

    def close(self) -> None:
        """Leave the bar as it is."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _progress(self) -> str:
        total = "" if self._total is None else f" of {self._total:,}"
        return f"{self._games:,}{total} games, {self._pace()}"

    def _pace(self) -> str:
        """Games per second, and the time left as soon as it is known."""
        left = self._speed.seconds_left()
        rate = f"{self._speed.games_a_second():,.0f} games/s"
        return rate if left is None else f"{rate}, {duration(left)} left"

    def _write(self, text: str) -> None:
        if self._bar is None:
            click.echo(text, err=True)
        else:
            self._bar.say(text)


def _show_dry_run(league: LeagueRun, workers: int, stop: Stop | None) -> None:
    from league.analysis.forecast import forecast
    from league.tools.text import table

    preview = league.preview()
    to_play = preview.to_play()
    if preview.games or preview.plan.open:
        click.echo("league: playing a few games of bots that are new, to know how long they take …", err=True)
    expected = forecast(league, preview, workers)
    rows = []
    for fixture, games, seconds in zip(preview.plan.fixtures, to_play, expected.contests, strict=True):
        took = duration(seconds) if games else "-"
        rows.append((fixture.contest.key, f"{fixture.lineup_count:,}", f"{fixture.games:,}", f"{games:,}", took))
    numbers = ("lineups", "games", "to play", "expected")
    click.echo(table(("contest", *numbers), rows, right=numbers))
    if expected.rounds:
        numbers = ("round", "games", "done after", "95 % interval")
        steps = [
            (str(one.number), f"{one.games:,}", duration(one.seconds), f"± {one.half_width:.2f}")
            for one in expected.rounds[: FORESEEN if expected.open else None]
        ]
        click.echo(f"\n{table(numbers, steps, right=numbers)}\n")
    total = duration(sum(expected.contests))
    before = f", {counted(preview.games_before, 'game')} played before" if preview.games_before else ""
    known = " of the rounds that are chosen" if expected.open else ""
    took = f"about {total} with {counted(workers, 'worker')}"
    click.echo(f"{counted(preview.games, 'game')} to play{known}{before}; {took}.")
    if expected.open:
        click.echo("The results decide who plays the rounds after them, and how many there are.")
    if bought := expected.within(league.config.stop if stop is None else stop):
        click.echo(bought)


def _conclude(ctx: click.Context, played: Played, voice: Voice) -> None:
    summary = played.summary
    folder = shown_path(summary.folder)
    if played.findings:
        voice.say(f"not all bots are deterministic: see `league audit {folder}`.")
    if played.standings is not None:
        from league.results.history import change_lines
        from league.results.report import leaders

        if not summary.interrupted:
            click.echo(leaders(played.standings, summary.folder, columns()))
        for line in change_lines(played.changes) if played.changes else ():
            voice.say(line)
        page, csv, *others = [shown_path(path) for path in played.files]
        voice.say(f"the standings are in {page} and {csv}, with {len(others)} more files beside them.")
    if summary.interrupted:
        ctx.exit(130)
    if summary.games:
        rate = summary.games / max(summary.seconds, 1e-9)
        voice.say(f"{counted(summary.games, 'game')} in {duration(summary.seconds)} ({rate:,.0f} games/s).")
    if summary.faults:
        voice.say(f"{counted(summary.faults, 'fault')}: see `league faults {folder}`.")
    if played.standings is not None and voice.is_first_run and summary.games:
        voice.explain(played.standings)
    if summary.abandoned:
        ctx.exit(1)
