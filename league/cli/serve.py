"""`league serve`: a league on this machine, live."""

from __future__ import annotations

from pathlib import Path

import click

from league.cli.options import league_argument, sandbox_option, whole
from league.tools.text import shown_path
from league.values.settings import Isolation


@click.command("serve")
@league_argument
@click.option("--port", type=whole(0, 65535), default=8642, help="0: any free port.")
@sandbox_option
def command(folder: Path, port: int, isolation: Isolation) -> None:
    """Show the standings page of the league in DIR on this machine, live while it is being played.

    If DIR holds several leagues, such as results/, all of them are shown. Any game can be watched with a click.
    You can play against its bots too. Nothing is written, and only this machine can reach it. Ctrl-C stops it.
    """
    from league.page.server import PageServer

    server = PageServer(folder, port, isolation)
    click.echo(f"{shown_path(folder)} is at http://localhost:{server.port}/ (Ctrl-C stops the server).")
    try:
        server.run()
    finally:
        click.echo("\nleague: the server has stopped.", err=True)
