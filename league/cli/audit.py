"""`league audit`: find bots whose play depends on more than their own match."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from league.cli.options import SEED, league_argument, sandbox_option
from league.cli.output import tell
from league.tools.text import counted, listed, safe
from league.values.settings import Isolation


@click.command("audit")
@league_argument
@click.option("--seed", default=0, show_default=True, type=SEED, metavar="N", help="Another seed checks other games.")
@sandbox_option
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
@click.pass_context
def command(ctx: click.Context, folder: Path, seed: int, isolation: Isolation, *, as_json: bool) -> None:
    """Play some games of the league in DIR again, each bot alone in a fresh process, and compare its moves.

    A bot may use only what it sees in its own match. A bot that remembers other games, looks at the clock or draws
    other random numbers than those of `table.rng` is not deterministic, so its results are not reproducible. Of each
    such bot the game, the step and both of its moves are shown. The exit code is 1 if there is one.
    """
    from league.analysis.audit import advice, audit
    from league.results.store import Store

    with Store.open(folder) as store:
        result = audit(store, seed=seed, isolation=isolation)
        bots = {bot.name: bot for bot in store.bots()}
    if as_json:
        data = {**result._asdict(), "findings": [finding._asdict() for finding in result.findings]}
        click.echo(msgspec.json.format(msgspec.json.encode(data), indent=2))
        ctx.exit(1 if result.findings else 0)
    for finding in result.findings:
        what = f"{finding.bot} {finding.reason} (seen in {finding.place})"
        tell(safe(f"{what}. {advice(finding.reason, bots[finding.bot])}"))
    matches = f"{result.matches:,} {'match' if result.matches == 1 else 'matches'}"
    tell(
        f"{counted(result.bots, 'bot')} checked in {matches}: "
        + (f"{len(result.findings)} not deterministic." if result.findings else "all are deterministic.")
    )
    if result.left:
        tell(safe(f"Not checked, since at fault in every match that was tried: {listed(result.left)}."))
    if result.findings:
        ctx.exit(1)
