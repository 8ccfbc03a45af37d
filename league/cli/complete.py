"""What can be completed: games, bots, configs, leagues, and the bots and contests of a league's addresses."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

BOT_SUFFIXES = (".py", ".toml")
MOST_ADDRESSES = 50


def games(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The names of games; and paths, as soon as one is begun."""
    from league import games as registry

    if "/" in typed or typed.startswith("."):
        return _paths(typed)

    return _starting(typed, registry.names())


def bots(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Bots by name, here, in the bots folder and shipped; and paths, as soon as one is begun."""
    from league.setup.shipped import shipped

    if "/" in typed or typed.startswith("."):
        return _paths(typed)
    folders = [Path(str(ctx.params.get("bots_dir") or "bots")), Path(), shipped("bots")]
    return _starting(typed, sorted({name for folder in folders for name in _bot_names(folder)}))


def configs(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Config files, here and in the folder `configs`."""
    found = [str(path) for folder in (Path(), Path("configs")) for path in sorted(folder.glob("*.yaml"))]
    return _starting(typed, found) or _paths(typed)


def leagues(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Folders of leagues that were played."""
    found = sorted(str(path.parent) for path in Path("results").glob("*/league.db"))
    return _starting(typed, found) or _paths(typed)


def addresses(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The first game of each lineup of the league that was named."""
    from league.errors import LeagueError
    from league.results.store import Store

    folder: Any = ctx.params.get("folder")
    try:
        with Store.open(Path(folder)) as store:
            found = (str(series.address(first)) for series, (first, _) in store.played_series())
            return _starting(typed, found, MOST_ADDRESSES)
    except (LeagueError, TypeError):
        return []


def entrants(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The bots of the league that was named."""
    from league.errors import LeagueError
    from league.results.store import Store

    folder: Any = ctx.params.get("folder")
    try:
        with Store.open(Path(folder)) as store:
            return _starting(typed, [bot.name for bot in store.bots()])
    except (LeagueError, TypeError):
        return []


def _bot_names(folder: Path) -> Iterable[str]:
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        return
    for path in inside:
        if path.name[0] in "._":
            continue
        if path.suffix in BOT_SUFFIXES:
            yield path.stem
        elif any((path / f"bot{suffix}").is_file() for suffix in BOT_SUFFIXES):
            yield path.name


def _starting(typed: str, words: Iterable[str], most: int | None = None) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    found = []
    for word in words:
        if word.startswith(typed):
            found.append(CompletionItem(word))
        if len(found) == most:
            break
    return found


def _paths(typed: str) -> list[CompletionItem]:
    """Leave it to the shell."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(typed, type="file")]
