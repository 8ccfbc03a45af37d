"""Which of two bots is better: `compare` reads it from a league, `duel` plays until it is settled."""

from __future__ import annotations

import json
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
    scheduler_option,
    time_option,
    whole,
    workers_option,
)
from league.cli.output import print_json, tell
from league.tools.text import columns, counted, safe, shown_path

if TYPE_CHECKING:
    from league.api.duel import DuelResult
    from league.rating.sequential import Verdict


@click.command("compare")
@league_argument
@click.argument("a", shell_complete=complete.entrants)
@click.argument("b", shell_complete=complete.entrants)
@contest_option
@parts
@json_option()
def compare_command(folder: Path, a: str, b: str, *, as_json: bool, **asked: Any) -> None:
    """Compare the bots A and B in the league whose results are in DIR.

    Prints who is better by rating, or how many more games are needed, in the words of `league duel`. Below are their
    differences in each contest, and how they did against each other by game, table size and seat. The interval allows
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
    help="The smallest lead that matters; below it, they are called even.  [default: 0.04 in mean score, or 4 % of the"
    " luck of one game in points]",
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
@time_option
@workers_option
@scheduler_option
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

    def say(sentence: str) -> None:
        if not quiet:
            tell(f"league: {sentence}", err=True)

    outcome = duel(
        a,
        b,
        others=others or None,
        results=results,
        progress=False if quiet else None,
        stopping=Interrupts(lambda: say("stopping; run the same command to continue.")),
        **asked,  # options that `league.duel` has by the same names
    )
    code = exit_code(outcome.verdict, require)
    if as_json:
        click.echo(json.dumps(as_data(outcome, require, code), ensure_ascii=False))
    else:
        go_on = "" if outcome.verdict else " Run the same command to continue, with more --deals if they ran out."
        tell(f"{outcome}{go_on}")
    for sentence in outcome.faults:
        tell(f"! {safe(sentence)}", err=as_json)
    if outcome.seated:
        say(f"{outcome.seated} Choose others with --with.")
    if outcome.others and not outcome.met:
        say("They never met: each played the same opponents on the same deals. --together seats both at one table.")
    played = f"{counted(outcome.played, 'game')} played now, {outcome.counted:,} in the verdict"
    say(f"{played}; results: {shown_path(outcome.folder or results)}")
    ctx.exit(130 if outcome.interrupted else code)


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
