"""What a shell can complete: games, bots, configs, leagues, and the bots and contests of a league.

Each public function is a `shell_complete` of click. None of them raises: a shell has no place for a message.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

    from league.results.store import Store

    Items = list[CompletionItem]

MOST = 200
"""Words that a shell is offered."""


def games(ctx: click.Context, parameter: click.Parameter, typed: str) -> Items:
    """Games by name; and paths, once one is begun."""
    from league import games as registry

    return paths(typed) if _is_path(typed) else starting(typed, registry.names())


def bots(ctx: click.Context, parameter: click.Parameter, typed: str) -> Items:
    """Bots by name, in the bots folder, in this folder and shipped; and paths, once one is begun."""
    from league.setup.roster import search_path

    if _is_path(typed):
        return paths(typed)
    folders = search_path(str(ctx.params.get("bots_dir") or "bots"))
    return starting(typed, sorted({name for folder in folders for name in _bot_names(folder)}))


def configs(ctx: click.Context, parameter: click.Parameter, typed: str) -> Items:
    """Config files, in this folder and in the folder `configs`; and any other path, once one is begun."""
    found = [str(path) for folder in (Path(), Path("configs")) for path in sorted(folder.glob("*.yaml"))]
    return starting(typed, found) or paths(typed)


def leagues(ctx: click.Context, parameter: click.Parameter, typed: str) -> Items:
    """Folders of leagues that were played; and any other path, once one is begun."""
    folders = sorted(str(path.parent) for path in Path("results").glob("*/league.db"))
    return starting(typed, folders) or paths(typed)


def folders(ctx: click.Context, parameter: click.Parameter, typed: str) -> Items:
    """Folders, which the shell finds."""
    return [_item(typed, "dir")]


def entrants(ctx: click.Context, parameter: click.Parameter, typed: str) -> Items:
    """The bots of the league that was named."""
    return _in_league(ctx, typed, lambda store: (bot.name for bot in store.bots()))


def contests(ctx: click.Context, parameter: click.Parameter, typed: str) -> Items:
    """The games and the contests of the league that was named."""

    def names(store: Store) -> Iterable[str]:
        played = store.settings().contests()
        return dict.fromkeys([*(contest.game for contest in played), *(contest.key for contest in played)])

    return _in_league(ctx, typed, names)


def _in_league(ctx: click.Context, typed: str, words: Callable[[Store], Iterable[str]]) -> Items:
    """Those words of the league that was named; none if it cannot be read."""
    from league.errors import LeagueError
    from league.results.store import Store

    try:
        with Store.open(Path(given(ctx, "folder", "source"))) as store:
            return starting(typed, words(store))
    except LeagueError:
        return []


def given(ctx: click.Context, *names: str) -> str:
    """What was given for one of these parameters, or the first argument: click has no names for them yet."""
    given = next(filter(None, map(ctx.params.get, names)), None) or next(iter(ctx.args), "")
    return str(given)


def _bot_names(folder: Path) -> Iterator[str]:
    """The names of what may be bots in a folder; no code is run or parsed for it."""
    from league.setup.bot_paths import in_folder, is_bot_folder

    for path in in_folder(folder):
        if is_bot_folder(path):
            yield path.name
        elif path.suffix == ".toml" or (path.suffix == ".py" and _has_bot(path)):
            yield path.stem


def _has_bot(path: Path) -> bool:
    """Whether a file seems to have a class Bot: there are others beside it."""
    with suppress(OSError):
        return b"class Bot" in path.read_bytes()
    return False


def _is_path(typed: str) -> bool:
    return "/" in typed or os.sep in typed or typed.startswith(".")


def starting(typed: str, words: Iterable[str]) -> Items:
    """Those of some words that begin with what was typed."""
    return [_item(word) for word in islice((word for word in words if word.startswith(typed)), MOST)]


def paths(typed: str) -> Items:
    """Files and folders, which the shell finds."""
    return [_item(typed, "file")]


def _item(word: str, kind: str = "plain") -> CompletionItem:
    from click.shell_completion import CompletionItem

    return CompletionItem(word, type=kind)
