"""Which of two bots is better: `compare` reads it from a league, `duel` plays until it is settled."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from league.cli import complete
from league.cli.options import (
    SEED,
    bots_option,
    contest_option,
    game_options,
    isolation_option,
    json_option,
    league_argument,
    number,
    parts,
    players_option,
    results_option,
    whole,
    workers_option,
)
from league.cli.output import print_json, tell
from league.tools.text import columns, counted, safe, shown_path

if TYPE_CHECKING:
    from league.api.duel import DuelResult
    from league.rating.sequential import SequentialTest, Verdict


@click.command("compare")
@league_argument
@click.argument("a", shell_complete=complete.entrants)
@click.argument("b", shell_complete=complete.entrants)
@contest_option
@parts
@json_option()
def compare_command(folder: Path, a: str, b: str, *, as_json: bool, **asked: Any) -> None:
    """Compare the bots A and B in the league whose results are in DIR.

    Prints who is better, or how many more games would tell, in the words and in the unit of `league duel`. Below are
    their difference in rating, and how they did against each other by game, table size and seat. The interval allows
    for all other comparisons in the league, so it says the same as the places do.

    \b
      league compare results/quick raj_nearest random --game raj-3p
    """
    from league.api.leagues import League
    from league.results.compare import describe

    comparison = League(folder).compare(a, b, **asked)
    if as_json:
        print_json(comparison)
    else:
        click.echo(describe(comparison, columns()))


Requirement = Literal["better", "not-worse"]
OPEN = 3
"""The exit code if it is open whether a requirement holds."""
GO_ON = "Run the same command to continue, with more --deals if they ran out."
RATE = number(0.0001, 0.5)


@click.command("duel")
@click.argument("a", shell_complete=complete.bots)
@click.argument("b", shell_complete=complete.bots)
@click.option("--game", required=True, metavar="G", shell_complete=complete.games, help="What they play.")
@players_option
@click.option(
    "--with",
    "others",
    multiple=True,
    metavar="BOT",
    shell_complete=complete.bots,
    help="Another bot at a larger table; repeatable.  [default: the best quick bots of leagues in --results]",
)
@click.option("--together", is_flag=True, help="At a larger table, seat both A and B, instead of one after the other.")
@game_options
@click.option("--alpha", default=0.05, type=RATE, help="Probability of calling equals unequal.")
@click.option("--beta", default=0.05, type=RATE, help="Probability of missing a difference.")
@click.option(
    "--smallest",
    type=number(0.001, 100_000),
    help="The smallest lead that matters; below it, they are called even.  [default: 0.04 in mean score, and in points"
    " as small beside the luck of one game]",
)
@click.option(
    "--count",
    type=click.Choice(["games", "points"]),
    help="What counts: the places of games, or the game's own points.  [default: as the game says]",
)
@click.option("--deals", default=100_000, type=whole(1, 10**9), help="Give up after N deals.")
@click.option(
    "--seed", type=SEED, help="Makes the deals reproducible.  [default: drawn at random, and kept with the results]"
)
@workers_option
@results_option
@bots_option
@isolation_option
@click.option("--quiet", "-q", is_flag=True, help="No progress, only the verdict.")
@click.option(
    "--require",
    type=click.Choice(["better", "not-worse"]),
    help="For CI: the exit code is 0 if A is better than B, or at least even, 1 if it is not, 3 if that is open.",
)
@json_option("Print the verdict as one line of JSON.")
@click.pass_context
def duel_command(
    ctx: click.Context,
    /,
    a: str,
    b: str,
    *,
    others: tuple[str, ...],
    results: Path,
    quiet: bool,
    require: Requirement | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Play the bots A and B against each other until it is settled which one is better, or that it hardly matters.

    What counts is the mean score: 1 for the first place, 0 for the last, evenly spaced between; or the mean number of
    points, at games such as poker. Every deal is played in every seat rotation. The test is sequential: it may settle
    the question after any deal. Interrupt it at any time; run the same command to continue.

    At tables of three and more, A and B take turns with the same opponents on the same deals and never meet, so the
    question is which of them does better against these. With --together both sit at one table.

    \b
      league duel raj_nearest random --game raj
      league duel tale_envy tale_habits --game magillat --with random --with random
      league duel new/bot.py old/bot.py --game raj --require not-worse --smallest 0.02 --json
    """
    from league.api.studies import duel
    from league.cli.exits import Interrupts

    line = LiveLine(Path(a).stem, Path(b).stem, quiet=quiet)
    outcome = duel(
        a,
        b,
        others=others or None,
        results=results,
        on_seated=lambda reason: line.say(f"{reason} Choose others with --with."),
        on_round=line.update,
        stopping=Interrupts(line.stopping),
        **asked,  # options that `league.duel` has by the same names
    )
    line.end()
    code = exit_code(outcome.verdict, require)
    if as_json:
        click.echo(json.dumps(as_data(outcome, require, code), ensure_ascii=False))
    else:
        tell(str(outcome) if outcome.verdict else f"{outcome} {GO_ON}")
    for sentence in outcome.faults:
        tell(f"! {safe(sentence)}", err=as_json)
    if outcome.others and not outcome.met:
        line.say("They never met: each met the same opponents on the same deals. --together seats both at one table.")
    line.say(
        f"{counted(outcome.played, 'game')} played now, {outcome.counted:,} in the verdict; "
        f"results: {shown_path(outcome.folder or results)}"
    )
    if outcome.interrupted:
        ctx.exit(130)
    ctx.exit(code)


def exit_code(verdict: Verdict | None, require: Requirement | None) -> int:
    """0 if what is required holds, 1 if not, `OPEN` if it is not settled yet; 0 where nothing is required."""
    if require is None:
        return 0
    if verdict is None:
        return OPEN
    return 0 if verdict == "a" or (verdict == "even" and require == "not-worse") else 1


def as_data(outcome: DuelResult, require: Requirement | None, code: int) -> dict[str, object]:
    """The verdict for programs."""
    lead, low, high = outcome.lead
    return {
        "a": outcome.a,
        "b": outcome.b,
        "verdict": {"a": "better", "b": "worse", "even": "even", None: "open"}[outcome.verdict],
        "counts": outcome.counts,
        "lead": lead,
        "low": low,
        "high": high,
        "deals": outcome.test.deals,
        "games": outcome.counted,
        "faults": outcome.faults,
        "require": require,
        "passed": code == 0 if require else None,
        "text": str(outcome),
    }


class LiveLine:
    """Prints the state of a duel on stderr: one overwritten line on a terminal, a line now and then elsewhere."""

    def __init__(self, a: str, b: str, *, quiet: bool) -> None:
        self._names = f"{safe(a)} minus {safe(b)}"
        self._quiet = quiet
        self._live = sys.stderr.isatty()
        self._next = 1

    def update(self, test: SequentialTest) -> None:
        """After each round."""
        if self._quiet or not (self._live or test.deals >= self._next):
            return
        from league.api.duel import lead_text

        self._next = test.deals * 2
        line = f"{counted(test.deals, 'deal')}: {self._names} {lead_text(test)}"
        click.echo(f"\r\x1b[K{line}" if self._live else line, err=True, nl=not self._live)

    def say(self, sentence: str) -> None:
        """A sentence for the user."""
        if not self._quiet:
            tell(f"league: {sentence}", err=True)

    def stopping(self) -> None:
        """The user wants to stop."""
        self.end()
        self.say("stopping; run the same command to continue.")

    def end(self) -> None:
        """Leave the line as it is."""
        if self._live and not self._quiet:
            click.echo(err=True)
