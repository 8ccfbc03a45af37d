"""An author's games: found by how they ended, with the versions that played them; replays; a picture of ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import msgspec
import numpy as np
from markupsafe import Markup

from league.extensions.arena.records import Rated
from league.page.data import title_of
from league.page.live import KINDS
from league.page.privacy import PageReader, Privacy
from league.results.find import top
from league.results.games import FoundGame, Which, counting, games, of_version
from league.results.store import Store
from league.results.stored_games import load_rules
from league.values.block import Entrant

SHOWN = 25
"""Games of each contest."""
WIDTH, HEIGHT = 600.0, 160.0


class OwnGame(NamedTuple):
    """One line of the list."""

    replay: str
    """The path of its replay, relative to where replays of its kind are."""
    contest: str
    deal: str
    """With the rotation, as in addresses."""
    players: tuple[tuple[str, int | None, int, int, bool], ...]
    """Bot, version, place, points and fault of each, best first; bots of the staff have no versions."""


class Wanted(NamedTuple):
    """Which games of a bot are listed."""

    bot: str
    kind: str
    contest: str | None = None
    against: str | None = None


Versions = Mapping[tuple[str, str], int]
"""The number of each version by its bot and the hash of its source."""


def games_of(league: Path, wanted: Wanted, versions: Versions) -> list[OwnGame]:
    """Games of a bot that count in the league as it is now."""
    with Store.open(league) as store:
        return _listed(store, wanted, versions, lambda game: quote(str(game.address)))


def games_of_version(league: Path, source: str, wanted: Wanted, versions: Versions) -> list[OwnGame]:
    """All games of one version of a bot, also if it was replaced, with whatever versions it met."""
    which = of_version(Entrant(wanted.bot, source))
    with Store.open(league) as store:
        return _listed(store, wanted, versions, lambda game: f"{game.block}/{game.deal}", which)


def replay_of(league: Path, entrant: Entrant, block: int, deal: int, reader: PageReader, back: str) -> str | None:
    """The page of a game of one version from its stored moves; None if there is none."""
    from league.analysis.rematch import as_played
    from league.page.viewer import render

    with Store.open(league) as store:
        load_rules(store)
        found = games(store, of_version(entrant), deal=deal)
        game = next((part.game(row) for part in found for row in np.flatnonzero(part.block == block).tolist()), None)
        shown = game and as_played(store, game)
        if not game or not shown:
            return None
        reader.watch(game.bots)
        return render(shown, address=str(game.address), back=back, privacy=Privacy.of(store), in_words=True)


def _listed(
    store: Store, wanted: Wanted, versions: Versions, replay: Callable[[FoundGame], str], which: Which = counting
) -> list[OwnGame]:
    names = {entrant.name for chosen in which(store) for entrant in chosen.bots}
    if wanted.bot not in names:
        return []
    _, query, by = KINDS[wanted.kind]
    against = wanted.against if wanted.against in names else None
    of_game = {"bot": wanted.bot, "against": against, "game": wanted.contest}
    query = msgspec.structs.replace(query, **of_game)
    return [_own_game(game, versions, replay(game)) for game in top(store, query, by, SHOWN, which=which)]


def _own_game(game: FoundGame, versions: Versions, replay: str) -> OwnGame:
    seats = range(len(game.bots))
    by_rank = sorted(zip(game.ranks, seats, game.bots, game.versions, game.points, game.faults, strict=True))
    players = tuple(
        (bot, versions.get((bot, source)), rank + 1, points, fault) for rank, _, bot, source, points, fault in by_rank
    )
    address = game.address
    return OwnGame(replay, title_of(game.contest), f"{address.deal}.{address.rotation}", players)


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
