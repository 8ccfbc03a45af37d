"""Prints what people read: sentences that fit their terminal, whole lines for files and programs, progress bars."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from league.errors import LeagueError
from league.tools.text import columns, folded, safe, shown_path

if TYPE_CHECKING:
    from league.values.block import Fault


def tell(text: str, *, err: bool = False) -> None:
    """Print a text on standard output, or on standard error."""
    click.echo(folded(text, columns(err=err)), err=err)


def print_json(value: object) -> None:
    """Print a value as JSON, for programs."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2))


def print_list(values: Iterable[object]) -> None:
    """Print values as a list in JSON, one by one: there may be millions."""
    import msgspec

    before = "[\n"
    for value in values:
        click.echo(f"{before}  {msgspec.json.encode(value).decode()}", nl=False)
        before = ",\n"
    click.echo("[]" if before == "[\n" else "\n]")


def refuse_unwritable(path: Path | None) -> None:
    """Raise `LeagueError` for a file that could not be written in the end, before anything is done for it."""
    if path and not os.path.isdir(path.parent):
        raise LeagueError(f"{shown_path(path)} cannot be written: there is no folder {shown_path(path.parent)}.")
    if path and not os.access(path.parent, os.W_OK):
        raise LeagueError(f"{shown_path(path)} cannot be written: the folder {shown_path(path.parent)} is not yours.")


@contextmanager
def prints_apart(as_json: bool) -> Iterator[None]:
    """Send what trusted bots print to standard error if the result is JSON: programs read it on standard output."""
    if not as_json:
        yield
        return
    out = sys.stdout
    out.flush()
    kept = os.dup(1)
    try:
        with suppress(OSError):  # without standard error, prints go where results do
            os.dup2(2, 1)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        out.flush()
        os.dup2(kept, 1)
        os.close(kept)


def tell_tail(fault: Fault, indent: str, *, err: bool = False) -> None:
    """Print which moves were legal, in lines that fit, or the end of a traceback, unchanged."""
    for line in fault.tail.splitlines():
        if fault.kind == "illegal":
            tell(safe(f"{indent}{line}"), err=err)
        else:
            click.echo(safe(f"{indent}{line}"), err=err)


def tell_fault(fault: Fault) -> None:
    """Print what a bot did wrong, with the end of the traceback."""
    tell(safe(f"{fault.bot} was at fault ({fault.kind}): {fault.cause}"), err=True)
    tell_tail(fault, "  ", err=True)
