"""`league arena`: a command for each decision of the staff, made from its function, and how an arena is set up."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from league.cli import SuggestingGroup, complete
from league.cli.options import (
    FILE,
    JSON_HELP,
    PATH,
    isolation_or,
    json_option,
    scheduler_option,
    whole,
    workers_option,
)
from league.cli.output import print_json, refuse_unwritable, tell
from league.errors import ArenaError
from league.extensions.arena.client import login, tell_own_status
from league.extensions.arena.decisions import DECISIONS, DecisionField, Desk, StaffDecision
from league.extensions.arena.people import links_sheet, links_table
from league.extensions.arena.store import ArenaStore
from league.tools.files import read_bytes, write_text
from league.tools.text import shown_path

EXAMPLES = {
    "who": "amy",
    "people": "people.csv",
    "when": '"2026-12-18 18:00"',
    "reason": '"the code is Bob\'s"',
}


@click.group("arena", cls=SuggestingGroup)
def command() -> None:
    """Run an arena: people hand in bots over the web, a ladder plays on, and a final decides.

    \b
      league arena init ARENA --config configs/class.yaml --url https://arena.example.org
      league arena invite ARENA people.csv --links links.csv --sheet links.html
      league arena deadline ARENA "2026-12-18 18:00"

    An arena is one folder. docs/arena.md tells how to set one up in an afternoon.
    """


def arenas(ctx: click.Context, parameter: click.Parameter, typed: str) -> complete.Items:
    """Folders of arenas, in this folder, or any other path."""
    return complete.offered(typed, [str(path.parent) for path in Path().glob("*/arena.db")])


arena_argument = click.argument("folder", metavar="DIR", type=PATH, shell_complete=arenas)
new_folder_argument = click.argument("folder", metavar="DIR", type=PATH, shell_complete=complete.folders)


# Decisions


def command_of(decision: StaffDecision) -> click.Command:
    """The command for a decision: DIR, WHO and what must be given are arguments, the rest are options."""
    parameters: list[click.Parameter] = [
        click.Argument(["folder"], metavar="DIR", type=PATH, shell_complete=arenas),
        *map(_parameter, decision.fields),
    ]
    if decision.gives == "links":
        parameters.append(click.Option(["--links"], type=FILE, help="Write the links there as CSV."))
        sheet = "Write a page with a QR code for each person, to print and cut up."
        parameters.append(click.Option(["--sheet"], type=FILE, help=sheet))
    if decision.gives == "file":
        parameters.append(click.Option(["--to"], type=PATH, metavar="FILE", help="Write it there."))
    if decision.final:
        parameters.append(click.Option(["--yes"], is_flag=True, help="Do not ask."))
    parameters.append(click.Option(["--json", "as_json"], is_flag=True, help=JSON_HELP))

    def run(
        folder: Path,
        as_json: bool,
        links: Path | None = None,
        sheet: Path | None = None,
        to: Path | None = None,
        yes: bool = True,
        **given: Any,
    ) -> None:
        for path in (links, sheet, to):  # codes are shown once, so what cannot be written must be known before
            refuse_unwritable(path)
        fields = {field.name: field for field in decision.fields}
        written = {name: _written(fields[name], value) for name, value in given.items() if value is not None}
        source = next((shown_path(value) for name, value in given.items() if fields[name].is_file and value), "")
        with ArenaStore.open(folder) as arena:
            if not yes:
                question = f"{decision.title} ({arena.fact('name')}): this cannot be undone. Go on?"
                click.confirm(question, abort=True, err=True)
            desk = Desk(arena, "operator", "lecturer", target=lambda name: to or Path(name), source=source)
            done = decision.make(desk, {**written, "sure": "yes"})
            for path, text in ((links, links_table), (sheet, lambda guests: links_sheet(arena, guests))):
                if path and done.invitations:  # else the links of those who were invited before would be lost
                    write_text(path, text(done.invitations))
                    path.chmod(0o600)
        if as_json:
            print_json(done.answer)
            return
        if done.invitations and not links:
            click.echo(links_table(done.invitations), nl=False)
        tell(done.text, err=bool(done.invitations))

    words = [EXAMPLES[field.name] for field in decision.fields if field.required]
    example = f"\n\n\b\n  league arena {' '.join([decision.name, 'ARENA', *words])}"
    text = f"{decision.text.replace('{who}', 'WHO')}{example}"
    title = f"{decision.title}."
    return click.Command(decision.name, params=parameters, callback=run, help=text, short_help=title)


def _parameter(field: DecisionField) -> click.Parameter:
    if field.name == "who":
        return click.Argument(["who"])
    if field.required:
        return click.Argument([field.name], type=PATH if field.is_file else str)
    option, about = f"--{field.name.replace('_', '-')}", f"{field.about}."
    if field.words == ("true", "false"):
        return click.Option([f"{option}/--no-{option[2:]}"], default=None, help=about)
    if field.words:
        return click.Option([option], type=click.Choice(field.words), help=about)
    if field.is_file:
        return click.Option([option], type=PATH, metavar="FILE", help=about)
    return click.Option([option], metavar="TEXT", help=about)


def _written(field: DecisionField, value: object) -> str:
    """What was given on the command line, as a form would have it."""
    if isinstance(value, Path):
        try:
            return read_bytes(value, 10_000_000, ArenaError).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ArenaError(f"{shown_path(value)}: expected text in UTF-8. Save the file as UTF-8.") from None
    return str(value).lower() if isinstance(value, bool) else str(value)


for _decision in DECISIONS.values():
    command.add_command(command_of(_decision))
command.add_command(login)


# An arena as a whole


@command.command("init", short_help="Make an arena, and print the lecturer's link.")
@new_folder_argument
@click.option(
    "--config",
    required=True,
    type=PATH,
    metavar="CONFIG",
    shell_complete=complete.configs,
    help="The league that its ladder plays, with the bots of the staff.",
)
@click.option("--name", metavar="NAME", help="What the arena is called.  [default: as the league]")
@click.option("--url", metavar="URL", help="Where it will be on the web, such as https://arena.example.org.")
@json_option()
def init(folder: Path, config: Path, name: str | None, url: str | None, as_json: bool) -> None:
    """Make an arena in the folder DIR, and print the lecturer's link.

    \b
      league arena init ARENA --config configs/class.yaml
      league arena init ARENA --config configs/class.yaml --url https://arena.example.org

    The bots of CONFIG become the staff's: they play in every round. The seed of CONFIG is left out, so that nobody can
    guess the deals. The link is shown once; `league arena renew DIR lecturer` makes another one.
    """
    from league.extensions.arena.folder import make_arena
    from league.extensions.arena.people import checked_url, with_link

    base = checked_url(url) if url else ""
    arena, lecturer, code = make_arena(folder, config, name or "")
    with arena:
        if base:
            arena.set_fact("url", base)
        link = with_link(arena, lecturer, code).link
        name, secret_hash = arena.fact("name"), arena.fact("secret_hash")
    _tell(
        as_json,
        {"arena": name, "folder": str(folder), "link": link, "secret_hash": secret_hash},
        f"The arena {name} is in {shown_path(folder)}.",
        f"Your link, which is shown only now: {link}",
        f"Publish this: the final's secret has the SHA-256 {secret_hash}.",
        f"Next: `league arena serve {shown_path(folder)}`, `league arena invite {shown_path(folder)} people.csv`.",
    )


@command.command("serve", short_help="Serve an arena: pages, checks, ladder.")
@arena_argument
@click.option("--host", metavar="ADDRESS", help="Where to listen.  [default: 127.0.0.1]")
@click.option("--port", type=whole(0, 65535), help="0: any free port.  [default: 8643]")
@click.option("--url", metavar="URL", help="Where people reach it, behind a proxy. Links begin with it from now on.")
@click.option("--cert", metavar="FILE", help="The certificate for TLS, in PEM.")
@click.option("--key", metavar="FILE", help="Its private key.")
@click.option("--insecure", is_flag=True, help="Listen beyond this machine without TLS: codes can be read on the way.")
@click.option("--sign-on", nargs=2, metavar="HEADER ADDRESS", help="Trust this header of the proxy at this address.")
@workers_option
@scheduler_option
@isolation_or("How the bots of authors are confined.  [default: sandbox]")
def serve(folder: Path, **asked: Any) -> None:
    """Serve an arena: take hand-ins, check them, play the ladder and, after the deadline, the final.

    \b
      league arena serve ARENA
      league arena serve ARENA --host 0.0.0.0 --port 443 --cert cert.pem --key key.pem
      league arena serve ARENA --url https://arena.example.org        behind a proxy that has TLS

    Ctrl-C ends it; nothing that was handed in or played is lost. With --scheduler the ladder is played by a Dask
    cluster; checks stay on this machine.
    """
    from league.extensions.arena.people import checked_url
    from league.extensions.arena.serve import ServeOptions, Supervisor

    given = {name: value for name, value in asked.items() if value is not None}
    if (scheduler := given["scheduler"]) and ":" not in scheduler:
        given["scheduler"] = os.path.abspath(scheduler)
    if url := given.get("url"):
        with ArenaStore.open(folder) as arena:
            arena.set_fact("url", checked_url(url))
    options = ServeOptions(str(folder), **given)
    supervisor = Supervisor(options)
    scheme = "https" if options.cert else "http"
    tell(f"The arena is at {options.url or f'{scheme}://{options.host}:{supervisor.port}/'} (Ctrl-C ends it).")
    supervisor.run(lambda line: tell(line, err=True))


@command.command("status", short_help="Show where an arena is, or how your bot does.")
@click.argument("folder", metavar="DIR|URL", shell_complete=arenas)
@json_option()
def status(folder: str, as_json: bool) -> None:
    """Show where the arena in DIR is in its life, and who has handed in what; or how your bot does at the arena at URL.

    \b
      league arena status ARENA
      league arena status https://arena.example.org
    """
    from league.extensions.arena.status import course, course_text

    if folder.startswith(("http://", "https://")):
        tell_own_status(folder, as_json)
        return
    with ArenaStore.open(Path(folder)) as arena:
        state = course(arena)
    print_json(state) if as_json else click.echo(course_text(state))


@command.command("restore", short_help="Restore an arena from a backup.")
@click.argument("source", metavar="BACKUP", type=PATH)
@new_folder_argument
@json_option()
def restore(source: Path, folder: Path, as_json: bool) -> None:
    """Restore an arena from a BACKUP of your own, into a folder that is empty or not there.

    \b
      league arena restore arena-2026-11-18.zip ARENA
    """
    from league.extensions.arena.archive import restore

    restore(source, folder)
    text = f"The arena is in {shown_path(folder)}. `league arena serve {shown_path(folder)}` goes on with it."
    _tell(as_json, {"folder": str(folder)}, text)


@command.command("verify", short_help="Check a receipt.")
@arena_argument
@click.argument("receipt", type=PATH)
@json_option()
def verify(folder: Path, receipt: Path, as_json: bool) -> None:
    """Check whether this arena has issued a RECEIPT, a file with its JSON, and still has what it is for.

    \b
      league arena verify ARENA receipt.json

    Everybody who takes part can do the same on the arena's page. It fails if the receipt is not genuine.
    """
    from league.extensions.arena.records import Receipt

    with ArenaStore.open(folder) as arena:
        text = arena.confirm(Receipt.read(read_bytes(receipt, 1 << 20, ArenaError)))
    _tell(as_json, {"genuine": True, "about": text}, text)


def _tell(as_json: bool, data: Any, *lines: str) -> None:
    """Print the same for programs or for people."""
    if as_json:
        print_json(data)
    for line in () if as_json else lines:
        tell(line)
