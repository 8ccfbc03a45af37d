"""Options that several commands share, so that they are called and behave the same everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
from click.core import ParameterSource
from msgspec import Meta

from league.cli import complete
from league.tools.reading import MistakeError, read
from league.values.settings import USUAL, Duration, Isolation, Seed

if TYPE_CHECKING:
    from league.results.find import Query, SortBy
    from league.results.games import GameColumns
    from league.results.store import Store

Decorator = Callable[[Any], Any]


class Value(click.ParamType):  # type: ignore[type-arg] # generic in newer versions only
    """A value of a type, read as in a config; `name` stands for it in the help."""

    def __init__(self, kind: Any, name: str) -> None:
        self.name = name
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return read(value, self._kind)
        except MistakeError as mistake:
            self.fail(mistake.what, param, ctx)


def whole(low: int, high: int | None = None) -> Value:
    """A whole number within bounds."""
    return Value(Annotated[int, Meta(ge=low, le=high)], "N")


def number(low: float, high: float) -> Value:
    """A number within bounds."""
    return Value(Annotated[float, Meta(ge=low, le=high)], "X")


COUNT = whole(1)
SEED = Value(Seed, "N")
PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
JSON_HELP = "As JSON, for programs."


# Which options go together


def only_one(**asked: object) -> Any:
    """The name of the one option that is given of these, which cannot be combined; None if none is."""
    given = [name for name, value in asked.items() if value]
    if len(given) > 1:
        raise click.UsageError(f"--{given[0]} and --{given[1]} cannot be combined.")
    return given[0] if given else None


def goes_with(option: str, given: object, **asked: object) -> None:
    """Refuse options that mean nothing unless another one is given."""
    name = None if given else next((name for name, value in asked.items() if value), None)
    if name:
        raise click.UsageError(f"--{name} goes with {option}.")


def only_these(what: str, *names: str) -> None:
    """Refuse all options that were given but those of these parameters: they mean nothing with `what`."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and isinstance(parameter, click.Option) and name not in names:
            raise click.UsageError(f"{max(parameter.opts, key=len)} does not go with {what}.")


# Options and arguments


def together(*options: Decorator) -> Decorator:
    """One decorator that adds several options, in their order."""

    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def json_option(help_text: str = JSON_HELP) -> Decorator:
    """The flag --json."""
    return click.option("--json", "as_json", is_flag=True, help=help_text)


def isolation_or(help_text: str, default: Isolation | None = None) -> Decorator:
    """The option --isolation; without a default, something else decides where it is left out."""

    def read(ctx: click.Context, parameter: click.Parameter, word: str | None) -> Isolation | None:
        return Isolation(word) if word else None

    levels = click.Choice([level.value for level in Isolation])
    return click.option("--isolation", type=levels, callback=read, default=default and default.value, help=help_text)


LEVELS = "How bots are isolated: confined, in processes of their own, or not at all."
isolation_option = isolation_or(LEVELS, USUAL)
isolation_for_trials = isolation_or(f"{LEVELS}  [default: sandbox, or CONFIG's]")
sandbox_option = isolation_or(LEVELS, Isolation.SANDBOX)
"""For commands that run the bots of others: without a sandbox, somebody has to ask for that."""
league_argument = click.argument("folder", metavar="DIR", type=PATH, shell_complete=complete.leagues)
bots_option = click.option(
    "--bots",
    "bots_dir",
    default="bots",
    metavar="DIR",
    shell_complete=complete.folders,
    help="Where bots are looked for by name, before this folder and the shipped bots.",
)
results_option = click.option(
    "--results", default="results", metavar="DIR", type=FOLDER, help="Where league folders live."
)
time_option = click.option(
    "--for", "for_", type=Value(Duration, "TIME"), help="Stop after this time, such as 8h or 90min."
)
workers_option = click.option("--workers", type=whole(1, 1024), help="Processes that play.  [default: one per core]")
scheduler_option = click.option(
    "--scheduler",
    default="",
    show_default=False,
    metavar="ADDRESS|FILE",
    help="Play on a Dask cluster: the address of its scheduler, or the file that it was written to.",
)
players_option = click.option("--players", type=whole(2), help="Seats at the table.  [default: the fewest]")
config_for_trials = click.option(
    "--config",
    type=PATH,
    metavar="CONFIG",
    shell_complete=complete.configs,
    help="Try it at the contests of this league, under its limits, instead of at everything that it plays.",
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

    values: dict[str, Any] = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals:
            raise click.BadParameter(f"expected NAME=VALUE, such as mime=true, found {pair!r}.")
        values[name.strip()] = yaml_lines.parse(value, f"the value of {name}").value
    return values


game_options = click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_read_options,
    help="An option of the game, such as mime=true; repeatable. `league games GAME` lists them.",
)


# Which bots and games of a league


def _some_bots(name: str, help_text: str) -> Decorator:
    return click.option(name, multiple=True, metavar="BOT", shell_complete=complete.entrants, help=help_text)


parts = together(
    _some_bots("--only", "Only this bot, or those that match, rated from the games among them; repeatable."),
    _some_bots("--without", "Leave out this bot, or those that match 'raj_*', and rate the others again; repeatable."),
)
contest_option = click.option(
    "--game", metavar="G", shell_complete=complete.games, help="Only this game, or this contest (raj, raj-2p)."
)
filters = together(
    click.option(
        "--against", metavar="BOT", shell_complete=complete.entrants, help="Only games with this bot at the table."
    ),
    contest_option,
    click.option("--won", is_flag=True, help="Only games that the bot won: first alone, or ahead of --against."),
    click.option("--drawn", is_flag=True, help="Only games in which it shared first place, or drew with --against."),
    click.option("--lost", is_flag=True, help="Only games that it lost: to any bot, or to --against."),
    click.option("--fault", is_flag=True, help="Only games in which it was at fault."),
)
"""Which games are wanted; `query_of` reads them."""


def query_of(bot: str | None, *, won: bool, drawn: bool, lost: bool, **asked: Any) -> Query:
    """Which games the options ask for."""
    from league.results.find import Query

    return Query(bot=bot, ended=only_one(won=won, drawn=drawn, lost=lost), **asked)


def chosen_by(query: Query) -> dict[str, Any]:
    """The same for functions of the API, beside the bot."""
    return {name: getattr(query, name) for name in ("against", "game", "ended", "fault")}


def order_of(**asked: int | bool | None) -> tuple[SortBy, int] | None:
    """Which order the options --worst, --closest and --upsets ask for, and how many games; None if none is given."""
    by = only_one(**asked)
    return (by, int(asked[by] or 0)) if by else None


def picked(store: Store, query: Query, order: tuple[SortBy, int] | None) -> Iterable[GameColumns]:
    """The games that are wanted: all in canonical order, or the first ones in another."""
    from league.results.find import find_columns, top_columns

    if order is None:
        return find_columns(store, query)
    by, most = order
    if by != "upsets":
        return top_columns(store, query, by, most)
    from league.results.standings import Standings

    contests = Standings.of(store).contests
    ratings = {key: dict(zip(board.bots, board.rating.tolist(), strict=True)) for key, board in contests.items()}
    return top_columns(store, query, by, most, ratings)
