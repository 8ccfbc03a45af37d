"""`league login`: keep the personal link of an arena."""

from __future__ import annotations

import click

from league.cli.output import tell
from league.tools.text import shown_path


@click.command("login")
@click.argument("link", metavar="LINK")
def command(link: str) -> None:
    """Sign in at an arena with your personal LINK, once. It is kept in a file that only you can read.

    \b
      league login 'https://arena.example.org/enter#CODE'
      league submit amy.py --to https://arena.example.org
    """
    from league.arena.client import Connection, split_link
    from league.errors import ArenaError

    url, code = split_link(link)
    if not code:
        hint = "A shell may have cut it off at the #: put the link into quotes."
        raise ArenaError(f"Expected a link with a code behind #, found none. {hint}")
    connection = Connection(url, code)
    status = connection.status()
    path = connection.remember()
    tell(f"You are {status['alias']} at {url}. The link is kept in {shown_path(path)}.")
