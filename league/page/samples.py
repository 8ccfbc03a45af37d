"""Games of a league to watch: chosen, played again, and written as pages beside the standings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import quote

from league.errors import LeagueError
from league.page.chosen import Choice, chosen
from league.page.data import Sample
from league.page.privacy import Aliases
from league.page.viewer import Neighbour, page_name, render
from league.play.rematch import Rematches, Shown
from league.tools.files import write_text
from league.values.block import Address

if TYPE_CHECKING:
    from league.results.standings import Standings
    from league.results.store import Store
    from league.values.settings import PageSettings

FOLDER = "games"
PATIENCE = 10.0
"""Seconds after which no more games are played again: slow bots must not keep a reader from the standings."""


def write_samples(store: Store, standings: Standings, settings: PageSettings, folder: Path) -> tuple[Sample, ...]:
    """Write a page for each chosen game; none where the bots cannot be played on this machine."""
    bots = [bot.name for bot in store.bots()]
    names = Aliases.of(store.folder, bots).names if settings.anonymous else {name: name for name in bots}
    try:
        played = _played(store, chosen(store, standings))
    except LeagueError:  # the league was played elsewhere: its page is still worth having
        return ()
    pages = [Address(one.contest, tuple(names[bot] for bot in one.lineup), one.deal, one.rotation) for one, _, _ in played]
    index = {name: at for at, name in enumerate(bots)}
    samples = []
    for at, (address, choice, shown) in enumerate(played):
        seen = _renamed(shown, names)
        title = render(
            seen,
            address=str(pages[at]),
            back="../standings.html",
            public=settings.public or settings.anonymous,
            neighbours=_neighbours(pages, at),
        )
        (folder / FOLDER).mkdir(parents=True, exist_ok=True)
        write_text(folder / FOLDER / page_name(pages[at]), title)
        samples.append(
            Sample(
                contest=address.contest,
                address=str(pages[at]),
                href=_href(pages[at]),
                bots=tuple(index[bot] for bot in shown.replay.names),
                result=", ".join(_results(seen.replay.names, shown.outcome.ranks, shown.outcome.scores)),
                differs=shown.differs,
                reasons=tuple((index[bot], reason) for bot, reason in choice.reasons),
            )
        )
    return tuple(samples)


def _played(store: Store, choices: dict[Address, Choice]) -> list[tuple[Address, Choice, Shown]]:
    """The chosen games played again, as many as there is time for."""
    started = monotonic()
    found = []
    with closing(Rematches(store)) as rematches:
        for address, choice in choices.items():
            if monotonic() - started > PATIENCE:
                break
            found.append((address, choice, rematches.play(address)))
    return found


def _renamed(shown: Shown, names: dict[str, str]) -> Shown:
    from msgspec.structs import replace

    return shown._replace(replay=replace(shown.replay, names=tuple(names[bot] for bot in shown.replay.names)))


def _neighbours(pages: Sequence[Address], at: int) -> tuple[Neighbour | None, Neighbour | None]:
    """The games before and after one between the same bots, among those that have pages."""
    same = sorted(
        (page for page in pages if (page.contest, page.lineup) == (pages[at].contest, pages[at].lineup)),
        key=lambda page: (page.deal, page.rotation),
    )
    here = same.index(pages[at])
    around = [same[to] if 0 <= to < len(same) else None for to in (here - 1, here + 1)]
    before, after = (Neighbour(quote(page_name(page)), str(page)) if page else None for page in around)
    return before, after


def _href(address: Address) -> str:
    return f"{FOLDER}/{quote(page_name(address))}"


def _results(names: Sequence[str], ranks: Sequence[int], scores: Sequence[int]) -> Iterator[str]:
    """Who came in with how many points, best first."""
    for _, seat in sorted((rank, seat) for seat, rank in enumerate(ranks)):
        yield f"{names[seat]} {scores[seat]}"
