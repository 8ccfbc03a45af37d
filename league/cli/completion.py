"""`league completion`: what a shell needs to complete commands, games, bots, leagues and addresses."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

PROGRAM = "league"
VARIABLE = "_LEAGUE_COMPLETE"
SHELLS = {
    "bash": "~/.bashrc",
    "zsh": "~/.zshrc",
    "fish": "~/.config/fish/completions/league.fish",
}


@click.command("completion")
@click.argument("shell", type=click.Choice(list(SHELLS)))
def command(shell: str) -> None:
    """Print what SHELL needs to complete what you type.

    \b
    bash:  league completion bash >> ~/.bashrc
    zsh:   league completion zsh >> ~/.zshrc
    fish:  league completion fish > ~/.config/fish/completions/league.fish
    """
    made = get_completion_class(shell)
    assert made is not None
    group = click.get_current_context().find_root().command
    click.echo(made(group, {}, PROGRAM, VARIABLE).source())
