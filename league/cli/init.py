"""`league init`: a folder to work in, with bots, configs, documentation and examples."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import click

from league.cli import complete
from league.cli.options import FOLDER
from league.cli.output import tell
from league.errors import LeagueError, did_you_mean
from league.tools.files import Part, shipped
from league.tools.text import first_few, shown_path

CONFIGS = ("quick.yaml", "overnight.yaml", "class.yaml")
SKIPPED = shutil.ignore_patterns(
    *("__pycache__", ".*", "conf.py", "*.png"),  # pictures are four fifths of the documentation
    *("index.md", "architecture.md", "comparison.md", "CONTRIBUTING.md", "SECURITY.md"),  # for the site and developers
)
README = """\
# A place for leagues

- `bots/`: one file or folder for each bot. `league bots` lists them.
- `configs/`: leagues to play: a quick one, one for a night, one for a class. `league run configs/quick.yaml` plays one.
- `docs/`: the documentation. Begin with `docs/tutorial-bot.md`; `docs/rules/` has the rules of the games.
- `examples/`: bots in other languages, a trained net, a game of one's own, a workflow for CI.
- `results/`: a folder for each league that was played, with its standings.

A first bot:

    league new mine --game raj --to bots     write one that plays at random
    league check bots/mine.py                try it
    league match raj mine raj_habits         watch a game
    league run                               play the quick league: only what is new is played
    league serve results                     see the standings in a browser

`league --help` lists all commands.
"""


@click.command("init")
@click.argument("folder", metavar="[DIR]", default=".", type=FOLDER)
@click.option("--game", metavar="G", shell_complete=complete.games, help="Let configs/class.yaml play only this game.")
def command(folder: Path, game: str | None) -> None:
    """Write a folder to work in: the shipped bots and examples, three configs, the documentation, and a README.

    No file is overwritten: if one of them exists, nothing is written.

    \b
      league init work
      league init course --game raj
    """
    files = dict(_files(game))
    target = folder.resolve()  # a part of the path that is not there yet hides nothing: zz/../.
    taken = [folder / name for name in files if (target / name).exists()]
    if taken:
        names = first_few(list(map(shown_path, taken)), 3)
        raise LeagueError(f"{names} would be overwritten, so nothing was written. Choose another folder.")
    try:
        (target / "results").mkdir(parents=True, exist_ok=True)
        for name, source in files.items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(source, str):
                (target / name).write_text(source, encoding="utf-8")
            else:
                shutil.copy(source, target / name)
    except OSError as problem:
        raise LeagueError(f"{shown_path(folder)} cannot be written: {problem.strerror}.") from None
    here = target == Path.cwd()
    where, go_there = ("this folder", "") if here else (shown_path(folder), f"cd {shown_path(folder)} && ")
    tell(f"Wrote bots/, configs/, docs/, examples/ and README.md to {where}. Play a first league: {go_there}league run")


def _files(game: str | None) -> Iterator[tuple[Path, Path | str]]:
    """Every file that is written, by its path in the folder: where it is copied from, or its text."""
    yield Path("README.md"), README
    for name in CONFIGS:
        yield Path("configs") / name, shipped("configs") / name
    if game is not None:
        yield Path("configs") / "class.yaml", _class_of(game)
    parts: tuple[Part, ...] = ("bots", "docs", "examples")
    for part in parts:
        for path in sorted(shipped(part).rglob("*")):
            inside = path.relative_to(shipped(part))
            if path.is_file() and not SKIPPED("", [*inside.parts]):
                yield part / inside, path


def _class_of(game: str) -> str:
    """The config of a class that plays one game."""
    known = {path.stem.removeprefix("class-"): path for path in shipped("configs").glob("class-*.yaml")}
    if game not in known:
        raise LeagueError(f"There is no config for a class that plays {game!r}.{did_you_mean(game, known)}")
    return known[game].read_text(encoding="utf-8").replace(f"league: class-{game}", "league: class")
