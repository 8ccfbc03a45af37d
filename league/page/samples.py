"""Games of a league to watch: chosen, played again, and written as pages beside the standings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from itertools import takewhile, zip_longest
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from msgspec.structs import replace

from league.analysis.rematch import Rematches, Shown
from league.errors import LeagueError
from league.page.data import PAGE, Sample
from league.page.highlights import Choice, chosen
from league.page.privacy import Aliases
from league.page.viewer import MARK, Neighbour, page_name, render
from league.tools.files import write_text
from league.values.block import Address
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.results.standings import Standings
    from league.results.store import Store
    from league.values.settings import PageSettings

FOLDER = "games"
FIRST_TAGS = 200
"""Bytes of a page among which its mark is."""
PATIENCE = 10.0
"""Seconds after which no more games are replayed, so that slow bots do not delay the page."""
AT_ONCE = 2
"""Games that are replayed side by side: the time is spent by bots, in processes of their own."""


def write_samples(
    store: Store, standings: Standings, settings: PageSettings, folder: Path, isolation: Isolation = Isolation.SANDBOX
) -> tuple[Sample, ...]:
    """Write a page for each chosen game; none where the bots cannot be played on this machine."""
    bots = [bot.name for bot in store.bots()]
    aliases = Aliases.of(store.folder, bots) if settings.anonymous else None
    names = aliases.names if aliases else {name: name for name in bots}
    handed_out = settings.public or settings.anonymous
    if handed_out:
        _forget(folder / FOLDER)
    try:
        played = _played(store, chosen(store, standings), isolation)
    except LeagueError:  # the league was played on another machine: its page is still useful
        return ()
    index = {name: at for at, name in enumerate(aliases.order(bots) if aliases else bots)}
    pages = _pages([choice.game.address for choice, _ in played], hidden=settings.anonymous)
    samples = []
    for choice, shown in played:
        seats, address = shown.replay.names, choice.game.address
        seen = shown._replace(replay=replace(shown.replay, names=tuple(names[bot] for bot in seats)))
        page = render(
            seen,
            address=pages[address].address,
            back=f"../{PAGE}",
            public=handed_out,
            neighbours=_neighbours(pages, address),
        )
        (folder / FOLDER).mkdir(exist_ok=True)
        write_text(folder / FOLDER / unquote(pages[address].href), page)
        samples.append(
            Sample(
                contest=address.contest,
                address=pages[address].address,
                href=f"{FOLDER}/{pages[address].href}",
                bots=tuple(index[bot] for bot in seats),
                result=", ".join(_results(seen.replay.names, shown.outcome.ranks, shown.outcome.scores)),
                differs=shown.differs,
                reasons=tuple((index[bot], _renamed_reason(reason, names)) for bot, reason in choice.reasons),
            )
        )
    return tuple(samples)


def _played(store: Store, choices: Sequence[Choice], isolation: Isolation) -> list[tuple[Choice, Shown]]:
    """The chosen games played again, as many as there is time for, in the order of the choices."""
    inside = isolation.runs_inside or any(bot.language == "object" for bot in store.bots())
    at_once = 1 if inside else AT_ONCE  # bots in this process share its random numbers
    deadline = monotonic() + PATIENCE

    def play(rematches: Rematches, part: Sequence[Choice]) -> list[tuple[Choice, Shown]]:
        in_time = takewhile(lambda _: monotonic() <= deadline, part)
        return [(choice, rematches.play_found(choice.game)) for choice in in_time]

    with ExitStack() as stack, ThreadPoolExecutor(at_once) as pool:
        tables = [stack.enter_context(closing(Rematches(store, isolation))) for _ in range(at_once)]
        parts = pool.map(play, tables, [choices[first::at_once] for first in range(at_once)])
        return [found for turn in zip_longest(*parts) for found in turn if found]


def _forget(folder: Path) -> None:
    """Remove the pages of games that were handed out before: they may show names or faults that are hidden now."""
    for page in folder.glob("*.html"):
        with page.open("rb") as file:
            ours = MARK.encode() in file.read(FIRST_TAGS)
        if ours:
            page.unlink()


def _pages(addresses: Sequence[Address], *, hidden: bool) -> dict[Address, Neighbour]:
    """The page of each game. Hidden addresses become numbers, since addresses tell the order of the names."""
    if hidden:
        return {address: Neighbour(f"{address.contest}_{at}.html", "") for at, address in enumerate(addresses, start=1)}
    return {address: Neighbour(quote(page_name(address)), str(address)) for address in addresses}


def _renamed_reason(reason: str, names: Mapping[str, str]) -> str:
    """A reason with the opponent's name as it is shown."""
    what, against, other = reason.partition(" against ")
    return f"{what}{against}{names[other]}" if against else what


def _neighbours(pages: Mapping[Address, Neighbour], address: Address) -> tuple[Neighbour | None, Neighbour | None]:
    """The games before and after one between the same bots, among those that have pages."""
    same = [other for other in pages if (other.contest, other.lineup) == (address.contest, address.lineup)]
    same.sort(key=lambda other: (other.deal, other.rotation))
    at = same.index(address)
    return (pages[same[at - 1]] if at else None), (pages[same[at + 1]] if at + 1 < len(same) else None)


def _results(names: Sequence[str], ranks: Sequence[int], scores: Sequence[int]) -> Iterator[str]:
    """The players with their points, best first."""
    for _, seat in sorted((rank, seat) for seat, rank in enumerate(ranks)):
        yield f"{names[seat]} {scores[seat]}"
