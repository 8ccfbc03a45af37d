"""`league replay`: see a game of a league again."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path

import click

from league.cli.match import tell_fault
from league.cli.options import isolation_option
from league.cli.tell import prints_apart, tell
from league.errors import ReplayError
from league.tools.files import read_bytes
from league.tools.text import shown_path
from league.values.settings import Isolation

DIFFERS = (
    "This is not the game that was counted: a bot at this table is not deterministic. `league audit` finds out which."
)
MAX_BYTES = 10_000_000
"""Of a replay's file."""


@click.command("replay")
@click.argument("source", metavar="DIR|FILE", type=click.Path(path_type=Path))
@click.argument("address", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the replay as JSON.")
@click.option("--html", "as_html", is_flag=True, help="Write a page to step through, beside the standings.")
@isolation_option
def command(source: Path, address: str | None, as_json: bool, as_html: bool, isolation: Isolation) -> None:
    """See a game again: the one at ADDRESS of the league in DIR, or the replay in FILE.

    `league faults` and the page show addresses: raj-2p:ann+bob:17.1 is deal 17 of ann against bob, at seat
    rotation 1. The game is played again from its seed, with the bots as they were.
    """
    from league.games import replay
    from league.page.viewer import page_name, render
    from league.play.rematch import Shown, parse_address, play_again
    from league.results.store import Store

    if as_json and as_html:
        raise click.UsageError("--json and --html exclude each other.")
    if address is None:
        if os.path.isdir(source):
            raise click.UsageError("A league's folder wants an ADDRESS too, such as raj-2p:ann+bob:17.1.")
        try:
            read = replay.read(read_bytes(source, MAX_BYTES))
            replay.verify(read)
            shown = Shown(read)
        except ReplayError as problem:
            raise ReplayError(f"{shown_path(source)}: {problem}") from None
        page = source.with_suffix(".html")
    else:
        if os.path.isfile(source):
            raise click.UsageError("An ADDRESS goes with the folder of a league; a replay's FILE stands alone.")
        game = parse_address(address)
        with Store.open(source) as store, prints_apart() if as_json else nullcontext():
            shown = play_again(store, game, isolation)
        page = source / "games" / page_name(game)
    if as_json:
        click.echo(replay.write(shown.replay), nl=False)
    elif as_html:
        from league.tools.files import write_text

        page.parent.mkdir(exist_ok=True)
        write_text(page, render(shown, address=address or "", back="../standings.html" if address else ""))
        tell(f"The game is in {shown_path(page)}: open it in a browser.")
    else:
        tell(replay.text(shown.replay).rstrip("\n"))
    for fault in shown.faults:
        tell_fault(fault)
    if shown.differs:
        tell(f"league: {DIFFERS}", err=True)
