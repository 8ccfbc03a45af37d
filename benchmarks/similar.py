"""Whether `league similar` finds copies: 40 bots of a made-up class, five of them copies of one of the others.

Ten honest bots have the very idea of the one that was copied, with numbers of their own, and 24 have other ideas.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from league.api.run import LeagueRun
from league.course.similar import AlikePair, similar
from league.results.store import Store
from league.setup.config import load
from league.values.settings import Isolation
from tests.course.class_of_40 import IDEAS, IN_JAVA, NOISY, ORIGINAL, RENAMED, REORDERED, available, program

CONFIG = "league: class\nbots: bots\ngames: [{game: raj, deals: 1}]\nisolation: trusted\nseed: 40\n"
COPIES = {
    "exact": ORIGINAL + "# my own work\n",
    "renamed": RENAMED,
    "reordered": REORDERED,
    "noisy": NOISY,
}
"""Copies of `original`; a fifth is in Java."""
GAMES = (40, 200)
"""Of the league, in whose positions bots are asked."""
SHOWN = 3
"""Honest pairs that look most like copies."""


def same_idea(number: int) -> str:
    """The idea of the original, as somebody else would have written it: other numbers in three places."""
    return (
        ORIGINAL.replace("4 + worth", f"{(2, 3, 5, 6)[number % 4]} + worth")
        .replace("worth += 2", f"worth += {number % 3}")
        .replace("<= 4", f"<= {2 + number % 5}")
    )


def run() -> Iterator[dict[str, object]]:
    """A row for each planted copy, for the honest pairs that look most like one, and how many come too early."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        honest = _write_bots(folder / "bots")
        (folder / "class.yaml").write_text(CONFIG)
        with LeagueRun(load(folder / "class.yaml"), folder / "results") as league:
            league.play()
        for games in GAMES:
            with Store.open(folder / "results" / "class") as store:
                pairs = similar(store, Isolation.TRUSTED, games)
            yield from _rows(pairs, honest, games)


def _write_bots(folder: Path) -> set[str]:
    """Write all bots; returns the names of those that are no copies of another."""
    honest = {"original": ORIGINAL} | {f"same_idea_{number}": same_idea(number) for number in range(10)}
    honest |= {f"other_{number}": text for number, text in enumerate(IDEAS)}
    folder.mkdir()
    for name, text in (honest | COPIES).items():
        (folder / f"{name}.py").write_text(text)
    if available("java"):
        for path, content in program("java", {"Plan.java": IN_JAVA}).items():
            (folder / "java" / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / "java" / path).write_text(str(content))
    return {*honest}


def _rows(pairs: list[AlikePair], honest: set[str], games: int) -> Iterator[dict[str, object]]:
    ranks = {frozenset((pair.a, pair.b)): rank for rank, pair in enumerate(pairs, 1)}
    by_names = {frozenset((pair.a, pair.b)): pair for pair in pairs}
    copies = {name for names in ranks for name in names if name not in honest}
    for copy in sorted(copies):
        names = frozenset(("original", copy))
        yield _row(games, f"original and its copy: {copy}", ranks[names], by_names[names])
    for names in sorted((names for names in ranks if names <= honest), key=lambda names: ranks[names])[:SHOWN]:
        yield _row(games, f"honest: {' and '.join(sorted(names))}", ranks[names], by_names[names])
    last_planted = max(rank for names, rank in ranks.items() if names <= copies | {"original"})
    alarms = sum(names <= honest and rank < last_planted for names, rank in ranks.items())
    planted = len(copies) * (len(copies) + 1) // 2
    what = f"honest pairs before the last of {planted} planted ones, of {len(pairs)}"
    yield {"games asked about": games, "pair": what, "rank": alarms, "alike": "", "usual": "", "text": ""}


def _row(games: int, what: str, rank: int, pair: AlikePair) -> dict[str, object]:
    shares = {"alike": pair.equal, "usual": pair.usual, "text": pair.text}
    row: dict[str, object] = {"games asked about": games, "pair": what, "rank": rank}
    return row | {name: f"{100 * share:.0f} %" for name, share in shares.items()}
