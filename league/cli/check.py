"""`league check`: what is wrong with a bot, before others find out."""

from __future__ import annotations

import json
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import click

from league.cli import complete
from league.cli.options import LEVELS, isolation_or, tried_games
from league.cli.output import prints_apart, tell
from league.errors import RosterError
from league.setup.roster import Bot, load, refuse_strangers, usual_contests
from league.tools.bar import GamesBar
from league.tools.text import safe, shown_path
from league.values.settings import FOLDER_MB, Contest, Isolation, Limits


class TrialTerms(NamedTuple):
    """What bots are tried at, and under which conditions."""

    isolation: Isolation = Isolation.SANDBOX
    limits: Limits = Limits()
    folder_mb: int = FOLDER_MB
    contests: tuple[Contest, ...] | None = None
    """None: all that the bot plays."""
    games: tuple[str, ...] = ()
    """Only these; none: all."""

    def contests_for(self, bot: Bot) -> tuple[Contest, ...]:
        """Those that a bot plays; raises `RosterError` if it does not play one of the games that are asked for."""
        for name in self.games:
            refuse_strangers(name, [bot])
        if self.contests is None:
            return usual_contests(bot, self.games)
        asked = [contest for contest in self.contests if not self.games or contest.game in self.games]
        return tuple(contest for contest in asked if bot.takes_part(contest))


@click.command("check")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="CONFIG",
    shell_complete=complete.configs,
    help="Try it at the contests of this league, under its limits, instead of at everything that it plays.",
)
@tried_games
@isolation_or(f"{LEVELS}  [default: sandbox, or CONFIG's]")
@click.option("--json", "as_json", is_flag=True, help="Print the whole verdict as JSON, for other programs.")
@click.pass_context
def command(
    ctx: click.Context,
    files: tuple[Path, ...],
    config: Path | None,
    names: tuple[str, ...],
    isolation: Isolation | None,
    as_json: bool,
) -> None:
    """Read each bot, a file or a folder, then try it in some games against random bots at everything it plays.

    Prints every kind of fault with its cause, what the bot prints, and whether it is deterministic. The exit code is
    0 without faults, 1 otherwise.
    """
    terms = _terms(config, isolation)._replace(games=names)
    with prints_apart() if as_json else nullcontext():
        verdicts = [_checked(file, terms, quiet=as_json) for file in files]
    passed = all(verdict["passed"] for verdict in verdicts)
    if as_json:
        click.echo(json.dumps({"passed": passed, "bots": verdicts}, indent=2, ensure_ascii=False))
    if not passed:
        ctx.exit(1)


def verdict_of(bot: Bot, terms: TrialTerms, *, quiet: bool = False) -> dict[str, Any]:
    """Play a bot's trial games. Returns how it did, as data, and prints it unless `quiet`."""
    from league.analysis.bot_check import games_of_trials, trials  # playing needs much that reading a file does not
    from league.cli.verdict import QUOTED, about_all, about_trial, as_data

    def say(line: str) -> None:
        if quiet:
            return
        if line.startswith(QUOTED):  # quoted text is left as it is; sentences fit the terminal
            click.echo(safe(line))
        else:
            tell(safe(line))

    contests = terms.contests_for(bot)
    done = []
    with closing(GamesBar(games_of_trials(contests), desc=bot.name, leave=False)) as bar:
        for trial in trials(bot, contests, terms.isolation, terms.limits, bar.played):
            done.append(trial)
            bar.clear()
            for line in about_trial(bot, trial):
                say(line)
    for line in about_all(bot, done):
        say(line)
    return as_data(bot, done)


def _terms(config: Path | None, isolation: Isolation | None) -> TrialTerms:
    from league.setup.config import load as load_config

    if config is None:
        return TrialTerms(isolation or Isolation.SANDBOX)
    league = load_config(config)
    return TrialTerms(isolation or league.isolation, league.limits, league.folder_mb, league.contests())


def _checked(file: Path, terms: TrialTerms, *, quiet: bool) -> dict[str, Any]:
    try:
        bot = load(file, folder_mb=terms.folder_mb)
        if not terms.contests_for(bot):
            asked = ", ".join(contest.key for contest in terms.contests or ())
            raise RosterError(f"{shown_path(bot.path)} plays none of this league's contests ({asked}).")
    except RosterError as problem:
        if not quiet:
            tell(str(problem))
        return {"file": str(file), "passed": False, "problem": str(problem)}
    return {"file": str(file), "problem": None, **verdict_of(bot, terms, quiet=quiet)}
