"""`league replay`: see a game of a league again."""

from __future__ import annotations

import os
from pathlib import Path

import click

from league.cli.match import tell_fault
from league.cli.tell import tell
from league.errors import LeagueError, ReplayError
from league.tools.text import shown_path

DIFFERS = (
    "This is not the game that was counted: a bot at this table does not always play alike."
    " `league audit` finds out which."
)


@click.command("replay")
@click.argument("source", metavar="DIR|FILE", type=click.Path(path_type=Path))
@click.argument("address", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the replay as JSON.")
@click.option("--html", "as_html", is_flag=True, help="Write a page to step through, beside the standings.")
@click.option("--game", metavar="G", help="The file of the game, such as ./crown.py, for a replay in FILE.")
def command(source: Path, address: str | None, as_json: bool, as_html: bool, game: str | None) -> None:
    """See a game again: the one at ADDRESS of the league in DIR, or the replay in FILE.

    Addresses are told by `league faults` and on the page: raj-2p:ann+bob:17.1 is deal 17 of ann against bob, at
    seat rotation 1. The game is played again from its seed, with the bots as they were.
    """
    from league import games
    from league.games import replay
    from league.page.viewer import page_name
    from league.play.rematch import Shown, parse_address
    from league.public.leagues import League
    from league.public.tables import PlayedGame

    if game is not None:
        games.find(game)
    if as_json and as_html:
        raise click.UsageError("--json and --html exclude each other.")
    if address is None:
        if os.path.isdir(source):
            raise click.UsageError("A league's folder wants an ADDRESS too, such as raj-2p:ann+bob:17.1.")
        try:
            read = replay.read(_read(source))
            replay.verify(read)
            played = PlayedGame(Shown(read))
        except ReplayError as problem:
            raise ReplayError(f"{shown_path(source)}: {problem}") from None
        page = source.with_suffix(".html")
    else:
        if os.path.isfile(source):
            raise click.UsageError("An ADDRESS goes with the folder of a league; a replay's FILE stands alone.")
        page = source / "games" / page_name(parse_address(address))
        played = League(source).replay(address)
    if as_json:
        click.echo(played.to_json(), nl=False)
    elif as_html:
        from league.tools.files import write_text

        page.parent.mkdir(exist_ok=True)
        write_text(page, played.to_html(back="../standings.html" if address else ""))
        tell(f"The game is in {shown_path(page)}: open it in a browser.")
    else:
        tell(str(played))
    for fault in played.faults:
        tell_fault(fault)
    if played.differs:
        tell(f"league: {DIFFERS}", err=True)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise LeagueError(f"{shown_path(path)} cannot be read: {problem.strerror}.") from None
