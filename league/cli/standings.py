"""`league standings`: the tables of a league, their history, and its page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from league.cli import complete
from league.cli.options import contest_option, league_argument, only_these, parts
from league.cli.output import print_json, tell
from league.errors import LeagueError, did_you_mean
from league.results.columns import SORTS, Line, board, boards
from league.tools.table import Table
from league.tools.text import columns, first_few, safe, shown_path
from league.values.settings import PERCENT

if TYPE_CHECKING:
    from league.results.history import HistoryEntry
    from league.results.milestones import Progress
    from league.results.standings import Standings


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
@click.option("--notices", "all_notices", is_flag=True, help="Print all notices, and Nash averages.")
@click.option("--history", is_flag=True, help="Show the standings after each run instead, and the last changes.")
@click.option("--bot", metavar="BOT", shell_complete=complete.entrants, help="With --history: of this bot alone.")
@click.option(
    "--page",
    metavar="[FOLDER]",
    is_flag=False,
    flag_value="",
    help="Write the page of the league instead, as of now.  [default: into DIR, or DIR/public if it is to hand out]",
)
@click.option("--public", is_flag=True, help="With --page: without tracebacks, printed text, source, config and seed.")
@click.option("--anonymous", is_flag=True, help="With --page: also with aliases, which stay the same, for names.")
def command(
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
    if page is not None:
        only_these("--page", "page", "public", "anonymous")
        _write_page(folder, page, public=public, anonymous=anonymous)
        return
    if public or anonymous:
        raise click.UsageError(f"--{'public' if public else 'anonymous'} goes with --page.")
    if history:
        only_these("--history", "history", "bot", "style")
        _tell_history(folder, bot, style)
        return
    if bot is not None:
        raise click.UsageError("--bot goes with --history; --only rates some bots alone.")
    from league.loop import read_standings
    from league.results.report import notice_lines, overall_comes_first, story

    standings = read_standings(folder, only, without)
    contests = standings.chosen(game) if game else []
    if style == "table" and not game and not overall_comes_first(standings):
        contests = [*standings.contests.values()]
    tables = {contest.contest.key: contest.lines for contest in contests} or {"overall": standings.overall}
    notices = [text for contest in contests for text in contest.notices] if contests else standings.notices
    progress = [] if only or without else _progress(folder, standings)
    if style != "table":
        _export(tables, notices, progress, style, sort)
        return
    _show(tables, folder, sort)
    for contest in contests or standings.contests.values():
        for line in story(contest, nash=all_notices):
            tell(line)
    _show_progress(progress)
    for line in notice_lines(notices, folder, everything=all_notices):
        tell(line)


def _show(tables: dict[str, list[Line]], folder: Path, sort: str) -> None:
    from league.results.report import lines_table

    for key, lines in tables.items():
        if len(tables) > 1:
            click.echo(f"{key}\n")
        click.echo(lines_table(lines, folder, columns(), sort))
        if len(tables) > 1:
            click.echo()


def _progress(folder: Path, standings: Standings) -> list[Progress]:
    """How far the bots are from the milestones of the league, if it has any."""
    from league.results.milestones import all_progress
    from league.results.store import Store

    with Store.open(folder) as store:
        milestones = store.settings().milestones
    return all_progress(standings, milestones) if milestones else []


def _show_progress(progress: list[Progress]) -> None:
    """A line for each bot: the milestones that it has, and what it is to the others."""
    if not progress:
        return
    click.echo("\nMilestones:")
    rows = []
    for bot in progress:
        reached = ", ".join(step.title for step in bot.steps if step.reached) or "-"
        missing = [f"{step.state}: {step.about}" for step in bot.steps if not step.reached]
        rows.append((safe(bot.bot), f"{bot.points:g}", safe(reached), safe(missing[0]) if missing else "-"))
    click.echo(Table.of(["bot", "points", "reached", "next"], rows, ["points"]).text(columns()))
    click.echo()


def _export(tables: dict[str, list[Line]], notices: list[str], progress: list[Progress], style: str, sort: str) -> None:
    if style == "json":
        shown = {key: board(lines, sort).json() for key, lines in tables.items()}
        shown_data: dict[str, object] = {"standings": shown, "notices": notices}
        if progress:
            shown_data["milestones"] = progress
        print_json(shown_data)
        return
    table = boards(tables, sort)
    click.echo(table.csv() if style == "csv" else table.markdown(), nl=style != "csv")


SHOWN_LEADERS = 3
SHOWN_DIGITS = 8
"""Digits of the hashes of configs and bots."""


def _tell_history(folder: Path, bot: str | None, style: str) -> None:
    """Print the standings after each finished run; one that changed nothing adds nothing."""
    from league.results.history import change_lines, last_changes, read_history
    from league.results.store import Store

    if style not in ("table", "json"):
        raise click.UsageError(f"--history is a table or json, not {style}.")
    with Store.open(folder) as store:
        entries = read_history(store)
        changed = last_changes(store)
    known = sorted({name for entry in entries for name in entry.versions})
    if bot is not None and bot not in known and entries:
        raise LeagueError(f"There is no bot {safe(bot)!r} in this history.{did_you_mean(bot, known)}")
    if style == "json":
        print_json(entries if bot is None else [entry.of(bot) for entry in entries if bot in entry.versions])
        return
    if not entries:
        tell(f"No run of {shown_path(folder)} was finished yet.")
        return
    click.echo(_of_bot(entries, bot) if bot is not None else _of_league(entries))
    if changed is not None and bot is None:
        for line in change_lines(changed):
            tell(line)


def _of_league(entries: Sequence[HistoryEntry]) -> str:
    rows = [
        (number, _date(entry), f"{entry.games:,}", len(entry.versions), entry.config[:SHOWN_DIGITS], _leaders(entry))
        for number, entry in enumerate(entries, 1)
    ]
    header = ("run", "ended", "games", "bots", "config", "first overall")
    return Table.of(header, rows, ("run", "games", "bots"), ("config",)).text(columns())


def _leaders(entry: HistoryEntry) -> str:
    board = entry.boards["overall"]
    first = [
        f"{name} {standing.shown_rating}" for name, standing in board.items() if standing.place.split("-")[0] == "1"
    ]
    return first_few(first, SHOWN_LEADERS, "or") or "-"


def _of_bot(entries: Sequence[HistoryEntry], bot: str) -> str:
    rows = [
        (
            number,
            _date(entry),
            entry.versions[bot][:SHOWN_DIGITS],
            key,
            standing.place,
            standing.shown_rating,
            standing.shown_interval,
            f"{standing.games:,}",
        )
        for number, entry in enumerate(entries, 1)
        if bot in entry.versions
        for key, board in entry.boards.items()
        for standing in [board.get(bot)]
        if standing is not None
    ]
    header = ("run", "ended", "version", "contest", "place", "rating", PERCENT, "games")
    right, spare = ("run", "rating", PERCENT, "games"), ("version", "games", PERCENT)
    return Table.of(header, rows, right, spare).text(columns())


def _date(entry: HistoryEntry) -> str:
    return datetime.fromtimestamp(entry.ended).astimezone().strftime("%Y-%m-%d %H:%M")


HAND_OUT = "public"
"""The folder, inside the league's own, for pages to hand out."""


def _write_page(folder: Path, target: str, *, public: bool, anonymous: bool) -> None:
    from msgspec.structs import replace

    from league.page import write_page
    from league.page.privacy import KEY
    from league.results.standings import Standings
    from league.results.store import Store

    with Store.open(folder) as store:
        asked = store.settings().page
        settings = replace(asked, public=public or asked.public, anonymous=anonymous or asked.anonymous)
        where = Path(target) if target else folder / HAND_OUT if public or anonymous else folder
        page = write_page(store, Standings.of(store), settings=settings, folder=where)
    tell(f"The standings are in {shown_path(page)}.")
    if settings.anonymous:
        tell(f"The key of the aliases is in {shown_path(folder / KEY)}: keep it to yourself.")
