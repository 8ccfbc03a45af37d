"""`league games`: what can be played, and all that a bot of a game should know."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap

import click
import msgspec

from league import games
from league.cli import complete
from league.cli.output import tell
from league.games.contract import Game, plain
from league.games.guide import WIDTH, guide, members
from league.games.scenes import in_words
from league.tools.reading import describe
from league.tools.text import safe, shown_path


@click.command("games")
@click.argument("name", required=False, metavar="[GAME]", shell_complete=complete.games)
@click.option(
    "--to",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="With a league's folder as GAME: write its games that are files to DIR, without running them.",
)
def command(name: str | None, folder: Path | None) -> None:
    """List the games with their players and options; with GAME, print all that its bots should know.

    GAME is a name, or a file such as ./crown.py.
    """
    if folder is not None:
        _save(name, folder)
    elif name is None:
        tell("\n\n".join(summary(games.find(known)) for known in games.names()))
        tell("\n`league games GAME` describes one of them.")
    else:
        rules = games.load(name)
        tell("\n".join([summary(rules), "", *map(safe, guide(rules()))]))


def _save(league: str | None, folder: Path) -> None:
    """Write the files of the games that are stored with a league."""
    from league.results.recorded import write_kept_games
    from league.results.store import Store

    if league is None:
        raise click.UsageError("--to needs the folder of a league: league games results/NAME --to DIR")
    with Store.open(Path(league)) as store:
        written = write_kept_games(store, folder)
    for path in written:
        tell(f"Wrote {shown_path(path)}.")
    if not written:
        tell("This league plays no games that are files.")


def summary(rules: type[Game]) -> str:
    """Name, players and options of a game, each option with its meaning, values and default."""
    counts = rules.player_counts
    players = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    points = ", points count" if rules().counts == "points" else ""
    lines = [f"{rules.name}: {rules.title}, {players} players{points}"]
    usual = plain(rules.options_type())
    meanings = dict(members(rules.options_type)) if usual else {}
    for field in msgspec.structs.fields(rules.options_type):
        meaning = " ".join(meanings.get(field.name, "").split())
        choice = f"{describe(field.type)}; {in_words(usual[field.name])} if left out."
        lines += wrap(f"  {field.name}: {choice} {meaning}", WIDTH, subsequent_indent="      ")
    return "\n".join(lines)
