"""`league play`: a game between a person and some bots."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from secrets import randbelow
from typing import TYPE_CHECKING

import click

from league.cli import complete
from league.cli.options import PATH, SEED, bots_option, game_options, isolation_option, whole
from league.cli.output import refuse_unwritable, tell_fault
from league.cli.person import WHAT_TO_TYPE, Keyboard, Left, say
from league.tools.text import listed, shown_path
from league.values.settings import Isolation, Limits

if TYPE_CHECKING:
    from league.games.replay import Replay
    from league.page.tables import TableSetting
    from league.results.recorded import Shown


@click.command("play")
@click.argument("game", shell_complete=complete.games)
@click.option(
    "--vs",
    "names",
    multiple=True,
    required=True,
    metavar="BOT",
    shell_complete=complete.bots,
    help="An opponent; repeatable.",
)
@click.option("--seat", default=1, type=whole(1), help="Where you sit, from 1.")
@click.option("--name", default="Human", metavar="NAME", help="Your name in the result and the replay.")
@game_options
@click.option("--seed", type=SEED, help="Play the same deal again.  [default: another one each time]")
@click.option("--save", type=PATH, metavar="FILE", help="Save the game for `league replay FILE`.")
@click.option("--browser", is_flag=True, help="Play in the browser instead, on a page of this machine.")
@bots_option
@isolation_option
@click.pass_context
def command(
    ctx: click.Context,
    game: str,
    names: tuple[str, ...],
    seat: int,
    name: str,
    options: dict[str, object],
    seed: int | None,
    save: Path | None,
    browser: bool,
    bots_dir: str,
    isolation: Isolation,
) -> None:
    """Play a GAME yourself against bots, at the keyboard or in the browser.

    You see what a bot would see, and choose a move by its number or by a word of it. Type ? for the rules in brief, b
    to go back and q to leave. A BOT is a path, or a name in --bots, in this folder or among the shipped bots.

    \b
      league play raj --vs raj_nearest
      league play magillat --vs random --vs tale_habits
      league play raj --vs raj_nearest --browser
    """
    from league import games
    from league.analysis.rematch import play_once
    from league.games import replay
    from league.setup.roster import find, refuse_strangers, told_apart

    rules = games.make(game, len(names) + 1, options)
    if seat > rules.players:
        raise click.BadParameter(f"the seats are 1 to {rules.players}.", param_hint="--seat")
    bots = told_apart((find(known, bots_dir) for known in names), taken=("you", name))
    refuse_strangers(rules.name, bots, rules.players)
    refuse_unwritable(save)  # better before the game than after it
    if browser:
        from league.page.tables import TableSetting

        keep = None if save is None else partial(_keep, save, name)
        _open_in_browser(TableSetting(rules, bots, isolation, Limits(), seed, keep), seat)
        return
    called = [bot.name for bot in bots]
    seed = randbelow(10**6) if seed is None else seed
    say(f"{rules.title}: you sit at seat {seat}, against {listed(called)}. {WHAT_TO_TYPE}")
    called.insert(seat - 1, "you")
    person = seat - 1, Keyboard(rules, called).choose
    try:
        shown = play_once(rules, bots, seed, isolation, Limits(), person, tell_fault)
    except (Left, KeyboardInterrupt):
        unsaved = f" {shown_path(save)} was not written: only a game that is over can be kept." if save else ""
        say(f"You left the table.{unsaved} The same deal again: --seed {seed}")
        ctx.exit(130)
    played = _named(shown, seat - 1, name)
    decided = [number for number, step in enumerate(replay.steps(played)) if seat - 1 in step.before.turn]
    say("", *replay.text(played, since=max(decided)).splitlines())
    if save is not None:
        _keep(save, name, shown, seat - 1)
    say(f"The same deal again: --seed {seed}")


def _named(shown: Shown, seat: int, name: str) -> Replay:
    """A game with the person's own name."""
    from msgspec.structs import replace

    names = list(shown.replay.names)
    names[seat] = name
    return replace(shown.replay, names=tuple(names))


def _keep(file: Path, name: str, shown: Shown, seat: int) -> None:
    """Write a game that is over, for `league replay`."""
    from league.games import replay
    from league.tools.files import write_text

    write_text(file, replay.write(_named(shown, seat, name)))
    say(f"The whole game: league replay {shown_path(file)}")


def _open_in_browser(setting: TableSetting, seat: int) -> None:
    """Serve the page of the game until Ctrl-C, and open it."""
    import webbrowser
    from threading import Timer

    from league.page.server import PageServer

    server = PageServer(setting, seat=seat)
    address = f"http://localhost:{server.port}/"
    click.echo(f"{setting.game.title} is at {address} (Ctrl-C stops it).")
    opening = Timer(0.5, webbrowser.open, (address,))  # when the server answers
    opening.daemon = True
    opening.start()
    server.run()
