"""Games of a league to watch: chosen by their outcomes, and written as pages beside the standings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import quote

from league.analysis.rematch import at_table, played_again
from league.errors import LeagueError
from league.page.bots import forget
from league.page.data import PAGE, Sample
from league.page.privacy import Privacy
from league.page.viewer import MARK, page_name, render
from league.results.find import highlights
from league.results.games import FoundGame
from league.results.recorded import Shown, load_rules, recorded
from league.results.store import Store
from league.tools.files import make_folder, refuse_link, write_text
from league.tools.forked import in_time
from league.values.block import Address
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.results.contest_standings import ContestStandings
    from league.results.standings import Standings

FOLDER = "games"
PATIENCE = 10.0
"""Seconds after which no more games are replayed, so that slow bots do not delay the page."""
MOST = 300
"""Games of a league that get a page of their own."""
WANTED = ("worst loss", "first fault")
"""The games of every bot that come before all games of the best but one."""


def chosen(store: Store, standings: Standings) -> list[tuple[FoundGame, list[tuple[str, str]]]]:
    """Some games of each contest, the most important ones first, with bots and what the game is for each of them."""
    games: dict[str, tuple[FoundGame, dict[tuple[str, str], None]]] = {}
    for _, _, bot, reason, game in sorted(_candidates(store, standings), key=lambda candidate: candidate[:2]):
        if str(game.address) in games or len(games) < MOST:
            games.setdefault(str(game.address), (game, {}))[1][bot, reason] = None
    return [(game, [*reasons]) for game, reasons in games.values()]


def _candidates(store: Store, standings: Standings) -> Iterator[tuple[int, int, str, str, FoundGame]]:
    """Games with how important they are, as two numbers (0 most), the bot that they are about, and the reason.

    First come, in every contest, the games of the best bot, then the first fault and the worst loss of every other one:
    that is what its author looks for. Then come the rest, those of the best again first.
    """
    ratings = {key: {line.bot: line.rating for line in contest.lines} for key, contest in standings.contests.items()}
    best = highlights(store, ratings)
    for key, contest in standings.contests.items():
        for index, line in enumerate(contest.lines):
            for reason, game in best.get((key, line.bot), {}).items():
                yield int(index > 0 and reason not in WANTED), index, line.bot, reason, game


def write_samples(
    store: Store,
    standings: Standings,
    privacy: Privacy,
    folder: Path,
    isolation: Isolation = Isolation.SANDBOX,
    seconds: float = inf,
) -> tuple[Sample, ...]:
    """Write a page for each chosen game.

    Those whose moves were not kept are played again; there is no page of any where that cannot be done here.
    It takes about this many seconds at most; after half of them, or after `PATIENCE`, no more games are played.
    """
    started = monotonic()
    if privacy.hides:
        forget(folder / FOLDER, MARK)
    if seconds <= 0:
        return ()
    try:
        load_rules(store)
        choices = chosen(store, standings)
        played = _shown(store, [game for game, _ in choices], isolation, seconds / 2 - (monotonic() - started))
    except LeagueError:  # the league was played on another machine: its page is still useful
        return ()
    samples: list[Sample] = []
    for game, reasons in choices:
        if (shown := played.get(game.address)) is None or monotonic() > started + seconds:
            continue
        is_hidden = privacy.hides == "names"  # addresses tell the order of the names
        name = f"{game.contest.key}_{len(samples) + 1}.html" if is_hidden else page_name(game.address)
        address = "" if is_hidden else str(game.address)
        refuse_link(folder / FOLDER)
        make_folder(folder / FOLDER)
        write_text(folder / FOLDER / name, render(shown, address=address, back=f"../{PAGE}", privacy=privacy))
        names = tuple(map(privacy.name, shown.replay.names))
        samples.append(
            Sample(
                contest=game.contest.key,
                href=f"{FOLDER}/{quote(name)}",
                bots=names,
                result=", ".join(_results(names, shown.outcome.ranks, shown.outcome.scores)),
                differs=shown.differs,
                reasons=tuple((privacy.name(bot), reason) for bot, reason in reasons),
                surprise=_surprise(game, standings.contests[game.contest.key], privacy),
            )
        )
    return tuple(samples)


def _shown(store: Store, games: Sequence[FoundGame], isolation: Isolation, seconds: float) -> dict[Address, Shown]:
    """As many of these games as there is time for, the first ones first."""
    deadline = monotonic() + seconds
    kept: dict[Address, Shown] = {}
    left = []
    for game in games:
        if monotonic() > deadline:
            break
        if (shown := recorded(store, game)) is None:
            left.append(game)
        else:
            kept[game.address] = shown
    return kept | _played(store, left, isolation, deadline - monotonic()) if left else kept


def _played(store: Store, games: Sequence[FoundGame], isolation: Isolation, seconds: float) -> dict[Address, Shown]:
    """Games played again, as many as there is time for."""

    def play() -> Iterator[tuple[Address, Shown]]:
        with Store.open(store.folder) as own, at_table(own, isolation) as worker:
            for game in games:
                yield game.address, played_again(worker, game)

    return dict(in_time(min(seconds, PATIENCE), play))


def _surprise(game: FoundGame, contest: ContestStandings, privacy: Privacy) -> str:
    """Who won against the bot that is rated furthest above it, as they are shown; nothing if nobody did."""
    rating = {line.bot: line.rating for line in contest.lines}
    seats = permutations(range(len(game.bots)), 2)
    pairs = [(game.bots[a], game.bots[b]) for a, b in seats if game.ranks[a] < game.ranks[b]]
    winner, loser = max(pairs, key=lambda pair: rating[pair[1]] - rating[pair[0]], default=("", ""))
    if not winner or rating[winner] >= rating[loser]:
        return ""
    return f"{privacy.name(winner)} surprises {privacy.name(loser)}"


def _results(names: Sequence[str], ranks: Sequence[int], scores: Sequence[int]) -> Iterator[str]:
    """The players with their points, best first."""
    for _, seat in sorted((rank, seat) for seat, rank in enumerate(ranks)):
        yield f"{names[seat]} {scores[seat]}"
