"""`league play`: a game between a person and some bots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from league.cli.options import bots_option, game_options, isolation_option
from league.config import Isolation

if TYPE_CHECKING:
    from league.block import Usage
    from league.game import Game, View
    from league.hosts import Reply, Tick


@click.command("play")
@click.argument("game")
@click.option("--vs", "names", multiple=True, required=True, metavar="BOT", help="Whom to play against; repeat it.")
@click.option("--seat", default=0, show_default=True, type=click.IntRange(0), help="Where you sit; bots fill the rest.")
@game_options
@click.option("--seed", type=int, help="Play the same deal again.  [default: another one each time]")
@bots_option
@isolation_option
def command(
    game: str,
    names: tuple[str, ...],
    seat: int,
    options: dict[str, object],
    seed: int | None,
    bots_dir: str,
    isolation: Isolation,
) -> None:
    """Play a GAME yourself against bots, at the keyboard.

    \b
      league play raj --vs raj_nearest
      league play magillat --vs random --vs tale_habits
    """
    from secrets import randbelow

    from league import games, replay
    from league.block import Limits
    from league.rematch import play_once
    from league.roster import find

    rules = games.make(game, len(names) + 1, options)
    if seat >= rules.players:
        raise click.BadParameter(f"the seats are 0 to {rules.players - 1}.", param_hint="--seat")
    bots = [find(name, bots_dir) for name in names]
    chosen = randbelow(10**6) if seed is None else seed
    click.echo(f"{rules.title}: you sit at seat {seat} against {', '.join(names)}. Ctrl-C leaves the table.")
    shown = play_once(rules, bots, chosen, isolation, Limits(), person=(seat, PersonHost(rules)))
    click.echo(f"\n{replay.text(shown.replay)}")
    click.echo(f"(Play the same deal again with --seed {chosen}.)")


class PersonHost:
    """A person at the keyboard, in the place of a bot."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._tick: Tick
        self._decisions = 0
        self._told = 0

    def send(self, tick: Tick) -> None:
        self._tick = tick

    def receive(self) -> Reply:
        from league.hosts import Reply

        return Reply([self._ask(view) for view in self._tick.views])

    def close(self) -> Usage:
        from league.block import Usage

        return Usage(self._decisions, 0.0)

    def _ask(self, view: View) -> int:
        self._decisions += 1
        click.echo()
        for line in describe(view):
            click.echo(line)
        labels = {str(number): move for number, move in enumerate(view.legal, 1)}
        for line in in_columns([f"{n}) {self._game.label(move, view)}" for n, move in labels.items()]):
            click.echo(f"  {line}")
        while True:
            answer = click.prompt("Your move", prompt_suffix=" (number): ").strip()
            if answer in labels:
                return labels[answer]
            click.echo(f"Please answer with a number from 1 to {len(labels)}.")


def describe(view: View) -> list[str]:
    """What a seat sees, a line for each field, without what the moves tell anyway."""
    hidden = ("seat", "legal", "history")
    fields = [name for name in view.__struct_fields__ if name not in hidden]
    lines = [f"  {name.replace('_', ' ')}: {_words(getattr(view, name))}" for name in fields]
    history: Sequence[Any] = getattr(view, "history", ())
    if history:
        lines.insert(0, f"  last: {_words(history[-1])}")
    return lines


def in_columns(words: Sequence[str], width: int = 90) -> list[str]:
    """Words side by side, as many to a line as fit."""
    if not words:
        return []
    column = max(map(len, words)) + 2
    across = max(width // column, 1)
    return [
        "".join(word.ljust(column) for word in words[at : at + across]).rstrip() for at in range(0, len(words), across)
    ]


def _words(value: Any) -> str:
    from msgspec import Struct

    if isinstance(value, Struct):
        return ", ".join(f"{name} {_words(getattr(value, name))}" for name in value.__struct_fields__)
    if isinstance(value, tuple):
        return "(" + " ".join(map(_words, value)) + ")" if value else "none"
    return str(value)
