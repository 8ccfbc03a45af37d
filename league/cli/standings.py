"""Commands that show standings: `standings` prints the tables of a league or writes its page, `serve` shows it live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from league.cli import complete
from league.cli.options import contest_option, goes_with, league_argument, only_these, parts, sandbox_option, whole
from league.cli.output import print_json, tell
from league.errors import LeagueError, did_you_mean
from league.results.lines import SORTS, Line, board, boards
from league.tools.table import Table
from league.tools.text import columns, first_few, safe, shown_path
from league.values.settings import PERCENT, Isolation

if TYPE_CHECKING:
    from league.results.history import HistoryEntry
    from league.results.milestones import Progress
    from league.results.standings import Standings

SHOWN_LEADERS = 3
SHOWN_DIGITS = 8
"""Digits of the hashes of configs and bots."""


@click.command("standings")
@league_argument
@contest_option
@parts
@click.option("--sort", type=click.Choice(SORTS), default="place", help="The column to sort by.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["table", "csv", "json", "markdown"]),
    default="table",
    help="For reading, spreadsheets, programs or web pages.",
)
@click.option("--notices", "all_notices", is_flag=True, help="Print all notices and the Nash averages.")
@click.option("--history", is_flag=True, help="Show the standings after each run instead, and the last changes.")
@click.option("--bot", metavar="BOT", shell_complete=complete.entrants, help="With --history: of this bot alone.")
@click.option(
    "--page",
    metavar="[FOLDER]",
    is_flag=False,
    flag_value="",
    help="Write the page of the league instead, as of now.  [default: into DIR, or DIR/public if it is to hand out]",
)
@click.option("--public", is_flag=True, help="With --page: without tracebacks, source, config and seed.")
@click.option("--anonymous", is_flag=True, help="With --page: also with aliases, which stay the same, for names.")
def standings_command(
    folder: Path,
    *,
    game: str | None,
    only: tuple[str, ...],
    without: tuple[str, ...],
    sort: str,
    style: str,
    all_notices: bool,
    history: bool,
    bot: str | None,
    page: str | None,
    public: bool,
    anonymous: bool,
) -> None:
    """Show the standings of the league whose results are in DIR, or write its page.

    Without --game, all contests count together, each equally, and bots that do not play all of them come last. If these
    are most of the bots, the table of each contest is shown instead.

    A page to hand out is written to a folder of its own. The key of its aliases stays in DIR, as aliases.json. What the
    config says of the `page` applies too.

    \b
      league standings results/quick --game raj --format csv
      league standings results/quick --history --bot amy
      league standings results/quick --page --public
    """
    goes_with("--page", page is not None, public=public, anonymous=anonymous)
    goes_with("--history; --only rates some bots alone", history, bot=bot)
    if page is not None:
        only_these("--page", "page", "public", "anonymous")
        _write_page(folder, page, public=public, anonymous=anonymous)
    elif history:
        only_these("--history", "history", "bot", "style")
        _tell_history(folder, bot, style)
    else:
        from league.results.milestones import all_progress
        from league.results.standings import Standings
        from league.results.store import Store

        with Store.open(folder) as store:
            standings, milestones = Standings.of(store, only, without), store.settings().milestones
        progress = all_progress(standings, milestones) if milestones and not (only or without) else []
        if style == "table":
            _show(standings, game, progress, folder, sort, everything=all_notices)
        else:
            _export(standings, game, progress, style, sort)


def _show(
    standings: Standings, game: str | None, progress: Sequence[Progress], folder: Path, sort: str, *, everything: bool
) -> None:
    """Print the overall table, or that of each contest; then who is best, milestones and notices."""
    from league.results.report import lines_table, notice_lines, overall_comes_first, story

    overall = not game and overall_comes_first(standings)
    contests = standings.chosen(game) if game else list(standings.contests.values())
    tables = {"": standings.overall} if overall else {contest.contest.title: contest.lines for contest in contests}
    for title, lines in tables.items():
        table = lines_table(lines, folder, columns(), sort)
        click.echo(table if len(tables) == 1 else f"{title}\n\n{table}\n")
    for contest in contests:
        for text in story(contest, nash=everything):
            tell(f"{contest.contest.title}: {text}" if len(contests) > 1 else text[0].upper() + text[1:])
    if progress:
        rows = []
        for bot in progress:
            reached = ", ".join(step.title for step in bot.steps if step.reached) or "-"
            missing = next((f"{step.state}: {step.about}" for step in bot.steps if not step.reached), "-")
            rows.append((safe(bot.bot), f"{bot.points:g}", safe(reached), safe(missing)))
        table = Table.of(["bot", "points", "reached", "next"], rows, ["points"]).text(columns())
        click.echo(f"\nMilestones:\n{table}\n")
    notices = standings.notices if overall else [text for contest in contests for text in contest.notices]
    for line in notice_lines(notices, folder, everything=everything):
        tell(line)


def _export(standings: Standings, game: str | None, progress: Sequence[Progress], style: str, sort: str) -> None:
    tables: dict[str, list[Line]] = {"overall": standings.overall}
    notices = standings.notices
    if game:
        contests = standings.chosen(game)
        tables = {contest.contest.key: contest.lines for contest in contests}
        notices = [text for contest in contests for text in contest.notices]
    if style != "json":
        table = boards(tables, sort)
        click.echo(table.csv() if style == "csv" else table.markdown(), nl=style != "csv")
        return
    shown = {key: board(lines, sort).json() for key, lines in tables.items()}
    print_json({"standings": shown, "notices": notices} | ({"milestones": progress} if progress else {}))


def _tell_history(folder: Path, bot: str | None, style: str) -> None:
    """Print the standings after each finished run; one that changed nothing adds nothing."""
    from league.results.history import last_changes, read_history
    from league.results.store import Store

    if style not in ("table", "json"):
        raise click.UsageError(f"--history is a table or json, not {style}.")
    with Store.open(folder) as store:
        entries = read_history(store)
        changed, titles = last_changes(store), store.settings().titles() if entries else {}
    known = sorted({name for entry in entries for name in entry.versions})
    if bot is not None and bot not in known and entries:
        raise LeagueError(f"There is no bot {safe(bot)!r} in this history.{did_you_mean(bot, known)}")
    if style == "json":
        print_json(entries if bot is None else [entry.of(bot) for entry in entries if bot in entry.versions])
    elif not entries:
        tell(f"No run of {shown_path(folder)} was finished yet.")
    elif bot is not None:
        click.echo(_of_bot(entries, bot, titles).text(columns()))
    else:
        click.echo(_of_league(entries).text(columns()))
        for line in changed:
            tell(line)


def _of_league(entries: Sequence[HistoryEntry]) -> Table:
    rows = []
    for number, entry in enumerate(entries, 1):
        overall = entry.boards["overall"].items()
        first = [f"{name} {line.shown_rating}" for name, line in overall if line.place.split("-")[0] == "1"]
        leaders, config = first_few(first, SHOWN_LEADERS, "or") or "-", entry.config[:SHOWN_DIGITS]
        rows.append((number, _date(entry), f"{entry.games:,}", len(entry.versions), config, leaders))
    return Table.of(("run", "ended", "games", "bots", "config", "first overall"), rows, ("run", "games"), ("config",))


def _of_bot(entries: Sequence[HistoryEntry], bot: str, titles: Mapping[str, str]) -> Table:
    rows = [
        (
            *(number, _date(entry), entry.versions[bot][:SHOWN_DIGITS], titles.get(key, key), standing.place),
            *(standing.shown_rating, standing.shown_interval, f"{standing.games:,}"),
        )
        for number, entry in enumerate(entries, 1)
        for key, board in entry.boards.items()
        if (standing := board.get(bot))
    ]
    header = ("run", "ended", "version", "contest", "place", "rating", PERCENT, "games")
    return Table.of(header, rows, ("run", "rating", PERCENT, "games"), ("version", "games", PERCENT))


def _date(entry: HistoryEntry) -> str:
    return datetime.fromtimestamp(entry.ended).astimezone().strftime("%Y-%m-%d %H:%M")


def _write_page(folder: Path, target: str, *, public: bool, anonymous: bool) -> None:
    from msgspec.structs import replace

    from league.page import write_page
    from league.page.privacy import KEY
    from league.results.standings import Standings
    from league.results.store import Store

    with Store.open(folder) as store:
        asked = store.settings().page
        settings = replace(asked, public=public or asked.public, anonymous=anonymous or asked.anonymous)
        where = Path(target) if target else folder / "public" if public or anonymous else folder
        page = write_page(store, Standings.of(store), settings=settings, folder=where)
    tell(f"The standings are in {shown_path(page)}.")
    if settings.anonymous:
        tell(f"The key of the aliases is in {shown_path(folder / KEY)}: keep it to yourself.")


@click.command("serve")
@league_argument
@click.option("--port", type=whole(0, 65535), default=8642, help="0: any free port.")
@sandbox_option
def serve_command(folder: Path, port: int, isolation: Isolation) -> None:
    """Show the standings page of the league in DIR on this machine, live while it is being played.

    If DIR holds several leagues, such as results/, all of them are shown. Any game can be watched with a click.
    You can play against its bots too. Nothing is written, and only this machine can reach it. Ctrl-C stops it.
    """
    from league.page.server import PageServer

    server = PageServer(folder, port, isolation)
    click.echo(f"{shown_path(folder)} is at http://localhost:{server.port}/ (Ctrl-C stops the server).")
    try:
        server.run()
    finally:
        click.echo("\nleague: the server has stopped.", err=True)
