"""`league run`: play what is missing of a league, and write its standings."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, get_args

import click

from league.cli.options import results_option, workers_option
from league.cli.tell import tell
from league.tools.bar import GamesBar
from league.tools.text import columns, counted, first_few, folded, listed, safe, shown_path
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.api import Played
    from league.play.run import LeagueRun, Preview, Summary
    from league.results.standings import Standings
    from league.values.block import BlockResult

NEWS_SECONDS = 10
"""Between two lines of progress where there is no terminal to draw a bar on."""
WATCH_SECONDS = 15
"""Between two tables of leaders with --watch."""
SHOWN_FILES = 5
"""So many files are named in one line; of the others, how many they are."""


@click.command("run")
@click.argument("config", metavar="[CONFIG]", default="configs/quick.yaml", type=click.Path(path_type=Path))
@workers_option
@click.option(
    "--executor",
    type=click.Choice(["local", "dask"]),
    default="local",
    show_default=True,
    help="Who plays: processes of this machine, or a Dask cluster.",
)
@results_option
@click.option(
    "--isolation", type=click.Choice(get_args(Isolation)), help="How bots are held, instead of what CONFIG says."
)
@click.option("--strict", is_flag=True, help="Stop if a bot cannot be read or loaded, instead of going on without it.")
@click.option("--dry-run", is_flag=True, help="Tell lineups, games and expected time, and play nothing.")
@click.option("--watch", is_flag=True, help="Print the leaders as it goes.")
@click.option("--quiet", "-q", is_flag=True, help="No progress and no messages, only the standings.")
@click.option("--verbose", "-v", is_flag=True, help="Also tell about every fault as it happens.")
@click.pass_context
def command(
    ctx: click.Context,
    config: Path,
    workers: int | None,
    executor: str,
    results: Path,
    isolation: Isolation | None,
    strict: bool,
    dry_run: bool,
    watch: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Play the league that CONFIG describes, or what is missing of it, and write its standings.

    Without CONFIG it is configs/quick.yaml, which `league init` writes.

    Run it again after anything at all (Ctrl-C, a crash, a new bot, more deals): it plays exactly what is missing.
    """
    from league import api
    from league.play.run import LeagueRun, default_workers
    from league.tools.interrupts import Interrupts

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
    if dry_run:
        _tell_dry_run(league, count)
        return
    try:
        played = api.run(
            league,
            workers=count,
            executor=executor,
            spectator=voice,
            stopping=Interrupts(voice.stopping),
            watch_seconds=WATCH_SECONDS if watch else None,
        )
    finally:
        voice.close()
    _conclude(ctx, played, voice)


class Voice:
    """Tells on stderr how a run goes on: one bar on a terminal, a line now and then elsewhere, nothing if quiet."""

    def __init__(self, folder: Path, *, quiet: bool, verbose: bool) -> None:
        self._folder = folder
        self._quiet = quiet
        self._verbose = verbose
        self._bar: GamesBar | None = None
        self._started = self._news = monotonic()
        self._games = self._total = 0

    def say(self, line: str) -> None:
        """A line for the user, above the bar."""
        if not self._quiet:
            self._write(folded(f"league: {line}", columns(err=True)))

    def planned(self, preview: Preview) -> None:
        """Before the first block."""
        self._total = preview.games
        self._started = self._news = monotonic()
        if preview.blocks_before:
            self.say(f"{counted(preview.blocks_before, 'block')} taken from before.")
        if not preview.blocks:
            self.say("nothing is missing.")
            return
        lineups = sum(len(fixture.lineups) for fixture in preview.plan.fixtures)
        self.say(f"{counted(preview.games, 'game')} to play; {counted(lineups, 'lineup')} in all.")
        if not self._quiet:
            self._bar = GamesBar(preview.games, unit_scale=True, smoothing=0.1)

    def played(self, result: BlockResult) -> None:
        """After each block."""
        self._games += result.block.games
        if self._bar is not None and self._bar.drawn:
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
            left = counted(summary.games_left, "game")
            tell(f"league: interrupted with {left} to go; run the same command again to go on.", err=True)
            self.say("writing the standings so far (Ctrl-C again to go without them).")

    def stopping(self) -> None:
        """At the first Ctrl-C."""
        self.say("stopping: finishing what is under way (Ctrl-C again to stop at once).")

    def close(self) -> None:
        """Leave the bar as it is."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _progress(self) -> str:
        rate = self._games / max(monotonic() - self._started, 1e-9)
        left = (self._total - self._games) / max(rate, 1e-9)
        return f"{self._games:,} of {self._total:,} games, {rate:,.0f} games/s, {duration(left)} left"

    def _write(self, text: str) -> None:
        if self._bar is None:
            click.echo(text, err=True)
        else:
            self._bar.say(text)


def duration(seconds: float) -> str:
    """A span of time as people say it: '0.3 s', '42 s', '3 min', '5 h 20 min'."""
    if seconds < 10:
        return f"{round(seconds, 1):g} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if seconds >= 5400 else f"{hours * 60 + minutes} min"


def _tell_dry_run(league: LeagueRun, workers: int) -> None:
    from league.tools.text import table

    preview = league.preview()
    if preview.blocks:
        click.echo("league: playing a few games of each contest, to know how long they take …", err=True)
    seconds = league.expected_seconds(preview)
    rows = []
    for fixture in preview.plan.fixtures:
        key = fixture.event.contest.key
        to_play = sum(block.games for block in preview.blocks if block.series.contest.key == key)
        took = duration(seconds.get(key, 0.0) / workers) if to_play else "-"
        rows.append((key, f"{len(fixture.lineups):,}", f"{fixture.games:,}", f"{to_play:,}", took))
    numbers = ("lineups", "games", "to play", "expected")
    click.echo(table(("contest", *numbers), rows, right=numbers))
    total = duration(sum(seconds.values()) / workers)
    before = f", {counted(preview.blocks_before, 'block')} taken from before" if preview.blocks_before else ""
    click.echo(f"{counted(preview.games, 'game')} to play{before}; about {total} with {counted(workers, 'worker')}.")


def _conclude(ctx: click.Context, played: Played, voice: Voice) -> None:
    summary = played.summary
    folder = shown_path(summary.folder)
    if played.findings:
        voice.say(f"not all bots are deterministic: see `league audit {folder}`.")
    if played.standings is not None:
        from league.results.report import leaders

        if not summary.interrupted:
            click.echo(leaders(played.standings, summary.folder, columns()))
        page, csv, *others = [shown_path(path) for path in played.files]
        voice.say(f"the standings are in {page} and {csv}, with {len(others)} more files beside them.")
    if summary.interrupted:
        ctx.exit(130)
    if summary.games:
        rate = summary.games / max(summary.seconds, 1e-9)
        voice.say(f"{counted(summary.games, 'game')} in {duration(summary.seconds)} ({rate:,.0f} games/s).")
    if summary.faults:
        voice.say(f"{counted(summary.faults, 'fault')}: see `league faults {folder}`.")
    if summary.abandoned:
        ctx.exit(1)
