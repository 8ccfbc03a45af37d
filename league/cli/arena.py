"""`league arena`: a place where people hand in bots and a ladder plays on; each subcommand is a function here."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from league.cli import complete
from league.cli.options import (
    cluster_options,
    isolation_or,
    refuse_two_clusters,
    whole,
    workers_option,
)
from league.cli.output import tell
from league.errors import ArenaError, did_you_mean
from league.tools.text import columns, fitted_table, listed, safe, shown_path
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.arena.store import ArenaStore


class _Group(click.Group):
    """Suggests a subcommand for one that is misspelt."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            ctx.fail(f"No such command {args[0]!r}.{did_you_mean(args[0], self.commands)}")
        return super().resolve_command(ctx, args)


@click.group("arena", cls=_Group)
def command() -> None:
    """Run an arena: people hand in bots over the web, a ladder plays on, and a final decides.

    \b
      league arena init ARENA --config configs/class.yaml --url https://arena.example.org
      league arena invite ARENA people.csv --links links.csv --sheet links.html
      league arena deadline ARENA "2026-12-18 18:00"

    An arena is one folder. docs/arena.md tells how to set one up in an afternoon.
    """


arena_argument = click.argument(
    "folder", metavar="DIR", type=click.Path(path_type=Path), shell_complete=complete.arenas
)
who_argument = click.argument("who", metavar="WHO", shell_complete=complete.participants)
json_option = click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
url_option = click.option(
    "--url", metavar="URL", help="Where the arena is in the web.  [default: as `init` was told, or this machine]"
)


def _answer(as_json: bool, data: Any, *lines: str) -> None:
    """Print the same for programs or for people."""
    if as_json:
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(data), indent=2))
    for line in () if as_json else lines:
        tell(line)


def _open(folder: Path) -> ArenaStore:
    from league.arena.store import ArenaStore

    return ArenaStore.open(folder)


@command.command("init", short_help="Make an arena, and print the lecturer's link.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path), shell_complete=complete.folders)
@click.option(
    "--config",
    required=True,
    type=click.Path(path_type=Path),
    metavar="CONFIG",
    shell_complete=complete.configs,
    help="The league that its ladder plays, with the bots of the staff.",
)
@click.option("--name", metavar="NAME", help="What the arena is called.  [default: as the league]")
@click.option("--url", metavar="URL", help="Where it will be in the web, such as https://arena.example.org.")
@json_option
def init(folder: Path, config: Path, name: str | None, url: str | None, as_json: bool) -> None:
    """Make an arena in the folder DIR, and print the lecturer's link.

    \b
      league arena init ARENA --config configs/class.yaml
      league arena init ARENA --config configs/class.yaml --url https://arena.example.org

    The bots of CONFIG become the staff's: they play in every round. The seed of CONFIG is left out, so that nobody can
    guess the deals. The link is shown once; `league arena revoke DIR lecturer --renew` makes another one.
    """
    from league.arena.folder import make_arena
    from league.arena.invitations import URL_FACT, checked_url, invitation

    base = checked_url(url) if url else ""
    arena, lecturer, code = make_arena(folder, config, name or "")
    with arena:
        if base:
            arena.set_fact(URL_FACT, base)
        link = invitation(arena, lecturer, code).link
        secret_hash = arena.fact("secret_hash")
        facts = {"arena": arena.fact("name"), "folder": str(folder), "link": link, "secret_hash": secret_hash}
    _answer(
        as_json,
        facts,
        f"The arena {facts['arena']} is in {shown_path(folder)}.",
        f"Your link, which is shown only now: {link}",
        f"Publish this: the final's secret has the SHA-256 {secret_hash}.",
        f"Next: `league arena serve {shown_path(folder)}`, `league arena invite {shown_path(folder)} people.csv`.",
    )


@command.command("serve", short_help="Serve an arena: pages, checks, ladder.")
@click.argument(
    "folders",
    metavar="DIR...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
    shell_complete=complete.arenas,
)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option("--port", type=whole(0, 65535), default=8643, show_default=True, metavar="N", help="0: any free port.")
@click.option("--url", default="", metavar="URL", help="Where people reach it, if a proxy is in front of it.")
@click.option("--cert", type=click.Path(path_type=Path), metavar="FILE", help="The certificate for TLS, in PEM.")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="Its private key.")
@click.option("--insecure", is_flag=True, help="Listen beyond this machine without TLS: codes can be read on the way.")
@click.option("--sign-on", nargs=2, metavar="HEADER ADDRESS", help="Trust this header of the proxy at this address.")
@workers_option
@cluster_options
@isolation_or("How the bots of authors are confined.  [default: sandbox]")
def serve(
    folders: tuple[Path, ...],
    host: str,
    port: int,
    url: str,
    cert: Path | None,
    key: Path | None,
    insecure: bool,
    sign_on: tuple[str, str] | None,
    workers: int | None,
    scheduler: str | None,
    scheduler_file: Path | None,
    isolation: Isolation | None,
) -> None:
    """Serve arenas: take hand-ins, check them, play the ladder and, after the deadline, the final.

    \b
      league arena serve ARENA
      league arena serve ARENA --host 0.0.0.0 --port 443 --cert cert.pem --key key.pem
      league arena serve ARENA --url https://arena.example.org        behind a proxy that has TLS

    Ctrl-C ends it; nothing that was handed in or played is lost. Several arenas are served below their names. With
    --scheduler or --scheduler-file the ladder is played by a Dask cluster; checks stay on this machine.
    """
    from league.arena.supervisor import ServeOptions, Supervisor

    refuse_two_clusters(scheduler, scheduler_file, workers)
    file = str(scheduler_file.absolute()) if scheduler_file else ""
    options = ServeOptions(
        *(host, port, url, str(cert or ""), str(key or ""), insecure, workers, isolation, sign_on),
        scheduler=scheduler or "",
        scheduler_file=file,
    )
    supervisor = Supervisor(folders, options)
    scheme = "https" if cert else "http"
    tell(f"The arena is at {url or f'{scheme}://{host}:{supervisor.port}/'} (Ctrl-C ends it).")
    supervisor.run(lambda line: tell(line, err=True))


@command.command("invite", short_help="Invite people, and print their links.")
@arena_argument
@click.argument("table", metavar="CSV", type=click.Path(path_type=Path))
@click.option(
    "--links", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write the links there as CSV."
)
@click.option(
    "--sheet",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a page with a QR code for each person, to print and cut up.",
)
@url_option
@json_option
def invite(folder: Path, table: Path, links: Path | None, sheet: Path | None, url: str | None, as_json: bool) -> None:
    """Invite the people in a table, and print a personal link for each of them, as CSV.

    \b
      league arena invite ARENA people.csv > links.csv
      league arena invite ARENA people.csv --links links.csv --sheet links.html

    The table has a heading `name`, and may have `alias` (what everybody sees, and the name of the bot), `team` (its
    people share a bot) and `role` (author, assistant or lecturer). Without an alias, one is drawn. Who was invited
    before is left as they are, so a table may grow and be read again. Links are shown once.
    """
    from league.arena.folder import OPERATOR
    from league.arena.invitations import checked_url, invite, links_sheet, links_table, read_guests

    base = checked_url(url) if url else ""
    guests = read_guests(table)
    for path in filter(None, (links, sheet)):
        _refuse_unwritable(path)
    with _open(folder) as arena:
        invitations, present = invite(arena, guests, OPERATOR, base)
        if links and invitations:  # else the links of those who were invited before would be lost
            _write_private(links, links_table(invitations))
        if sheet and invitations:
            _write_private(sheet, links_sheet(arena, invitations))
    if as_json:
        _answer(True, {"invited": invitations, "present": [person.alias for person in present]})
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


def _refuse_unwritable(path: Path) -> None:
    """Codes are shown once, so what cannot be written must be known before."""
    import os

    if not os.path.isdir(path.parent) or not os.access(path.parent, os.W_OK):
        raise ArenaError(f"{shown_path(path)} cannot be written: there is no such folder, or it is not yours.")


def _write_private(path: Path, text: str) -> None:
    """Write a file with links, for nobody else's eyes."""
    from league.tools.files import write_text

    write_text(path, text)
    path.chmod(0o600)


@command.command("revoke", short_help="Revoke or renew somebody's link.")
@arena_argument
@who_argument
@click.option("--renew", is_flag=True, help="Make a new link, and print it.")
@url_option
@json_option
def revoke(folder: Path, who: str, renew: bool, url: str | None, as_json: bool) -> None:
    """Let nobody in by the link of WHO any more, an alias or a name, and end their sessions.

    \b
      league arena revoke ARENA amy
      league arena revoke ARENA amy --renew    the link was lost, or somebody else has it
    """
    from league.arena.folder import OPERATOR
    from league.arena.invitations import checked_url, invitation

    base = checked_url(url) if url else ""
    with _open(folder) as arena:
        person = arena.person_called(who)
        if renew:
            link = invitation(arena, person, arena.renew(person, OPERATOR), base).link
            text = f"The new link of {person.alias}, which is shown only now: {link}"
        else:
            arena.revoke(person, OPERATOR)
            link = None
            text = f"The link of {person.alias} is revoked. Their bot plays on."
    _answer(as_json, {"alias": person.alias, "revoked": not renew, "link": link}, text)


@command.command("status", short_help="Show where an arena is, and who handed in.")
@arena_argument
@json_option
def status(folder: Path, as_json: bool) -> None:
    """Show where an arena is in its life, and who has handed in what.

    \b
      league arena status ARENA
      league arena status ARENA --json
    """
    from league.arena.overview import overview

    with _open(folder) as arena:
        seen = overview(arena)
    if as_json:
        _answer(True, seen)
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
    click.echo(f"\n{fitted_table(header, rows, ['versions', 'plays'], most=columns(), spare=['role', 'team'])}")


@command.command("deadline", short_help="Set the deadline, also for one person.")
@arena_argument
@click.argument("when", metavar="WHEN")
@click.option("--for", "who", metavar="WHO", shell_complete=complete.participants, help="Only for this person.")
@click.option(
    "--late",
    type=click.Choice(["refuse", "keep"]),
    help="What happens to later ones: they are refused, or kept aside until you accept them.  [default: as it is]",
)
@json_option
def deadline(folder: Path, when: str, who: str | None, late: str | None, as_json: bool) -> None:
    """Set the deadline to WHEN, or to none.

    \b
      league arena deadline ARENA "2026-12-18 18:00"         local time
      league arena deadline ARENA 2026-12-18T17:00Z --late keep
      league arena deadline ARENA "2026-12-20 18:00" --for amy
      league arena deadline ARENA none --for amy             hers is everybody's again

    When the last deadline is over, the arena closes and the final is played. Until then it can be moved.
    """
    from league.arena.folder import OPERATOR

    with _open(folder) as arena:
        moment = None if when == "none" else read_time(when)
        person = arena.person_called(who) if who else None
        arena.set_deadline(OPERATOR, moment, person)
        if late:
            arena.change_rules(OPERATOR, late=late)
        rule = arena.rules.late
    whose = f"The deadline of {person.alias}" if person else "The deadline"
    own = "everybody's" if person else "open"
    text = f"{whose} is {shown_time(moment) if moment else own}. Later hand-ins are {_LATE[rule]}."
    _answer(as_json, {"for": person.alias if person else None, "deadline": moment, "late": rule}, text)


_LATE = {"refuse": "refused", "keep": "kept aside"}


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


@command.command("rules", short_help="Show or change who may see and do what.")
@arena_argument
@click.option("--spectators/--no-spectators", default=None, help="Whether people without a link see standings.")
@click.option(
    "--replays",
    type=click.Choice(["public", "own", "after-final"]),
    help="Whose games authors can watch: everybody's, their own bot's, or none before the final.",
)
@click.option("--per-hour", type=whole(1, 10_000), metavar="N", help="Hand-ins of one bot within an hour.")
@click.option("--practice-per-day", type=whole(0, 10_000), metavar="N", help="Practice games that a bot may ask for.")
@click.option("--notice", metavar="TEXT", help="What everybody who takes part reads on their page; '' takes it back.")
@json_option
def rules(folder: Path, as_json: bool, **changes: Any) -> None:
    """Show the rules of an arena, or change some of them while it runs.

    \b
      league arena rules ARENA
      league arena rules ARENA --spectators --replays after-final
    """
    from league.arena.folder import OPERATOR

    given = {name: value for name, value in changes.items() if value is not None}
    with _open(folder) as arena:
        now = arena.change_rules(OPERATOR, **given) if given else arena.rules
    seen = {name: getattr(now, name) for name in changes}
    _answer(
        as_json,
        seen,
        f"People without a link {'see standings' if now.spectators else 'see nothing'}. Replays: {now.replays}.",
        f"Of one bot: {now.per_hour:,} hand-ins an hour, {now.practice_per_day:,} practice games a day.",
        *([f"Notice: {safe(now.notice)}"] if now.notice else []),
    )


@command.command("pause", short_help="Pause the ladder.")
@arena_argument
@json_option
def pause(folder: Path, as_json: bool) -> None:
    """Pause the ladder within seconds; what it has played is kept. Hand-ins and checks go on.

    \b
      league arena pause ARENA
    """
    _set_paused(folder, True, as_json)


@command.command("resume", short_help="Resume the ladder.")
@arena_argument
@json_option
def resume(folder: Path, as_json: bool) -> None:
    """Resume the ladder after a pause, where it has stopped.

    \b
      league arena resume ARENA
    """
    _set_paused(folder, False, as_json)


def _set_paused(folder: Path, paused: bool, as_json: bool) -> None:
    from league.arena.folder import OPERATOR

    with _open(folder) as arena:
        arena.change_rules(OPERATOR, paused=paused)
    text = (
        "The ladder stops within seconds, and keeps what it has played. Hand-ins are taken and checked."
        if paused
        else "The ladder plays on."
    )
    _answer(as_json, {"paused": paused}, text)


@command.command("final", short_help="Close the arena now and play its final.")
@arena_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def final(folder: Path, yes: bool, as_json: bool) -> None:
    """Close the arena now, instead of at its deadline, and let the final be played.

    \b
      league arena final ARENA
      league arena final ARENA --yes

    Hand-ins end, waiting ones are checked, the standings freeze, and the final is played by `league arena serve`.
    """
    from league.arena.folder import OPERATOR

    with _open(folder) as arena:
        if arena.rules.phase == "open" and not yes:
            click.confirm(f"Close {arena.fact('name')} for good and play its final?", abort=True, err=True)
        arena.begin_final(OPERATOR)
    _answer(as_json, {"phase": "closed"}, "The arena is closed. The final begins when the last checks are done.")


@command.command("hide", short_help="Hide somebody's bot from other authors.")
@arena_argument
@who_argument
@click.option("--show", is_flag=True, help="Instead, show them again.")
@json_option
def hide(folder: Path, who: str, show: bool, as_json: bool) -> None:
    """Hide WHO's bot from other authors and spectators: its name, its games, and it as an opponent for practice.

    \b
      league arena hide ARENA amy
      league arena hide ARENA amy --show

    It plays on, and keeps its place in the standings, where others read `hidden` and a number instead of its name.
    """
    from league.arena.folder import OPERATOR

    with _open(folder) as arena:
        person = arena.person_called(who)
        arena.change_person(person, OPERATOR, hidden=not show)
    _answer(
        as_json,
        {"alias": person.alias, "hidden": not show},
        f"{person.bot} is shown to {'everybody again' if show else 'its author and the staff alone'}.",
    )


@command.command("disqualify", short_help="Take somebody's bot out of the ladder.")
@arena_argument
@who_argument
@click.option("--reason", metavar="TEXT", default="", help="Why, in words that its author reads.")
@click.option("--undo", is_flag=True, help="Instead, let them take part again.")
@json_option
def disqualify(folder: Path, who: str, reason: str, undo: bool, as_json: bool) -> None:
    """Take the bot of WHO out of the ladder and the final, from the next round on.

    \b
      league arena disqualify ARENA amy --reason "the code is Bob's"
      league arena disqualify ARENA amy --undo
    """
    from league.arena.folder import OPERATOR

    if bool(reason.strip()) == undo:
        raise click.UsageError("expected either --reason TEXT or --undo.")
    with _open(folder) as arena:
        person = arena.person_called(who)
        arena.change_person(person, OPERATOR, disqualified=reason.strip())
    text = f"{person.bot} takes part again." if undo else f"{person.bot} plays no more from the next round on."
    _answer(as_json, {"alias": person.alias, "bot": person.bot, "disqualified": reason.strip()}, text)


@command.command("backup", short_help="Write a backup, also while it runs.")
@arena_argument
@click.argument("target", metavar="TO", type=click.Path(path_type=Path))
@json_option
def backup(folder: Path, target: Path, as_json: bool) -> None:
    """Write all that an arena needs into the file TO, a .zip, also while it runs.

    \b
      league arena backup ARENA arena-2026-11-18.zip

    It holds everybody's code and the secret of the final: keep it to yourself.
    """
    from league.arena.archive import backup

    size = backup(folder, target)
    _answer(as_json, {"file": str(target), "bytes": size}, f"{shown_path(target)} has it all, in {size:,} bytes.")


@command.command("restore", short_help="Restore an arena from a backup.")
@click.argument("source", metavar="BACKUP", type=click.Path(path_type=Path))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path), shell_complete=complete.folders)
@json_option
def restore(source: Path, folder: Path, as_json: bool) -> None:
    """Restore an arena from a BACKUP of your own, into a folder that is empty or not there.

    \b
      league arena restore arena-2026-11-18.zip ARENA
    """
    from league.arena.archive import restore

    restore(source, folder)
    text = f"The arena is in {shown_path(folder)}. `league arena serve {shown_path(folder)}` goes on with it."
    _answer(as_json, {"folder": str(folder)}, text)


@command.command("export", short_help="Export all records as plain files.")
@arena_argument
@click.argument("target", metavar="TO", type=click.Path(path_type=Path), shell_complete=complete.folders)
@json_option
def export(folder: Path, target: Path, as_json: bool) -> None:
    """Export an arena's records into the folder TO: every version as a file, and tables as CSV.

    \b
      league arena export ARENA records

    The tables are people, receipts, verdicts, rounds and audit. The ladder and the final are leagues: `league export`
    and `league standings` read them.
    """
    from league.arena.archive import export

    numbers = export(folder, target)
    lines = ", ".join(f"{name}.csv ({number:,})" for name, number in numbers.items())
    _answer(as_json, {"folder": str(target), "rows": numbers}, f"In {shown_path(target)}: {lines}, versions/.")


@command.command("grades", short_help="Write a grade for each author.")
@arena_argument
@click.option(
    "--scheme", type=click.Path(path_type=Path), metavar="FILE", help="How grades are made.  [default: milestones]"
)
@click.option("--to", "target", type=click.Path(path_type=Path), metavar="FILE", help="Write them there.")
@json_option
def grades(folder: Path, scheme: Path | None, target: Path | None, as_json: bool) -> None:
    """Write a grade for each author as CSV, with all that is behind it. People of a team share the grade of their bot.

    \b
      league arena grades ARENA > grades.csv
      league arena grades ARENA --scheme scheme.yaml --to grades.csv

    They are of the final when it is over, before that of the ladder as it is. A scheme is as for `league grades`.
    """
    import csv
    from io import StringIO

    from league.arena.grading import grade_table
    from league.course.grades import Scheme, read_scheme
    from league.tools.files import write_text

    with _open(folder) as arena:
        table = grade_table(arena, read_scheme(scheme) if scheme else Scheme())
    if target:
        write_text(target, table)
        _answer(as_json, {"file": str(target)}, f"The grades are in {shown_path(target)}.")
    elif as_json:
        _answer(as_json, {"grades": list(csv.DictReader(StringIO(table)))})
    else:
        click.echo(table, nl=False)


@command.command("verify", short_help="Check a receipt.")
@arena_argument
@click.argument("receipt", metavar="RECEIPT", type=click.Path(path_type=Path))
@json_option
def verify(folder: Path, receipt: Path, as_json: bool) -> None:
    """Check whether this arena has issued a RECEIPT, a file with its JSON, and still has what it is for.

    \b
      league arena verify ARENA receipt.json

    Everybody who takes part can do the same on the arena's page. It fails if the receipt is not genuine.
    """
    from league.arena.access import read_receipt
    from league.tools.files import read_bytes

    with _open(folder) as arena:
        text = arena.confirm(read_receipt(read_bytes(receipt, 1 << 20, ArenaError)))
    _answer(as_json, {"genuine": True, "about": text}, text)


@command.command("forget", short_help="Forget somebody after the final.")
@arena_argument
@who_argument
@json_option
def forget(folder: Path, who: str, as_json: bool) -> None:
    """Forget WHO after the final: of their name the alias is left, of their sources the hashes.

    \b
      league arena forget ARENA amy

    Standings, receipts and moves stay. Backups and exports that you have made are yours to delete.
    """
    from league.arena.archive import forget
    from league.arena.folder import OPERATOR

    with _open(folder) as arena:
        gone = forget(arena, arena.person_called(who), OPERATOR)
    text = f"{gone.alias} is forgotten: the name, the link and the names of files are erased."
    if gone.sources:
        text += f" So are the sources of {gone.bot}: its games are shown from stored moves, and cannot be played again."
    else:
        text += f" The sources of {gone.bot} stay, because others of the team are still there."
    _answer(as_json, gone, text)
