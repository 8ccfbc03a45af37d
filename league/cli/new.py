"""`league new`: a first bot to start from, with everything that its game lets it see."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from textwrap import dedent, wrap
from typing import Any, get_args

import click

from league import games
from league.config import NAME_RULE, SAFE_NAME
from league.errors import RosterError
from league.game import Game, Options, View
from league.text import safe

_WIDTH = 116

_TEMPLATE = '''\
"""{name}: a bot for {title}. This file is all of it: its name is the bot's name.

Try it:     league check {path}
Watch it:   league match {game} {path} {others}
Enter it:   league submit {path}
"""

{guide}

class Bot:
    """Any legal move, at random: say here in one line what your bot does."""

    games = ("{game}",)  # without this line it would be asked to play every game

    def __init__(self, table):
        # A match begins: you have table.seat, table.players, table.options and table.game (the rules, for bots that
        # look ahead). Random numbers come from table.rng, so that the same game can be played again.
        self.rng = table.rng

    def choose(self, view):
        # Your turn: return one of view.legal. Everything you know is in the view, described above.
        return self.rng.choice(view.legal)

    def finish(self, outcome):
        # A game is over: outcome.ranks and outcome.scores by seat (rank 0 is best). What you keep in self lasts for
        # the games of one match. Leave this method out if you have no use for it.
        pass
'''


@click.command("new", short_help="Write a working bot to start from.")
@click.argument("name")
@click.option("--game", "game_name", required=True, metavar="GAME", help="What it shall play (see `league games`).")
@click.option("--to", "folder", default=".", show_default=True, metavar="DIR", help="Where to write it.")
def command(name: str, game_name: str, folder: str) -> None:
    """Write a working bot to start from: NAME.py, which plays at random and explains what a bot can see."""
    name = name.removesuffix(".py")
    if not SAFE_NAME.fullmatch(name):
        raise RosterError(f"Expected a bot's name of {NAME_RULE}, found {name!r}.")
    game = games.make(game_name)
    path = Path(folder) / f"{name}.py"
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(bot_file(name, game, path))
    except FileExistsError:
        raise RosterError(f"{safe(str(path))} is there already. Choose another name, or remove it first.") from None
    except OSError as problem:
        raise RosterError(f"{safe(str(path))} cannot be written: {problem.strerror}.") from None
    click.echo(f"Wrote {safe(str(path))}. It plays already; make it better, then: league check {safe(str(path))}")


def bot_file(name: str, game: Game, path: Path) -> str:
    """The text of a bot that plays a game at random, with a guide to what it sees."""
    guide = "\n".join(f"# {line}".rstrip() for line in _guide(game))
    others = " ".join(["random"] * (game.players - 1))
    return _TEMPLATE.format(name=name, title=game.title, game=game.name, path=path, others=others, guide=guide + "\n")


def _guide(game: Game) -> Iterator[str]:
    """What a bot of a game should know, as lines of text: the game in brief, the view, the options."""
    yield from dedent(inspect.getdoc(sys.modules[type(game).__module__]) or "").splitlines()
    yield ""
    yield "What choose(self, view) can see:"
    yield from _described("view", game.view_type, View)
    for kind in _parts(game.view_type):
        yield ""
        yield f"A {kind.__name__} in it has:"
        yield from _described("", kind, kind)
    if game.options_type.__struct_fields__:
        yield ""
        yield "The options, in table.options:"
        yield from _described("options", game.options_type, Options)


def _described(owner: str, kind: type, last_base: type) -> Iterator[str]:
    """A line or more for every field and property of a class, bases first."""
    bases = list(kind.__mro__[: kind.__mro__.index(last_base) + 1])
    members = [member for base in reversed(bases) for member in _members(base)]
    indent = max((len(f"{owner}.{name}") for name, _ in members), default=0) + 4
    for name, meaning in members:
        label = f"  {owner}.{name}".ljust(indent)
        yield from wrap(label + " ".join(meaning.split()), _WIDTH, subsequent_indent=" " * indent)


def _members(kind: type) -> Iterator[tuple[str, str]]:
    """Name and meaning of each public field and property, as a class tells them in its own source."""
    tree = ast.parse(dedent(inspect.getsource(kind))).body[0]
    assert isinstance(tree, ast.ClassDef)
    for node, following in pairwise([*tree.body, ast.Pass()]):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            told = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            yield node.target.id, str(following.value.value) if told else ""  # type: ignore[attr-defined]
        elif isinstance(node, ast.FunctionDef) and isinstance(getattr(kind, node.name, None), property):
            yield node.name, ast.get_docstring(node) or ""


def _parts(kind: type) -> list[type]:
    """The classes of which the fields and properties of a class are made, such as a round of the history, each once."""
    found: dict[type, None] = {}
    waiting = _hints(kind)
    while waiting:
        hint = waiting.pop(0)
        if isinstance(hint, type) and inspect.get_annotations(hint) and hint not in found:
            found[hint] = None
            waiting += _hints(hint)
        waiting += get_args(hint)
    return list(found)


def _hints(kind: type) -> list[Any]:
    """The types of all fields and properties of a class."""
    properties = [member.fget for member in vars(kind).values() if isinstance(member, property) and member.fget]
    results = [inspect.get_annotations(getter, eval_str=True).get("return") for getter in properties]
    return [*inspect.get_annotations(kind, eval_str=True).values(), *results]
