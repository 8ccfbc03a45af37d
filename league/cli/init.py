"""`league init`: a folder to work in, with the shipped bots, configs, documentation and examples."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import click

from league.cli.options import FOLDER
from league.cli.output import tell
from league.errors import LeagueError
from league.tools.files import Part, shipped
from league.tools.text import first_few, shown_path

PARTS: tuple[Part, ...] = ("bots", "configs", "docs", "examples")
SKIPPED = shutil.ignore_patterns("__pycache__", ".*", "conf.py")
README = """\
# A place for leagues

- `bots/`: one file or folder for each bot. `league bots` lists them.
- `configs/`: one file for each league. `league run configs/quick.yaml` plays one.
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
def command(folder: Path) -> None:
    """Write a folder to work in: the shipped bots, configs and examples, the documentation, and a README.

    No file is overwritten: if one of them exists, nothing is written.
    """
    taken = [path for path in _targets(folder) if path.exists()]
    if taken:
        names = first_few(list(map(shown_path, taken)), 3)
        raise LeagueError(f"{names} would be overwritten, so nothing was written. Choose another folder.")
    try:
        for part in PARTS:
            shutil.copytree(shipped(part), folder / part, ignore=SKIPPED, dirs_exist_ok=True)
        (folder / "results").mkdir(exist_ok=True)
        (folder / "README.md").write_text(README, encoding="utf-8")
    except OSError as problem:
        raise LeagueError(f"{shown_path(folder)} cannot be written: {problem.strerror}.") from None
    here = folder.resolve() == Path.cwd()
    where, go_there = ("this folder", "") if here else (shown_path(folder), f"cd {shown_path(folder)} && ")
    tell(f"Wrote bots/, configs/, docs/, examples/ and README.md to {where}. Play a first league: {go_there}league run")


def _targets(folder: Path) -> Iterator[Path]:
    """Every file that would be written."""
    yield folder / "README.md"
    for part in PARTS:
        source = shipped(part)
        for path in sorted(source.rglob("*")):
            inside = path.relative_to(source)
            if path.is_file() and not SKIPPED("", [*inside.parts]):
                yield folder / part / inside
