"""What an author at an arena does: sign in, hand in by `league submit`, and see how the bot does."""

from __future__ import annotations

from pathlib import Path
from time import sleep

import click

from league.cli.output import print_json, tell
from league.errors import ArenaError
from league.tools.text import safe, shown_path

WAIT_SECONDS = 1.0


@click.command("login", short_help="Sign in at an arena, for `submit --to URL`.")
@click.argument("link")
def login(link: str) -> None:
    """Sign in at an arena with your personal LINK, once. It is kept in a file that only you can read.

    \b
      league arena login 'https://arena.example.org/enter#CODE'
      league submit amy.py --to https://arena.example.org
    """
    from league.extensions.arena.client import Connection, split_link

    url, code = split_link(link)
    if not code:
        hint = "A shell may have cut it off at the #: put the link into quotes."
        raise ArenaError(f"Expected a link with a code behind #, found none. {hint}")
    connection = Connection(url, code)
    status = connection.status()
    path = connection.remember()
    tell(f"You are {safe(status.alias)} at {url}. The link is kept in {shown_path(path)}.")


def tell_own_status(url: str, as_json: bool) -> None:
    """Print how one's bot does at an arena: deadline, queue, verdict, place."""
    from league.extensions.arena.client import Connection

    state = Connection.to(url).status()
    if as_json:
        print_json(state)
    else:
        for line in str(state).splitlines():
            tell(safe(line))


def hand_in(ctx: click.Context, url: str, file: Path) -> None:
    """Hand a bot in at an arena, and wait for the verdict; exits with 1 if it has failed."""
    from league.extensions.arena.client import Connection

    connection = Connection.to(url)
    receipt = connection.hand_in(file)
    tell(f"{file.name} is version {receipt.number} of {receipt.bot}, received at {receipt.received}.")
    tell(f"Receipt: SHA-256 {receipt.hash}, signature {receipt.signature}.")
    last_told = ""
    while True:
        status = connection.status()
        version = next((version for version in status.versions if version.number == receipt.number), None)
        if version is None:
            raise ArenaError(f"The arena does not list version {receipt.number} any more. Ask the lecturer.")
        if version.state != "waiting":
            break
        waiting = str(status.queue or "It is being checked …")
        if waiting != last_told:
            last_told = waiting
            tell(waiting, err=True)
        sleep(WAIT_SECONDS)
    if version.state in ("late", "replaced"):
        tell(f"Version {receipt.number} is {version.state}.")
        return
    for line in version.lines:
        click.echo(safe(line))
    if version.state == "failed":
        tell("It has failed its check; the version before it plays on, if there is one.", err=True)
        ctx.exit(1)
    tell("It has passed, and plays from the next round on.")
