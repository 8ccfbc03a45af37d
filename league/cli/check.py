"""`league check`: what is wrong with a bot or with a game, before others find out."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import msgspec

from league import games
from league.cli.options import (
    FILE,
    PATH,
    config_for_trials,
    isolation_for_trials,
    json_option,
    results_option,
    tried_games,
    whole,
    workers_option,
)
from league.cli.output import prints_apart, tell
from league.commands import GAMES
from league.errors import IsolationError, LeagueError, RosterError
from league.games.contract import Game
from league.setup.roster import Bot, load, refuse_strangers, usual_contests
from league.tools import system
from league.tools.bar import games_bar
from league.tools.files import write_text
from league.tools.forked import in_order
from league.tools.text import counted, listed, safe, shown_path
from league.values.settings import FOLDER_MB, USUAL, Config, Contest, Isolation, Limits

if TYPE_CHECKING:
    from league.testing import Report


class TrialTerms(NamedTuple):
    """What bots are tried at, and under which conditions."""

    isolation: Isolation = USUAL
    limits: Limits = Limits()
    folder_mb: int = FOLDER_MB
    contests: tuple[Contest, ...] | None = None
    """None: all that the bot plays."""
    games: tuple[str, ...] = ()
    """Only these; none: all."""
    league: Config | None = None
    """The league that the bot is for, if it is known."""

    def contests_for(self, bot: Bot) -> tuple[Contest, ...]:
        """Those that a bot plays; raises `RosterError` if it does not play one of the games that are asked for."""
        for name in self.games:
            refuse_strangers(name, [bot])
        if self.contests is None:
            return usual_contests(bot, self.games)
        asked = [contest for contest in self.contests if not self.games or contest.game in self.games]
        return tuple(contest for contest in asked if bot.takes_part(contest))


@click.command("check")
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FILE...")
@config_for_trials
@tried_games
@click.option(
    "--playings",
    type=whole(1, 10_000),
    help="Of a game: how many are checked step by step for each number of players and choice of options.  [default: 2]",
)
@isolation_for_trials
@workers_option
@json_option("Print the whole verdict as JSON, for other programs.")
@click.option("--junit", type=FILE, help="Write the verdict as a JUnit report too, which CI services show.")
@results_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    files: tuple[Path, ...],
    playings: int | None,
    workers: int | None,
    as_json: bool,
    junit: Path | None,
    results: Path,
    **asked: Any,
) -> None:
    """Try each bot, a file or a folder, against random ones at everything it plays; or check the rules of a game.

    Prints every kind of fault with its cause, what the bot prints, and whether it is deterministic. With a config that
    has milestones, also how far the bot is from each, if the league has been played with it. The exit code is 0 without
    faults, 1 otherwise.

    \b
      league check amy.py
      league check handin/*.py --config configs/class.yaml
      league check amy.py --junit check.xml     for a CI service
      league check crown.py                     a game

    A file with a class of `league.Game` is a game, and so is the name of one. It is played at random, with all numbers
    of players and options: turns and legal moves, copies, views that hide what a seat cannot know, replays, ranks and
    texts. Then random bots play it as in a league. The first mistake is reported with its place and what to do.
    """
    if rules := [str(file) for file in files if is_game(file)]:
        if len(files) > 1 or asked["config"] or asked["names"] or junit or as_json:
            raise click.UsageError(f"'{safe(rules[0])}' is a game: it is checked alone, without options for bots.")
        check_rules(ctx, rules[0], playings or PLAYINGS, terms_of(None, asked["isolation"]).isolation)
        return
    if playings is not None:
        raise click.UsageError("--playings goes with a game.")
    terms = terms_of(**asked)
    with prints_apart(as_json):
        verdicts = _checked(files, terms, workers, results, quiet=as_json)
    passed = all(verdict["passed"] for verdict in verdicts)
    if junit:
        from league.analysis.bot_check import junit_report

        write_text(junit, junit_report(verdicts))
    if as_json:
        # The name of a file may be no valid text: msgspec refuses it, and as anything but an escape so do terminals.
        click.echo(json.dumps({"passed": passed, "bots": verdicts}, indent=2))
    if not passed:
        ctx.exit(1)


def verdicts_of(
    bots: Sequence[Bot], terms: TrialTerms, workers: int | None, *, quiet: bool = False
) -> list[dict[str, Any]]:
    """Play the trial games of bots, as many side by side as there are workers. Returns how they did, as data.

    Unless it is `quiet`, this is printed in the order of the bots.
    """
    system.tell_if_plain()  # processes beside this one do not
    verdicts = []
    with games_bar(len(bots), desc="checked", unit=" bots", leave=False) as bar:
        for lines, verdict in in_order(partial(_checked_bot, terms=terms), bots, workers or system.cores()):
            verdicts.append(verdict)
            bar.update()
            bar.clear()
            if not quiet:
                _say(lines)
    return verdicts


def _checked_bot(bot: Bot, terms: TrialTerms) -> tuple[list[str], dict[str, Any]]:
    from league.analysis.bot_check import check

    return check(bot, terms.contests_for(bot), terms.isolation, terms.limits)


def _say(lines: Iterable[str]) -> None:
    from league.analysis.bot_check import QUOTED

    for line in lines:
        if line.startswith(QUOTED):  # quoted text is left as it is; sentences fit the terminal
            click.echo(safe(line))
        else:
            tell(safe(line))


def terms_of(
    config: Path | None, isolation: Isolation | None, names: tuple[str, ...] = (), *, of_others: bool = False
) -> TrialTerms:
    """The terms of a league, or the usual ones without a config; only of the games of these names, if there are any.

    A user's own bots are tried as far confined as the system can. Bots `of_others` are tried only if they are confined
    as the config says, or if `isolation` asks for less.
    """
    from league.setup.config import load as load_config

    league = load_config(config) if config else None
    level = isolation or (league.isolation if league else Isolation.SANDBOX)
    if of_others and not level.runs_inside and system.PLAIN:
        raise IsolationError(system.NEEDS_LINUX)
    level = isolation or level.here
    if league is None:
        return TrialTerms(level, games=names)
    return TrialTerms(level, league.limits, league.folder_mb, league.contests(), names, league)


def load_for(file: Path, terms: TrialTerms, name: str = "") -> Bot:
    """The bot in a file or folder; raises `RosterError` if there is none that plays at these terms."""
    bot = load(file, folder_mb=terms.folder_mb, name=name)
    if not terms.contests_for(bot):
        asked = ", ".join(contest.key for contest in terms.contests or ())
        raise RosterError(f"{shown_path(bot.path)} plays none of this league's contests ({asked}).")
    return bot


def _checked(
    files: Sequence[Path], terms: TrialTerms, workers: int | None, results: Path, *, quiet: bool
) -> list[dict[str, Any]]:
    verdicts: list[dict[str, Any]] = []
    bots: dict[int, Bot] = {}
    for number, file in enumerate(files):
        verdicts.append({"file": str(file), "problem": None})
        try:
            bots[number] = load_for(file, terms)
        except RosterError as problem:
            verdicts[number].update(passed=False, problem=str(problem))
            if not quiet:
                tell(str(problem))
    for number, verdict in zip(bots, verdicts_of([*bots.values()], terms, workers, quiet=quiet), strict=True):
        verdicts[number].update(verdict)
        if terms.league and terms.league.milestones:
            verdicts[number]["milestones"] = _goals(terms.league, bots[number], results, quiet=quiet)
    return verdicts


def _goals(league: Config, bot: Bot, results: Path, *, quiet: bool) -> dict[str, Any]:
    """The milestones of a league, and how far a bot is from them; prints it unless `quiet`."""
    from league.results.milestones import goals_of

    goals = goals_of(league, bot, results)
    if not quiet:
        _say(goals.sentences(bot.name, league.name))
    data: dict[str, Any] = msgspec.to_builtins(goals)
    return data


PLAYINGS = 2
"""Playings of a game, for each number of players and choice of options."""


def is_game(file: Path) -> bool:
    """Whether a file has the rules of a game, or is none but the name of a game."""
    if not os.path.lexists(file):
        return str(file) in games.names() or str(file).partition(":")[0] in GAMES
    with suppress(OSError):
        if file.suffix == ".py" and file.is_file():
            source = file.read_bytes()
            return bool(re.search(rb"\bGame\b", source)) and not re.search(rb"^class Bot\b", source, re.MULTILINE)
    return False


def check_rules(ctx: click.Context, name: str, playings: int, isolation: Isolation) -> None:
    """Play a game at random and check each step, then let random bots play it."""
    from league.testing import ContractError, check_game

    rules = games.load(name)
    try:
        report = check_game(rules, playings=playings)
    except ContractError as problem:
        for line in str(problem).splitlines():
            tell(safe(line))
        ctx.exit(1)
    for line in _findings(rules, report):
        tell(safe(line))
    for players in rules.player_counts:
        _try_out(rules(players), isolation)
    sizes = listed([str(players) for players in rules.player_counts])
    tell(f"{rules.name} can be played: random bots did so at tables of {sizes}.")


def _findings(rules: type[Game], report: Report) -> list[str]:
    played = f"{counted(report.playings, 'playing')} in {counted(report.setups, 'setup')}"
    hidden = f"Hidden from some seat: {listed(sorted(report.hidden))}" if report.hidden else "Nothing is hidden"
    return [
        f"{rules.name} keeps the contract: {played}, {counted(report.decisions, 'decision')} checked.",
        f"{hidden}. redeal() must deal again all that a seat cannot know.",
    ]


def _try_out(game: Game, isolation: Isolation) -> None:
    """One game between random bots, which need the rules in processes of their own."""
    from league.analysis.bot_check import random_bots
    from league.analysis.rematch import play_once
    from league.values.settings import Limits

    for fault in play_once(game, random_bots(game.players), 0, isolation, Limits()).faults:
        raise LeagueError(f"{game.name} cannot be played by a bot ({fault.kind}): {fault.cause}")
