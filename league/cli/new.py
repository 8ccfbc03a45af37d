"""`league new`: a first bot to start from, with everything that its game lets it see."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from league import games
from league.cli import complete
from league.cli.options import to_option
from league.cli.output import tell
from league.errors import RosterError
from league.games.contract import Game
from league.games.guide import guide
from league.setup.bot_folder import MAIN_FILES
from league.tools.text import safe
from league.values.settings import NAME_RULE, SAFE_NAME

_FILE = "The file is the whole bot: its name is the bot's name."
_FOLDER = """The folder's name is the bot's name, and all that is in it belongs to the bot.

Other modules in it can be imported (import mylib), and files read: Path(__file__).parent / "weights.npz"."""
_TEMPLATE = '''\
"""{name}: a bot for {title}. {about}

Try it:     league check {path}{known}
Watch it:   league match {typed} {path} {others}
Enter it:   league submit {path}{known}
"""

{guide}

class Bot:
    """Any legal move, at random. Say here in one line what your bot does."""

    games = ("{game}",)  # without this line it would be asked to play every game

    def __init__(self, table):
        # A match begins: you have table.seat, table.players, table.options and table.game (the rules, for bots that
        # look ahead). Random numbers come from table.rng, so that the same game can be played again.
        self.rng = table.rng

    def choose(self, view):
        # Your turn: return one of view.legal. Everything you know is in the view, described above.
        return self.rng.choice(view.legal)

    def finish(self, outcome, view):
        # A game is over: outcome.ranks and outcome.scores by seat (rank 0 is best), and the final view. What
        # you keep in self lasts for the games of one match. Leave this method out if you do not need it.
        pass
'''


@click.command("new")
@click.argument("name")
@click.option(
    "--game",
    "game_name",
    required=True,
    metavar="GAME",
    shell_complete=complete.games,
    help="What it plays: a name (see `league games`), or a file such as ./crown.py.",
)
@to_option
@click.option(
    "--folder", "as_folder", is_flag=True, help="Write a folder NAME with bot.py, for a bot of several files."
)
def command(name: str, game_name: str, folder: str, as_folder: bool) -> None:
    """Write a working bot to start from: NAME.py, which plays at random and explains what a bot can see.

    With --folder it is NAME/bot.py, in a folder to which helper modules and data can be added.
    """
    name = name.removesuffix(".py")
    if not SAFE_NAME.fullmatch(name):
        raise RosterError(f"Expected a bot's name of {NAME_RULE}, found {name!r}.")
    path = Path(folder) / (name if as_folder else f"{name}.py")
    if path.name in MAIN_FILES:
        raise RosterError(f"Expected another name: a file {path.name} makes a bot of the folder that it is in.")
    game = games.make(game_name)
    try:
        if as_folder:
            path.mkdir()
        with (path / "bot.py" if as_folder else path).open("x", encoding="utf-8") as file:
            file.write(bot_file(name, game, path, game_name, _FOLDER if as_folder else _FILE))
    except FileExistsError:
        raise RosterError(f"{safe(str(path))} exists already. Choose another name, or remove it first.") from None
    except OSError as problem:
        raise RosterError(f"{safe(str(path))} cannot be written: {problem.strerror}.") from None
    how = f"league check {safe(str(path))}{_known(game, game_name)}"
    tell(f"Wrote {safe(str(path))}. It plays already; make it better, then: {how}")


def _known(game: Game, typed: str) -> str:
    """The option by which a command that reads a bot gets a game that is a file."""
    return f" --game {shlex.quote(typed)}" if game.file else ""


def bot_file(name: str, game: Game, path: Path, typed: str, about: str = _FILE) -> str:
    """The text of a bot that plays a game at random, with a guide to what it sees; `typed` is what a user calls it."""
    explained = "\n".join(f"# {line}".rstrip() for line in guide(game))
    others = " ".join(["random"] * (game.players - 1))
    return _TEMPLATE.format(
        name=name,
        title=game.title,
        about=about,
        game=game.name,
        known=_known(game, typed),
        typed=shlex.quote(typed),  # names of other projects' games have brackets
        path=path,
        others=others,
        guide=explained + "\n",
    )
