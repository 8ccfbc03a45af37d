"""`league audit`: find bots whose play depends on more than their own match."""

from __future__ import annotations

from pathlib import Path

import click

from league.cli.options import SEED
from league.cli.tell import tell
from league.tools.text import counted, listed, safe


@click.command("audit")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--seed", default=0, show_default=True, type=SEED, metavar="N", help="Another number looks at other games."
)
@click.pass_context
def command(ctx: click.Context, folder: Path, seed: int) -> None:
    """Play some games of the league in DIR again, each bot alone in a fresh process, and compare its moves.

    A bot must choose by what it sees in its own match. One that remembers other games, looks at the clock or throws
    dice of its own does not play alike, so its results cannot be had again. Exit code 1 if there is one.
    """
    from league.play.audit import advice, audit
    from league.results.store import Store

    with Store.open(folder) as store:
        result = audit(store, seed=seed)
        bots = {bot.name: bot for bot in store.bots()}
    for finding in result.findings:
        what = f"{finding.bot} {finding.reason} (seen in {finding.address})"
        tell(safe(f"{what}. {advice(finding.reason, bots[finding.bot])}"))
    matches = f"{result.matches:,} {'match' if result.matches == 1 else 'matches'}"
    tell(
        f"{counted(result.bots, 'bot')} looked at in {matches}: "
        + (f"{len(result.findings)} not to be relied on." if result.findings else "all play alike every time.")
    )
    if result.left:
        tell(safe(f"Not looked at, since at fault in every match that was tried: {listed(result.left)}."))
    if result.findings:
        ctx.exit(1)
