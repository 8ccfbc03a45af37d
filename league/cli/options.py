"""Options that several commands share, so that they are called and behave the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import click
from msgspec import Meta

from league.cli import complete
from league.tools.reading import Reader, describe, node_of, plain, scalar
from league.values.settings import Isolation, Seed


class Value(click.ParamType):  # type: ignore[type-arg] # generic in newer versions only
    """A value of a type, read as in a config."""

    def __init__(self, kind: Any) -> None:
        self.name = describe(kind)
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        reader = Reader()
        result = reader.read(scalar(value) if isinstance(value, str) else node_of(value), self._kind)
        for mistake in reader.mistakes:
            self.fail(mistake.what, param, ctx)
        return result


def whole(low: int, high: int | None = None) -> Value:
    """A whole number within bounds."""
    return Value(Annotated[int, Meta(ge=low, le=high)])


def number(low: float, high: float) -> Value:
    """A number within bounds."""
    return Value(Annotated[float, Meta(ge=low, le=high)])


SEED = Value(Seed)

league_argument = click.argument(
    "folder", metavar="DIR", type=click.Path(path_type=Path), shell_complete=complete.leagues
)
bots_option = click.option(
    "--bots",
    "bots_dir",
    default="bots",
    show_default=True,
    metavar="DIR",
    shell_complete=complete.folders,
    help="Where bots are looked for by name, before this folder and the shipped bots.",
)
to_option = click.option(
    "--to",
    "folder",
    default=".",
    show_default=True,
    metavar="DIR",
    shell_complete=complete.folders,
    help="Where to write it.",
)


def _isolation(ctx: click.Context, parameter: click.Parameter, word: str | None) -> Isolation | None:
    return Isolation(word) if word else None


def isolation_or(help_text: str, default: Isolation | None = None) -> Callable[[Any], Any]:
    """The option --isolation; without a default, something else decides where it is left out."""
    return click.option(
        "--isolation",
        type=click.Choice([mode.value for mode in Isolation]),
        callback=_isolation,
        default=default and default.value,
        show_default=default is not None,
        help=help_text,
    )


LEVELS = "How bots are isolated: confined, in processes of their own, or not at all."
isolation_option = isolation_or(LEVELS, Isolation.SANDBOX)
workers_option = click.option(
    "--workers", type=whole(1, 1024), metavar="N", help="Processes that play.  [default: one per core]"
)
results_option = click.option(
    "--results",
    default="results",
    show_default=True,
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where league folders live.",
)


def _find_games(ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """The names of games; some of them may be given as paths of files."""
    from league import games

    if ctx.resilient_parsing:  # a shell asks what can be completed: no file is run for that
        return given
    return tuple(games.load(name).name for name in given)


tried_games = click.option(
    "--game",
    "names",
    multiple=True,
    metavar="G",
    callback=_find_games,
    is_eager=True,  # files of games are known before bots that play them are read
    shell_complete=complete.games,
    help="A game to try it at, by name or as a file such as ./crown.py; repeatable.  [default: all that it plays]",
)


def _read_options(ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, Any]:
    """NAME=VALUE pairs as plain data, parsed as in a config."""
    from league.setup import yaml_lines

    found: dict[str, Any] = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals:
            raise click.BadParameter(f"expected NAME=VALUE, such as mime=true, found {pair!r}.")
        try:
            node, mistakes = yaml_lines.parse(value)
        except yaml_lines.NotYamlError as problem:
            mistakes = [problem.mistake]
        if mistakes:
            raise click.BadParameter(f"the value of {name} cannot be read: {mistakes[0].what}")
        found[name.strip()] = None if node is None else plain(node)
    return found


game_options = click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_read_options,
    shell_complete=complete.game_options,
    help="An option of the game, such as mime=true; repeatable. `league games GAME` lists them.",
)
