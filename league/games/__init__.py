"""The games, registered in one place: four built-in ones, and those that other packages add.

Another package adds a game by an entry point in the group `league.games`, named like the game:

    [project.entry-points."league.games"]
    goof = "my_package.goof:Goof"

Games of other projects are named by family and name, such as `openspiel:kuhn_poker`; each family is an extra.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points

from league.errors import LeagueError, did_you_mean
from league.games.contract import Game, Options

BUILT_IN = {
    "braverats": "league.games.braverats:BraveRats",
    "cheese_rescue": "league.games.cheese_rescue:CheeseRescue",
    "magillat": "league.games.magillat:Magillat",
    "raj": "league.games.raj:Raj",
}
ENTRY_POINTS = "league.games"
FAMILIES = {
    "openspiel": "league.adapters.openspiel.foreign",
    "pettingzoo": "league.adapters.pettingzoo.foreign",
}
"""Games of other projects: what their names begin with, and the module that finds them, loaded when it is needed."""


def names() -> list[str]:
    """Every game that can be played here, sorted."""
    return sorted({*BUILT_IN, *(entry.name for entry in entry_points(group=ENTRY_POINTS))})


def find(name: str) -> type[Game]:
    """The rules called `name`."""
    if in_family(name):
        return _of_family(name)
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        found: type[Game] = getattr(import_module(module), attribute)
        return found
    offers = sorted({entry.value: entry for entry in entry_points(group=ENTRY_POINTS, name=name)}.items())
    if len(offers) > 1:
        raise LeagueError(f"Game {name!r} is offered twice: by {' and by '.join(value for value, _ in offers)}.")
    for value, entry in offers:
        try:
            loaded = entry.load()
        except Exception as problem:  # another package's code may fail in any way
            cause = f"{type(problem).__name__}: {problem}"
            raise LeagueError(f"Game {name!r}: its entry point {value} cannot be loaded ({cause}).") from problem
        return _checked(name, value, loaded)
    known = names()
    raise LeagueError(f"There is no game {name!r}; the games are {', '.join(known)}.{did_you_mean(name, known)}")


def make(name: str, players: int | None = None, options: Mapping[str, object] | Options | None = None) -> Game:
    """The game `name`, set up for a number of players (the fewest it takes, if left out) and options."""
    return find(name)(players, options)


def in_family(name: str) -> bool:
    """Whether a name is that of another project's game, such as 'openspiel:kuhn_poker'."""
    family, colon, _ = name.partition(":")
    return bool(colon) and family in FAMILIES


def kind_of(name: str) -> str:
    """The name of a game without parameters: 'openspiel:goofspiel' for 'openspiel:goofspiel(num_cards=6)'."""
    return name.partition("(")[0] if in_family(name) else name


def _of_family(name: str) -> type[Game]:
    family, _, rest = name.partition(":")
    try:
        module = import_module(FAMILIES[family])
    except ModuleNotFoundError as missing:
        package = str(missing.name).partition(".")[0]
        if package == "league":
            raise  # a bug of ours, not a package that is missing
        raise LeagueError(
            f'Game {name!r} needs the package {package!r}: pip install "bot-league[{family}]"'
        ) from missing
    found: type[Game] = module.find(rest)
    return found


def _checked(name: str, value: str, loaded: object) -> type[Game]:
    if not (isinstance(loaded, type) and issubclass(loaded, Game)):
        raise LeagueError(
            f"Game {name!r}: the entry point {value} must name a class derived from league.games.contract.Game."
        )
    if loaded.name != name:
        raise LeagueError(f"Game {name!r}: the class behind its entry point {value} calls itself {loaded.name!r}.")
    return loaded
