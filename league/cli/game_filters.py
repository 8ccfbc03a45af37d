"""Options that choose games of a league by how they ended, shared by several commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from league.cli import complete
from league.cli.options import whole
from league.tools.text import safe

if TYPE_CHECKING:
    from league.results.queries import FoundGame, Query, Ratings, SortBy
    from league.results.store import Store

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_FILTERS = (
    click.option(
        "--against", metavar="BOT", shell_complete=complete.entrants, help="Only games with this bot at the table."
    ),
    click.option(
        "--game", metavar="G", shell_complete=complete.contests, help="Only this game, or this contest (raj, raj-2p)."
    ),
    click.option("--won", is_flag=True, help="Only games that the bot won: first alone, or ahead of --against."),
    click.option("--drawn", is_flag=True, help="Only games in which it shared first place, or drew with --against."),
    click.option("--lost", is_flag=True, help="Only games that it lost: to any bot, or to --against."),
    click.option("--fault", is_flag=True, help="Only games in which it was at fault."),
)
COUNT = whole(1)


def filters(command: Decorated) -> Decorated:
    """Add the options that say which games are wanted; `query_of` reads them."""
    for option in reversed(_FILTERS):
        command = option(command)
    return command


def query_of(
    bot: str | None, *, against: str | None, game: str | None, won: bool, drawn: bool, lost: bool, fault: bool
) -> Query:
    """Which games the options ask for."""
    from league.results.queries import Ended, Query

    words: dict[Ended, bool] = {"won": won, "drawn": drawn, "lost": lost}
    ended = [word for word, asked in words.items() if asked]
    if len(ended) > 1:
        raise click.UsageError(f"--{ended[0]} and --{ended[1]} exclude each other.")
    if bot is None and (ended or against):
        option = f"--{ended[0]}" if ended else "--against"
        raise click.UsageError(f"{option} needs --bot: whose games?")
    return Query(bot=bot, against=against, game=game, ended=ended[0] if ended else None, fault=fault)


def order_of(**asked: int | bool | None) -> tuple[SortBy, int] | None:
    """Which order the options --worst, --closest and --upsets ask for, and how many games; None if none is given."""
    given: list[tuple[Any, int]] = [(name, int(most)) for name, most in asked.items() if most]
    if len(given) > 1:
        raise click.UsageError(f"--{given[0][0]} and --{given[1][0]} exclude each other.")
    return given[0] if given else None


def picked(store: Store, query: Query, order: tuple[SortBy, int] | None) -> Iterable[FoundGame]:
    """The games that are wanted: all in canonical order, or the first ones in another."""
    from league.results.queries import find, top

    if order is None:
        return find(store, query)
    by, most = order
    if by == "worst" and query.bot is None:
        raise click.UsageError("--worst needs --bot: whose games?")
    return top(store, query, by, most, _ratings(store) if by == "upsets" else None)


def described(query: Query) -> str:
    """'games that amy lost against bob', for messages."""
    words = ["games", *([f"of {safe(query.game)}"] if query.game else [])]
    if query.bot:
        verb = {"won": "won", "drawn": "drew", "lost": "lost", None: "played"}[query.ended]
        words.append(f"that {safe(query.bot)} {verb}")
    if query.against:
        words.append(f"against {safe(query.against)}")
    if query.fault:
        words.append("with a fault of its own" if query.bot else "with a fault")
    return " ".join(words)


def _ratings(store: Store) -> Ratings:
    from league.results.standings import Standings

    contests = Standings.of(store).contests
    return {key: dict(zip(one.bots, one.rating.tolist(), strict=True)) for key, one in contests.items()}
