"""`league new`: a bot or a game to start from, complete and commented."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from league import games
from league.cli import complete
from league.cli.options import PATH
from league.cli.output import tell
from league.commands import KIT_FILES, KITS, is_here, load
from league.errors import LeagueError, RosterError
from league.games.contract import Game
from league.games.files import NAME as GAME_NAME
from league.games.files import NAME_RULE as GAME_NAME_RULE
from league.games.guide import guide
from league.setup.bot_folder import MAIN_FILES
from league.setup.bot_source import MAX_BYTES
from league.tools.files import read_bytes, shipped
from league.tools.text import safe
from league.values.settings import NAME_RULE, SAFE_NAME

_KITS = load(KITS) if is_here(KITS) else {}
_TEMPLATE = '''\
"""{name}: a bot for {title}. The file is the whole bot: its name is the bot's name.

Try it:     league check {path}{known}
Watch it:   league match {typed} {path} {others}
{enter}
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
    metavar="GAME",
    shell_complete=complete.games,
    help="What it plays: a name (see `league games`), or a file such as ./crown.py.",
)
@click.option("--rules", is_flag=True, help="Write a game instead: NAME.py, three tricks with three cards.")
@click.option("--to", "folder", default=".", metavar="DIR", shell_complete=complete.folders, help="Where to write it.")
@click.option(
    "--language",
    type=click.Choice(["python", *_KITS]),
    default="python",
    help="The language of the bot. Others than Python get a folder NAME with a kit that does the protocol.",
)
@click.option(
    "--from",
    "sources",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="With --language: put this file into the folder instead of a new one. The first has the class that plays.",
)
def command(
    name: str, *, game_name: str | None, rules: bool, folder: str, language: str, sources: tuple[Path, ...]
) -> None:
    """Write a bot to start from: NAME.py, which plays at random and explains what a bot can see. Or write a game.

    With --language it is a folder NAME with a kit, and one file to fill in.

    \b
      league new amy --game raj
      league new amy --game raj --language java
      league new amy --game raj --language java --from Geier.java     a class for Hol's der Geier plays as it is
      league new crown --rules

    A path names your game wherever a game is asked for: `league match ./crown.py random random`, `game: ./crown.py`.
    """
    in_python = language == "python"
    if sources and in_python:
        raise click.UsageError("--from needs --language: a Python file is a bot by itself.")
    name = name.removesuffix(".py")
    if rules:
        if game_name or not in_python:
            raise click.UsageError("--rules writes a game, which is one file of Python: it excludes options of bots.")
        _new_game(name, folder)
        return
    if game_name is None:
        raise click.UsageError("Say what the bot plays: --game raj (`league games` lists the games).")
    if not SAFE_NAME.fullmatch(name):
        raise RosterError(f"Expected a bot's name of {NAME_RULE}, found {name!r}.")
    path = Path(folder) / (f"{name}.py" if in_python else name)
    if path.name in MAIN_FILES:
        raise RosterError(f"Expected another name: a file {path.name} makes a bot of the folder that it is in.")
    game = games.make(game_name)
    if in_python:
        _write(path, {"": bot_file(name, game, path, game_name)}, RosterError)
    else:
        _write(path, load(KIT_FILES)(language, name, game, _own_files(sources, language)), RosterError)
    how = f"league check {safe(str(path))}{_known(game, game_name)}"
    tell(f"Wrote {safe(str(path))}. It plays already; make it better, then: {how}")


def bot_file(name: str, game: Game, path: Path, typed: str) -> str:
    """The text of a bot that plays a game at random, with a guide to what it sees; `typed` is what a user calls it."""
    known = _known(game, typed)
    entered = os.path.abspath(path.parent) == os.path.abspath("bots")
    return _TEMPLATE.format(
        name=name,
        title=game.title,
        game=game.name,
        known=known,
        typed=shlex.quote(typed),  # names of other projects' games have brackets
        path=path,
        others=" ".join(["random"] * (game.players - 1)),
        enter="Play:       league run" if entered else f"Enter it:   league submit {path}{known}",
        guide="\n".join(f"# {line}".rstrip() for line in guide(game)) + "\n",
    )


def _known(game: Game, typed: str) -> str:
    """The option by which a command that reads a bot gets a game that is a file."""
    return f" --game {shlex.quote(typed)}" if game.file else ""


def _own_files(sources: Sequence[Path], language: str) -> dict[str, str] | None:
    """The texts of some files, by their names; None if there are none."""
    suffix = Path(_KITS[language]).suffix
    for path in sources[:1]:
        if path.suffix != suffix and path.is_file():
            raise RosterError(f"--from: expected a file that ends in {suffix}, found '{safe(str(path))}'.")
    return {path.name: read_bytes(path, MAX_BYTES, RosterError).decode(errors="replace") for path in sources} or None


def _new_game(name: str, folder: str) -> None:
    """Write a working game, called `name`."""
    if not GAME_NAME.fullmatch(name):
        raise LeagueError(f"Expected a game's name of {GAME_NAME_RULE}, found {name!r}.")
    if name in games.names():
        raise LeagueError(f"There is a game {name!r} already. Choose another name.")
    path = Path(folder) / f"{name}.py"
    _write(path, {"": game_file(name)}, LeagueError)
    shown = safe(str(path))
    tell(f"Wrote {shown}. It can be played already; make it yours, then: league check {shown}")


def game_file(name: str) -> str:
    """The text of a small game, called `name`."""
    words = name.split("_")
    kind, title = "".join(word.capitalize() for word in words), " ".join(words).capitalize()
    text = (shipped("examples") / "crown.py").read_text(encoding="utf-8")
    text = text.replace('"Crown"', f'"{title}"').replace("Crown: ", f"{title}: ")
    return text.replace("Crown", kind).replace('"crown"', f'"{name}"')


def _write(path: Path, files: Mapping[str, str], error: type[LeagueError]) -> None:
    """Write a new file, whose text is that of the name '', or a new folder with files by their names."""
    try:
        if "" not in files:
            path.mkdir()
        for relative, text in files.items():
            if relative:
                (path / relative).parent.mkdir(exist_ok=True)
            with (path / relative).open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
    except FileExistsError:
        raise error(f"{safe(str(path))} exists already. Choose another name, or remove it first.") from None
    except OSError as problem:
        raise error(f"{safe(str(path))} cannot be written: {problem.strerror}.") from None
