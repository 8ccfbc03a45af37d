"""An author's games: found by how they ended, with the versions that played them, and a picture of ratings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import msgspec
from markupsafe import Markup

from league.arena.records import Rated, Submission
from league.page.data import title_of
from league.page.live import KINDS
from league.results.queries import FoundGame, top
from league.results.store import Store

SHOWN = 25
"""Games of each contest."""
WIDTH, HEIGHT = 600.0, 160.0


class OwnGame(NamedTuple):
    """One line of the list."""

    address: str
    """For the path of its replay."""
    contest: str
    deal: str
    """With the rotation, as in addresses."""
    players: tuple[tuple[str, str, int, int, bool], ...]
    """Bot, version, place, points and fault of each, best first."""


def games_of(
    league: Path,
    bot: str,
    kind: str,
    versions: Mapping[str, str],
    *,
    contest: str | None = None,
    against: str | None = None,
    hidden: Collection[str] = (),
) -> list[OwnGame]:
    """Games of a bot in the league as it is; `versions` has a word for the version of each bot that plays."""
    _, query, by = KINDS[kind]
    query = msgspec.structs.replace(query, bot=bot, against=against, game=contest, without=frozenset(hidden))
    with Store.open(league) as store:
        if bot not in {entrant.name for entrant in store.bots()}:
            return []
        return [_own_game(game, versions) for game in top(store, query, by, SHOWN)]


def _own_game(game: FoundGame, versions: Mapping[str, str]) -> OwnGame:
    seats = sorted(range(len(game.bots)), key=lambda seat: (game.ranks[seat], seat))
    players = tuple(
        (
            game.bots[seat],
            versions.get(game.bots[seat], ""),
            game.ranks[seat] + 1,
            game.points[seat],
            game.faults[seat],
        )
        for seat in seats
    )
    address = game.address
    return OwnGame(quote(str(address)), title_of(game.contest), f"{address.deal}.{address.rotation}", players)


def versions_playing(roster: Mapping[str, str], submissions: Sequence[Submission]) -> dict[str, str]:
    """The number of the version of each bot in a roster; bots of the staff have none."""
    numbers = {(submission.bot, submission.hash): str(submission.number) for submission in reversed(submissions)}
    return {bot: number for bot, hash_ in roster.items() if (number := numbers.get((bot, hash_)))}


def rating_chart(rounds: Sequence[Rated], numbers: Mapping[str, int]) -> Markup:
    """Ratings with their intervals after each round, the oldest first, and a mark where a version begins.

    `numbers` has the number of the version for each hash. Empty for a single round: there is nothing to see.
    """
    if len(rounds) < 2:
        return Markup()
    low, high = min(rated.low for rated in rounds), max(rated.high for rated in rounds)
    first, last = rounds[0].round, rounds[-1].round

    def x(rated: Rated) -> str:
        return f"{WIDTH * (rated.round - first) / (last - first):.1f}"

    def y(value: float) -> str:
        return f"{HEIGHT * (high - value) / (high - low or 1.0):.1f}"

    line = " ".join(f"{x(rated)},{y(rated.rating)}" for rated in rounds)
    band = " ".join(
        [
            *(f"{x(rated)},{y(rated.high)}" for rated in rounds),
            *(f"{x(rated)},{y(rated.low)}" for rated in reversed(rounds)),
        ]
    )
    begins = [rounds[0], *(later for earlier, later in pairwise(rounds) if later.hash != earlier.hash)]
    mark = Markup('<line class="begins" x1="{0}" x2="{0}" y2="{1}"/><text x="{0}" y="{2}" dx="3">version {3}</text>')
    marks = Markup("").join(
        mark.format(x(rated), f"{HEIGHT:.0f}", f"{HEIGHT + 16:.0f}", numbers[rated.hash])
        for rated in begins
        if rated.hash in numbers
    )
    label = f"Rating from round {first} to {last}, between {low:.1f} and {high:.1f}; the table has the numbers"
    return Markup(
        '<svg class="ratings" viewBox="-4 -4 {} {}" role="img" aria-label="{}"><polygon points="{}"/>'
        '<polyline points="{}"/>{}</svg>'
    ).format(f"{WIDTH + 60:.0f}", f"{HEIGHT + 26:.0f}", label, band, line, marks)
