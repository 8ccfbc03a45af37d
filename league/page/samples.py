"""Games of a league to watch: chosen, played again, and written as pages beside the standings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from itertools import takewhile, zip_longest
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import quote

from msgspec.structs import replace

from league.errors import LeagueError
from league.page.chosen import Choice, chosen
from league.page.data import PAGE, Sample
from league.page.privacy import Aliases
from league.page.viewer import Neighbour, page_name, render
from league.play.rematch import Rematches, Shown
from league.tools.files import write_text
from league.values.block import Address
from league.values.settings import Isolation

if TYPE_CHECKING:
    from league.results.standings import Standings
    from league.results.store import Store
    from league.values.settings import PageSettings

FOLDER = "games"
PATIENCE = 10.0
"""Seconds after which no more games are replayed, so that slow bots do not delay the page."""
AT_ONCE = 2
"""Games that are replayed side by side: the time is spent by bots, in processes of their own."""


def write_samples(
    store: Store, standings: Standings, settings: PageSettings, folder: Path, isolation: Isolation = "sandbox"
) -> tuple[Sample, ...]:
    """Write a page for each chosen game; none where the bots cannot be played on this machine."""
    bots = [bot.name for bot in store.bots()]
    names = Aliases.of(store.folder, bots).names if settings.anonymous else {name: name for name in bots}
    try:
        played = _played(store, chosen(store, standings), isolation)
    except LeagueError:  # the league was played on another machine: its page is still useful
        return ()
    index = {name: at for at, name in enumerate(bots)}
    addresses = [_renamed(choice.game.address, names) for choice, _ in played]
    samples = []
    for address, (choice, shown) in zip(addresses, played, strict=True):
        seats = shown.replay.names
        seen = shown._replace(replay=replace(shown.replay, names=tuple(names[bot] for bot in seats)))
        page = render(
            seen,
            address=str(address),
            back=f"../{PAGE}",
            public=settings.public or settings.anonymous,
            neighbours=_neighbours(addresses, address),
        )
        (folder / FOLDER).mkdir(exist_ok=True)
        write_text(folder / FOLDER / page_name(address), page)
        samples.append(
            Sample(
                contest=address.contest,
                address=str(address),
                href=f"{FOLDER}/{quote(page_name(address))}",
                bots=tuple(index[bot] for bot in seats),
                result=", ".join(_results(seen.replay.names, shown.outcome.ranks, shown.outcome.scores)),
                differs=shown.differs,
                reasons=tuple((index[bot], _renamed_reason(reason, names)) for bot, reason in choice.reasons),
            )
        )
    return tuple(samples)


def _played(store: Store, choices: Sequence[Choice], isolation: Isolation) -> list[tuple[Choice, Shown]]:
    """The chosen games played again, as many as there is time for, in the order of the choices."""
    inside = isolation == "trusted" or any(bot.language == "object" for bot in store.bots())
    at_once = 1 if inside else AT_ONCE  # bots in this process share its random numbers
    deadline = monotonic() + PATIENCE

    def play(rematches: Rematches, part: Sequence[Choice]) -> list[tuple[Choice, Shown]]:
        in_time = takewhile(lambda _: monotonic() <= deadline, part)
        return [(choice, rematches.play_found(choice.game)) for choice in in_time]

    with ExitStack() as stack, ThreadPoolExecutor(at_once) as pool:
        tables = [stack.enter_context(closing(Rematches(store, isolation))) for _ in range(at_once)]
        parts = pool.map(play, tables, [choices[first::at_once] for first in range(at_once)])
        return [found for turn in zip_longest(*parts) for found in turn if found]


def _renamed(address: Address, names: Mapping[str, str]) -> Address:
    return address._replace(lineup=tuple(names[bot] for bot in address.lineup))


def _renamed_reason(reason: str, names: Mapping[str, str]) -> str:
    """A reason with the opponent's name as it is shown."""
    what, against, other = reason.partition(" against ")
    return f"{what}{against}{names[other]}" if against else what


def _neighbours(addresses: Sequence[Address], address: Address) -> tuple[Neighbour | None, Neighbour | None]:
    """The games before and after one between the same bots, among those that have pages."""
    same = [other for other in addresses if (other.contest, other.lineup) == (address.contest, address.lineup)]
    same.sort(key=lambda other: (other.deal, other.rotation))
    at = same.index(address)
    links = [Neighbour(quote(page_name(other)), str(other)) for other in same]
    return (links[at - 1] if at else None), (links[at + 1] if at + 1 < len(links) else None)


def _results(names: Sequence[str], ranks: Sequence[int], scores: Sequence[int]) -> Iterator[str]:
    """The players with their points, best first."""
    for _, seat in sorted((rank, seat) for seat, rank in enumerate(ranks)):
        yield f"{names[seat]} {scores[seat]}"
