"""What a shell can complete: games, bots, configs, leagues, and the bots of a league.

Each public function is a `shell_complete` of click. None of them raises: a shell has no place for a message.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

    Items = list[CompletionItem]


def games(ctx: click.Context, parameter: click.Parameter, typed: str) -> Items:
    """Games by name, or their files."""
    from league import games as registry

    return offered(typed, registry.names())


def bots(ctx: click.Context, parameter: click.Parameter, typed: str) -> Items:
    """Bots by name, in the bots folder, in this folder and shipped, or their files."""
    from league.setup.roster import in_folder, is_bot_folder, search_path

    paths = [path for folder in search_path(str(ctx.params.get("bots_dir") or "bots")) for path in in_folder(folder)]
    return offered(typed, {path.stem for path in paths if is_bot_folder(path) or _plays(path)})


def configs(ctx: click.Context, parameter: click.Parameter, typed: str) -> Items:
    """Config files, in this folder and in the folder `configs`, or any other file."""
    return offered(typed, [str(path) for folder in (Path(), Path("configs")) for path in folder.glob("*.yaml")])


def leagues(ctx: click.Context, parameter: click.Parameter, typed: str) -> Items:
    """Folders of leagues that were played, or any other path."""
    return offered(typed, [str(path.parent) for path in Path("results").glob("*/league.db")])


def folders(ctx: click.Context, parameter: click.Parameter, typed: str) -> Items:
    """Folders, which the shell finds."""
    return [_item(typed, "dir")]


def entrants(ctx: click.Context, parameter: click.Parameter, typed: str) -> Items:
    """The bots of the league that was named before."""
    from league.errors import LeagueError
    from league.results.store import Store

    named = ctx.params.get("folder") or ctx.params.get("source") or next(iter(ctx.args), "")
    try:
        with Store.open(Path(named)) as store:
            return offered(typed, [bot.name for bot in store.bots()])
    except LeagueError:
        return []


def offered(typed: str, words: Iterable[str]) -> Items:
    """Those of some words that begin with what was typed; without any, files, which the shell finds."""
    fitting = sorted(word for word in words if word.startswith(typed))
    return [_item(word) for word in fitting] or [_item(typed, "file")]


def _plays(path: Path) -> bool:
    """Whether a file seems to be a bot; no code is run or parsed for it."""
    with suppress(OSError):
        return path.suffix == ".toml" or (path.suffix == ".py" and b"class Bot" in path.read_bytes())
    return False


def _item(word: str, kind: str = "plain") -> CompletionItem:
    from click.shell_completion import CompletionItem

    return CompletionItem(word, type=kind)
