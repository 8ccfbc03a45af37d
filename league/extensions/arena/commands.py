"""`league arena`: a place where people hand in bots and a ladder plays on; each subcommand is a function here."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from league.cli import SuggestingGroup, complete
from league.cli.options import (
    FILE,
    JSON_HELP,
    PATH,
    cluster_options,
    isolation_or,
    json_option,
    refuse_two_clusters,
    scheme_option,
    whole,
    workers_option,
)
from league.cli.output import print_json, refuse_unwritable, tell
from league.errors import ArenaError, LeagueError
from league.extensions.arena.author_commands import login, tell_own_status
from league.tools.table import Table
from league.tools.text import columns, listed, safe, shown_path
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.extensions.arena.store import ArenaStore

OPERATOR = "operator"
"""The actor of what was asked for by a command, on the machine of the arena."""
Answer = tuple[Any, ...]
"""What a subcommand answers: data for programs, and then sentences for people."""


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
    """Folders of arenas, in this folder; and any other path, once one is begun."""
    return complete.starting(typed, sorted(str(path.parent) for path in Path().glob("*/arena.db"))) or complete.paths(
        typed
    )


def participants(ctx: click.Context, parameter: click.Parameter, typed: str) -> complete.Items:
    """The people of the arena that was named, by alias."""
    from league.extensions.arena.store import ArenaStore

    try:
        with ArenaStore.open(Path(complete.given(ctx, "folder"))) as arena:
            return complete.starting(typed, [person.alias for person in arena.people()])
    except LeagueError:
        return []


arena_argument = click.argument("folder", metavar="DIR", type=PATH, shell_complete=arenas)
new_folder_argument = click.argument("folder", metavar="DIR", type=PATH, shell_complete=complete.folders)
who_argument = click.argument("who", shell_complete=participants)
url_option = click.option(
    "--url", metavar="URL", help="Where the arena is on the web.  [default: as `init` was told, or this machine]"
)


def subcommand(name: str, about: str) -> Callable[[Callable[..., Answer]], click.Command]:
    """Add a subcommand for the arena in DIR, with --json. Its function gets the arena, and returns its answer."""

    def add(function: Callable[..., Answer]) -> click.Command:
        @command.command(name, short_help=about)
        @arena_argument
        @wraps(function)
        def run(folder: Path, as_json: bool, **given: Any) -> None:
            with _open(folder) as arena:
                answer = function(arena, **given)
            _tell(as_json, *answer)

        run.params.append(click.Option(["--json", "as_json"], is_flag=True, help=JSON_HELP))
        return run

    return add


def _tell(as_json: bool, data: Any, *lines: str) -> None:
    """Print the same for programs or for people."""
    if as_json:
        print_json(data)
    for line in () if as_json else lines:
        tell(line)


def _open(folder: Path) -> ArenaStore:
    from league.extensions.arena.store import ArenaStore

    return ArenaStore.open(folder)


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
    guess the deals. The link is shown once; `league arena revoke DIR lecturer --renew` makes another one.
    """
    from league.extensions.arena.folder import make_arena
    from league.extensions.arena.invitations import URL_FACT, checked_url, invitation

    base = checked_url(url) if url else ""
    arena, lecturer, code = make_arena(folder, config, name or "")
    with arena:
        if base:
            arena.set_fact(URL_FACT, base)
        link = invitation(arena, lecturer, code).link
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
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Where to listen.")
@click.option("--port", type=whole(0, 65535), default=8643, help="0: any free port.")
@click.option("--url", metavar="URL", help="Where people reach it, if a proxy is in front of it.")
@click.option("--cert", type=PATH, metavar="FILE", help="The certificate for TLS, in PEM.")
@click.option("--key", type=PATH, metavar="FILE", help="Its private key.")
@click.option("--insecure", is_flag=True, help="Listen beyond this machine without TLS: codes can be read on the way.")
@click.option("--sign-on", nargs=2, metavar="HEADER ADDRESS", help="Trust this header of the proxy at this address.")
@workers_option
@cluster_options
@isolation_or("How the bots of authors are confined.  [default: sandbox]")
def serve(
    folder: Path,
    host: str,
    port: int,
    url: str | None,
    cert: Path | None,
    key: Path | None,
    insecure: bool,
    sign_on: tuple[str, str] | None,
    workers: int | None,
    scheduler: str | None,
    scheduler_file: Path | None,
    isolation: Isolation | None,
) -> None:
    """Serve an arena: take hand-ins, check them, play the ladder and, after the deadline, the final.

    \b
      league arena serve ARENA
      league arena serve ARENA --host 0.0.0.0 --port 443 --cert cert.pem --key key.pem
      league arena serve ARENA --url https://arena.example.org        behind a proxy that has TLS

    Ctrl-C ends it; nothing that was handed in or played is lost. With --scheduler or
    --scheduler-file the ladder is played by a Dask cluster; checks stay on this machine.
    """
    from league.extensions.arena.supervisor import ServeOptions, Supervisor

    refuse_two_clusters(scheduler, scheduler_file, workers)
    options = ServeOptions(
        *(host, port, url or "", str(cert or ""), str(key or ""), insecure, workers, isolation, sign_on),
        scheduler=scheduler or "",
        scheduler_file=str(scheduler_file.absolute()) if scheduler_file else "",
    )
    supervisor = Supervisor(folder, options)
    scheme = "https" if cert else "http"
    tell(f"The arena is at {url or f'{scheme}://{host}:{supervisor.port}/'} (Ctrl-C ends it).")
    supervisor.run(lambda line: tell(line, err=True))


@command.command("invite", short_help="Invite people, and print their links.")
@arena_argument
@click.argument("table", metavar="CSV", type=PATH)
@click.option("--links", type=FILE, help="Write the links there as CSV.")
@click.option("--sheet", type=FILE, help="Write a page with a QR code for each person, to print and cut up.")
@url_option
@json_option()
def invite(folder: Path, table: Path, links: Path | None, sheet: Path | None, url: str | None, as_json: bool) -> None:
    """Invite the people in a table, and print a personal link for each of them, as CSV.

    \b
      league arena invite ARENA people.csv > links.csv
      league arena invite ARENA people.csv --links links.csv --sheet links.html

    The table has a heading `name`, and may have `alias` (what everybody sees, and the name of the bot), `team` (its
    people share a bot) and `role` (author, assistant or lecturer). Without an alias, one is drawn. Who was invited
    before is left as they are, so a table may grow and be read again. Links are shown once.
    """
    from league.extensions.arena.invitations import checked_url, invite, links_sheet, links_table, read_guests

    base = checked_url(url) if url else ""
    guests = read_guests(table)
    for path in (links, sheet):  # codes are shown once, so what cannot be written must be known before
        refuse_unwritable(path)
    with _open(folder) as arena:
        invitations, present = invite(arena, guests, OPERATOR, base)
        if links and invitations:  # else the links of those who were invited before would be lost
            _write_private(links, links_table(invitations))
        if sheet and invitations:
            _write_private(sheet, links_sheet(arena, invitations))
    if as_json:
        print_json({"invited": invitations, "present": [person.alias for person in present]})
        return
    if not links:
        click.echo(links_table(invitations), nl=False)
    files = [shown_path(path) for path in (links, sheet) if path and invitations]
    where = f" Links are in {listed(files)}." if files else ""
    tell(f"{_people(len(invitations))} invited.{where}", err=True)
    if present:
        tell(f"Already there: {listed([person.alias for person in present])}.", err=True)


def _people(number: int) -> str:
    return "1 person was" if number == 1 else f"{number:,} people were"


def _write_private(path: Path, text: str) -> None:
    """Write a file with links, for nobody else's eyes."""
    from league.tools.files import write_text

    write_text(path, text)
    path.chmod(0o600)


@subcommand("revoke", "Revoke or renew somebody's link.")
@who_argument
@click.option("--renew", is_flag=True, help="Make a new link, and print it.")
@url_option
def revoke(arena: ArenaStore, who: str, renew: bool, url: str | None) -> Answer:
    """Let nobody in by the link of WHO any more, an alias or a name, and end their sessions.

    \b
      league arena revoke ARENA amy
      league arena revoke ARENA amy --renew    the link was lost, or somebody else has it
    """
    from league.extensions.arena.invitations import checked_url, invitation

    base = checked_url(url) if url else ""
    person = arena.person_called(who)
    if renew:
        link = invitation(arena, person, arena.renew(person, OPERATOR), base).link
        text = f"The new link of {person.alias}, which is shown only now: {link}"
    else:
        arena.revoke(person, OPERATOR)
        link = None
        text = f"The link of {person.alias} is revoked. Their bot plays on."
    return {"alias": person.alias, "revoked": not renew, "link": link}, text


command.add_command(login)


@command.command("status", short_help="Show where an arena is, or how your bot does.")
@click.argument("folder", metavar="DIR|URL", shell_complete=arenas)
@json_option()
def status(folder: str, as_json: bool) -> None:
    """Show where the arena in DIR is in its life, and who has handed in what; or how your bot does at the arena at URL.

    \b
      league arena status ARENA
      league arena status https://arena.example.org
    """
    from league.extensions.arena.overview import overview

    if folder.startswith(("http://", "https://")):
        tell_own_status(folder, as_json)
        return
    with _open(Path(folder)) as arena:
        seen = overview(arena)
    if as_json:
        print_json(seen)
        return
    deadline = f"until {shown_time(seen.deadline)}" if seen.deadline else "without a deadline"
    phases = {
        "open": f"takes hand-ins {deadline}",
        "closed": "is closed, and checks what came last",
        "final": "plays its final",
        "over": "is over, and its final is published",
    }
    tell(f"The arena {seen.name} {phases[seen.phase]}.{' Its ladder is paused.' if seen.paused else ''}")
    tell(f"Rounds: {seen.rounds:,}. Bots in the ladder: {seen.playing:,}. Hand-ins in the queue: {seen.waiting:,}.")
    published = {
        "SHA-256 of its secret": seen.secret_hash,
        "hash of its roster": seen.roster_hash,
        "secret": seen.secret,
    }
    for what, value in published.items():
        if value:
            tell(f"The final, {what}: {value}")
    rows = [
        (
            author.alias,
            author.name,
            author.team,
            author.role,
            author.versions,
            author.last or "-",
            author.plays or "-",
            ", ".join(author.notes),
        )
        for author in seen.authors
    ]
    header = ["alias", "name", "team", "role", "versions", "last", "plays", "notes"]
    click.echo(f"\n{Table.of(header, rows, ['versions', 'plays'], ['role', 'team']).text(columns())}")


@subcommand("deadline", "Set the deadline, also for one person.")
@click.argument("when")
@click.option("--for", "who", metavar="WHO", shell_complete=participants, help="Only for this person.")
@click.option(
    "--late",
    type=click.Choice(["refuse", "keep"]),
    help="What happens to later ones: they are refused, or kept aside until you accept them.  [default: as it is]",
)
def deadline(arena: ArenaStore, when: str, who: str | None, late: str | None) -> Answer:
    """Set the deadline to WHEN, or to none.

    \b
      league arena deadline ARENA "2026-12-18 18:00"         local time
      league arena deadline ARENA 2026-12-18T17:00Z --late keep
      league arena deadline ARENA "2026-12-20 18:00" --for amy
      league arena deadline ARENA none --for amy             hers is everybody's again

    When the last deadline is over, the arena closes and the final is played. Until then it can be moved.
    """
    moment = None if when == "none" else read_time(when)
    person = arena.person_called(who) if who else None
    arena.set_deadline(OPERATOR, moment, person)
    if late:
        arena.change_rules(OPERATOR, late=late)
    rule = arena.rules.late
    whose = f"The deadline of {person.alias}" if person else "The deadline"
    own = "everybody's" if person else "open"
    later = {"refuse": "refused", "keep": "kept aside"}[rule]
    text = f"{whose} is {shown_time(moment) if moment else own}. Later hand-ins are {later}."
    return {"for": person.alias if person else None, "deadline": moment, "late": rule}, text


def read_time(text: str) -> float:
    """A moment, from ISO 8601 or 'YYYY-MM-DD HH:MM', in local time unless it has a zone."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or len(text) <= len("2026-12-18"):
        hint = "Write it like '2026-12-18 18:00'; 2026-12-18T17:00Z is in UTC; none takes it back."
        raise ArenaError(f"Expected a date and a time, found {text!r}. {hint}")
    return moment.timestamp()


def shown_time(seconds: float) -> str:
    """A moment in local time, with its zone."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")


@subcommand("rules", "Show or change who may see and do what.")
@click.option("--spectators/--no-spectators", default=None, help="Whether people without a link see standings.")
@click.option(
    "--replays",
    type=click.Choice(["public", "own", "after-final"]),
    help="Whose games authors can watch: everybody's, their own bot's, or none before the final.",
)
@click.option("--per-hour", type=whole(1, 10_000), help="Hand-ins of one bot within an hour.")
@click.option("--notice", metavar="TEXT", help="What everybody who takes part reads on their page; '' takes it back.")
def rules(arena: ArenaStore, **changes: Any) -> Answer:
    """Show the rules of an arena, or change some of them while it runs.

    \b
      league arena rules ARENA
      league arena rules ARENA --spectators --replays after-final
    """
    given = {name: value for name, value in changes.items() if value is not None}
    now = arena.change_rules(OPERATOR, **given) if given else arena.rules
    return (
        {name: getattr(now, name) for name in changes},
        f"People without a link {'see standings' if now.spectators else 'see nothing'}. Replays: {now.replays}.",
        f"Of one bot: {now.per_hour:,} hand-ins an hour.",
        *([f"Notice: {safe(now.notice)}"] if now.notice else []),
    )


@subcommand("pause", "Pause the ladder.")
def pause(arena: ArenaStore) -> Answer:
    """Pause the ladder within seconds; what it has played is kept. Hand-ins and checks go on.

    \b
      league arena pause ARENA
    """
    arena.change_rules(OPERATOR, paused=True)
    text = "The ladder stops within seconds, and keeps what it has played. Hand-ins are taken and checked."
    return {"paused": True}, text


@subcommand("resume", "Resume the ladder.")
def resume(arena: ArenaStore) -> Answer:
    """Resume the ladder after a pause, where it has stopped.

    \b
      league arena resume ARENA
    """
    arena.change_rules(OPERATOR, paused=False)
    return {"paused": False}, "The ladder plays on."


@subcommand("final", "Close the arena now and play its final.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def final(arena: ArenaStore, yes: bool) -> Answer:
    """Close the arena now, instead of at its deadline, and let the final be played.

    \b
      league arena final ARENA
      league arena final ARENA --yes

    Hand-ins end, waiting ones are checked, the standings freeze, and the final is played by `league arena serve`.
    """
    if arena.rules.phase == "open" and not yes:
        click.confirm(f"Close {arena.fact('name')} for good and play its final?", abort=True, err=True)
    arena.begin_final(OPERATOR)
    return {"phase": "closed"}, "The arena is closed. The final begins when the last checks are done."


@subcommand("disqualify", "Take somebody's bot out of the ladder.")
@who_argument
@click.option("--reason", metavar="TEXT", help="Why, in words that its author reads.")
@click.option("--undo", is_flag=True, help="Instead, let them take part again.")
def disqualify(arena: ArenaStore, who: str, reason: str | None, undo: bool) -> Answer:
    """Take the bot of WHO out of the ladder and the final, from the next round on.

    \b
      league arena disqualify ARENA amy --reason "the code is Bob's"
      league arena disqualify ARENA amy --undo
    """
    why = (reason or "").strip()
    if bool(why) == undo:
        raise click.UsageError("expected either --reason TEXT or --undo.")
    person = arena.person_called(who)
    arena.change_person(person, OPERATOR, disqualified=why)
    text = f"{person.bot} takes part again." if undo else f"{person.bot} plays no more from the next round on."
    return {"alias": person.alias, "bot": person.bot, "disqualified": why}, text


@subcommand("backup", "Write a backup, also while it runs.")
@click.argument("target", metavar="TO", type=PATH)
def backup(arena: ArenaStore, target: Path) -> Answer:
    """Write all that an arena needs into the file TO, a .zip, also while it runs.

    \b
      league arena backup ARENA arena-2026-11-18.zip

    It holds everybody's code and the secret of the final: keep it to yourself.
    """
    from league.extensions.arena.archive import backup

    size = backup(arena.folder, target)
    return {"file": str(target), "bytes": size}, f"{shown_path(target)} has it all, in {size:,} bytes."


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


@subcommand("export", "Export all records as plain files.")
@click.argument("target", metavar="TO", type=PATH, shell_complete=complete.folders)
def export(arena: ArenaStore, target: Path) -> Answer:
    """Export an arena's records into the folder TO: every version as a file, and tables as CSV.

    \b
      league arena export ARENA records

    The tables are people, receipts, verdicts, rounds and audit. The ladder and the final are leagues, which
    `league find --to` and `league standings` read.
    """
    from league.extensions.arena.archive import export

    rows = export(arena.folder, target)
    tables = ", ".join(f"{name}.csv ({count:,})" for name, count in rows.items())
    return {"folder": str(target), "rows": rows}, f"In {shown_path(target)}: {tables}, versions/."


@command.command("grades", short_help="Write a grade for each author.")
@arena_argument
@scheme_option
@click.option("--to", "target", type=PATH, metavar="FILE", help="Write them there.")
@json_option()
def grades(folder: Path, scheme: Path | None, target: Path | None, as_json: bool) -> None:
    """Write a grade for each author as CSV, with all that is behind it. People of a team share the grade of their bot.

    \b
      league arena grades ARENA > grades.csv
      league arena grades ARENA --scheme scheme.yaml --to grades.csv

    They are of the final when it is over, before that of the ladder as it is. A scheme is as for `league class grades`.
    """
    import csv
    from io import StringIO

    from league.extensions.arena.grading import grade_table
    from league.extensions.course.grades import Scheme, read_scheme
    from league.tools.files import write_text

    with _open(folder) as arena:
        table = grade_table(arena, read_scheme(scheme) if scheme else Scheme())
    if target:
        write_text(target, table)
        _tell(as_json, {"file": str(target)}, f"The grades are in {shown_path(target)}.")
    elif as_json:
        print_json({"grades": list(csv.DictReader(StringIO(table)))})
    else:
        click.echo(table, nl=False)


@subcommand("verify", "Check a receipt.")
@click.argument("receipt", type=PATH)
def verify(arena: ArenaStore, receipt: Path) -> Answer:
    """Check whether this arena has issued a RECEIPT, a file with its JSON, and still has what it is for.

    \b
      league arena verify ARENA receipt.json

    Everybody who takes part can do the same on the arena's page. It fails if the receipt is not genuine.
    """
    from league.extensions.arena.access import read_receipt
    from league.tools.files import read_bytes

    text = arena.confirm(read_receipt(read_bytes(receipt, 1 << 20, ArenaError)))
    return {"genuine": True, "about": text}, text


@subcommand("forget", "Forget somebody after the final.")
@who_argument
def forget(arena: ArenaStore, who: str) -> Answer:
    """Forget WHO after the final: of their name the alias is left, of their sources the hashes.

    \b
      league arena forget ARENA amy

    Standings, receipts and moves stay. Backups and exports that you have made are yours to delete.
    """
    from league.extensions.arena.archive import forget

    gone = forget(arena, arena.person_called(who), OPERATOR)
    text = f"{gone.alias} is forgotten: the name, the link and the names of files are erased."
    if gone.sources:
        text += f" So are the sources of {gone.bot}: its games are shown from stored moves, and cannot be played again."
    else:
        text += f" The sources of {gone.bot} stay, because others of the team are still there."
    return gone, text
