"""`league completion`: what a shell needs to complete commands, games, bots, leagues and addresses."""

from __future__ import annotations

import os
import re

import click
from click.shell_completion import BashComplete, CompletionItem, ZshComplete, add_completion_class, get_completion_class
from click.shell_completion import split_arg_string as words_of

from league.cli import COMPLETE, PROGRAM

SHELLS = ("bash", "zsh", "fish")


class WholeWords(BashComplete):
    """Bash, which breaks words at ':' and '=', so that addresses and NAME=VALUE would not be completed."""

    source_template = """\
%(complete_func)s() {
    local IFS=$'\\n' kind value
    COMPREPLY=()
    while IFS=',' read -r kind value; do
        case $kind in
            plain) COMPREPLY+=("$value") ;;
            file) compopt -o default ;;
            dir) compopt -o dirnames ;;
        esac
        [[ $value == *= ]] && compopt -o nospace
    done < <(TYPED="${COMP_LINE:0:COMP_POINT}" BREAKS="$COMP_WORDBREAKS" %(complete_var)s=bash_complete "$1")
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["TYPED"]
        words = words_of(line)[1:]
        return words, "" if line[-1:].isspace() or not words else words.pop()

    def format_completion(self, item: CompletionItem) -> str:
        """Without the part of the word that comes before the last break, which bash leaves as it is."""
        _, typed = self.get_completion_args()
        breaks = re.escape("".join(char for char in os.environ["BREAKS"] if not char.isspace()))
        before = re.match(f".*[{breaks}]", typed) if breaks else None
        return f"{item.type},{item.value.removeprefix(before[0] if before else '')}"


class SwitchedOn(ZshComplete):
    """Zsh, whose completion is off unless a start-up file loads it."""

    def source(self) -> str:
        before, register, after = super().source().rpartition("    compdef ")
        return (
            f"{before}    (( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit -i }}\n{register}{after}"
        )


add_completion_class(WholeWords, "bash")
add_completion_class(SwitchedOn, "zsh")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print what SHELL needs to complete what you type.

    \b
    bash:  league completion bash >> ~/.bashrc
    zsh:   league completion zsh >> ~/.zshrc
    fish:  league completion fish >> ~/.config/fish/config.fish

    Then, in a new shell, the Tab key completes commands, options, games and their options, bots, configs, leagues,
    and the bots, contests and addresses of a league.
    """
    shell_type = get_completion_class(shell)
    assert shell_type is not None
    group = click.get_current_context().find_root().command
    click.echo(shell_type(group, {}, PROGRAM, COMPLETE).source())
