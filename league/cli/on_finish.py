"""The command that runs when a league has ended: `--notify`, or `on_finish` of a config that the user has agreed to.

A config may come from a stranger, and nobody expects it to run anything. So its command is printed before the first
game, and runs only if the user has agreed to exactly this text, once, in a terminal.
"""

from __future__ import annotations

import subprocess
import sys
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from league.cli.output import tell
from league.results.columns import data
from league.setup.config import load
from league.tools.files import cache_folder, make_folder, write_text
from league.tools.text import safe

if TYPE_CHECKING:
    from league.api.events import Played

NOTIFIED = 100
"""Bots, the best first, that the command is told of."""
QUESTION = "Run it, now and whenever a config asks for exactly this?"


def agreed_command(config: Path) -> str:
    """What a config runs at the end if the user agrees, or did before; otherwise an empty text. Prints what it is."""
    command = load(config).on_finish
    if not command:
        return ""
    tell(f"league: at the end, this config runs: {safe(command)}", err=True)
    record = cache_folder() / "commands" / blake2b(command.encode(), digest_size=16).hexdigest()
    if record.exists():
        return command
    if _is_asked() and click.confirm(QUESTION, default=False, err=True):
        make_folder(record.parent)
        write_text(record, command)
        return command
    advice = "Run the league once in a terminal and agree to it, or give the command by --notify."
    tell(f"league: the command of on_finish is new on this machine, and is not run. {advice}", err=True)
    return ""


def _is_asked() -> bool:
    return sys.stdin.isatty()


def notify(command: str, origin: str, played: Played) -> None:
    """Run a command with how the run ended on its standard input; a failure of it is one line that names its origin."""
    summary = played.summary
    ended = "stopped" if summary.interrupted else "budget" if summary.out_of_budget else "finished"
    lines = played.standings.overall if played.standings else []
    result = {
        "folder": str(summary.folder),
        "ended": ended,
        "games": summary.games,
        "games_left": summary.games_left,
        "seconds": round(summary.seconds, 1),
        "faults": summary.faults,
        "files": [str(path) for path in played.files],
        "standings": [data(line) for line in lines[:NOTIFIED]],
    }
    done = subprocess.run(command, shell=True, input=msgspec.json.encode(result), check=False)  # noqa: S602 - the user's
    if done.returncode:
        tell(f"league: the command of {origin} ended with exit code {done.returncode}: {safe(command)}", err=True)
