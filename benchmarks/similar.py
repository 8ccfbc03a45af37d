"""Whether `league class similar` finds copies: 40 bots of a made-up class, five of them copies of one of the others.

Ten honest bots have the very idea of the one that was copied, with numbers of their own, and 24 have other ideas. GAME
says what they play: `raj` if it is left out, or `braverats`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from league import games
from league.extensions.course.similar import AlikePair, similar
from league.extensions.kits import kit_files
from league.loop import LeagueRun
from league.results.store import Store
from league.setup.config import load
from league.values.settings import Isolation
from tests.course.class_of_40 import IDEAS, IN_JAVA, NOISY, ORIGINAL, RENAMED, REORDERED, has_java

CONFIG = "league: class\nbots: bots\ngames: [{{game: {game}, deals: 1}}]\nisolation: trusted\nseed: 40\n"


class Field(NamedTuple):
    """The bots of a class, as texts."""

    original: str
    copies: Mapping[str, str]
    """Of the original, by what was done to it."""
    in_java: Mapping[str, str]
    """One more copy: the files of its own."""
    same_idea: Callable[[int], str]
    """The idea of the original, as somebody else would have written it: other numbers in three places."""
    others: Sequence[str]


def _same_bids(number: int) -> str:
    return (
        ORIGINAL.replace("4 + worth", f"{(2, 3, 5, 6)[number % 4]} + worth")
        .replace("worth += 2", f"worth += {number % 3}")
        .replace("<= 4", f"<= {2 + number % 5}")
    )


RATS = '''class Bot:
    """The card that beats most of what is left, less what it costs to spend it."""

    games = ("braverats",)

    def choose(self, view):
        theirs = view.opponent_cards
        stake = 1 + view.on_hold
        best, most = view.legal[0], -100.0
        for card in view.legal:
            beaten = sum(card > other for other in theirs)
            worth = stake * beaten - 0.7 * card
            if card == 0 and view.on_hold > 1:
                worth -= 2
            if worth > most:
                best, most = card, worth
        return best
'''
RATS_RENAMED = (
    RATS.replace("The card that beats", "My own idea: the one that beats")
    .replace("theirs", "enemy")
    .replace("stake", "pot")
    .replace("beaten", "under")
    .replace("worth", "value")
    .replace("card", "rat")
    .replace("opponent_rats", "opponent_cards")
)
RATS_REORDERED = '''class Bot:
    """Plays by a plan."""

    games = ("braverats",)
    price = 0.7

    def value(self, card, view):
        penalty = 2 if view.on_hold >= 2 and not card else 0
        wins = len([other for other in view.opponent_cards if other < card])
        return wins * (view.on_hold + 1) - self.price * card - penalty

    def choose(self, view):
        return max(view.legal, key=lambda card: (round(self.value(card, view), 9), -card))
'''
RATS_NOISY = RATS.replace(
    "    def choose(self, view):\n",
    "    def __init__(self, table):\n        self.rng = table.rng\n\n    def choose(self, view):\n"
    "        if self.rng.random() < 0.05:\n            return self.rng.choice(view.legal)\n",
)
RATS_IN_JAVA = """public class Plan extends Bot {
    @Override
    public int choose(BraveRatsView view) {
        boolean[] gone = new boolean[9];
        for (BraveRatsView.BraveRatsRound past : view.history) {
            gone[past.cards[1 - seat]] = true;
        }
        int best = view.legal[0];
        double most = -100;
        for (int card : view.legal) {
            int wins = 0;
            for (int other = 0; other < card; other++) {
                wins += gone[other] ? 0 : 1;
            }
            double value = (1 + view.on_hold) * wins - 0.7 * card - (card == 0 && view.on_hold > 1 ? 2 : 0);
            if (value > most) {
                best = card;
                most = value;
            }
        }
        return best;
    }
}
"""


def _same_rats(number: int) -> str:
    return (
        RATS.replace("0.7 * card", f"{(0.3, 0.5, 0.9, 1.1)[number % 4]} * card")
        .replace("worth -= 2", f"worth -= {number % 3}")
        .replace("1 + view.on_hold", f"{1 + number % 5 / 4} + view.on_hold")
    )


def _rat(move: str) -> str:
    start = "    def __init__(self, table):\n        self.rng = table.rng\n\n"
    return f'class Bot:\n    games = ("braverats",)\n\n{start}    def choose(self, view):\n        return {move}\n'


OTHER_RATS = [
    *[_rat(f"view.legal[{part} * len(view.legal) // 7]") for part in range(7)],
    *[_rat(f"view.legal[-1] if len(view.history) % {every} == 0 else view.legal[0]") for every in (2, 3, 4)],
    *[_rat(f"min(view.legal, key=lambda card: abs(card - {card} - view.on_hold))") for card in (2, 4, 5)],
    *[_rat(f"self.rng.choice(view.legal[-{most}:])") for most in (2, 3, 5)],
    *[_rat(f"self.rng.choice(view.legal[:{most}])") for most in (2, 3, 5)],
    *[_rat(f"min(view.legal, key=lambda card: abs(card - max(view.opponent_cards) + {less}))") for less in (0, 1, 2)],
    _rat("view.legal[0] if view.scores[view.seat] > view.scores[1 - view.seat] else view.legal[-1]"),
    _rat("view.legal[(view.history[-1].cards[1 - view.seat] if view.history else 3) % len(view.legal)]"),
]
FIELDS = {
    "raj": Field(
        ORIGINAL,
        {"exact": ORIGINAL + "# my own work\n", "renamed": RENAMED, "reordered": REORDERED, "noisy": NOISY},
        {"Plan.java": IN_JAVA},
        _same_bids,
        IDEAS,
    ),
    "braverats": Field(
        RATS,
        {"exact": RATS + "# my own work\n", "renamed": RATS_RENAMED, "reordered": RATS_REORDERED, "noisy": RATS_NOISY},
        {"Plan.java": RATS_IN_JAVA},
        _same_rats,
        OTHER_RATS,
    ),
}
GAMES = (40, 200)
"""Of the league, in whose positions bots are asked."""
SHOWN = 3
"""Honest pairs that look most like copies."""


def run() -> Iterator[dict[str, object]]:
    """A row for each planted copy, for the honest pairs that look most like one, and how many come too early."""
    game = os.environ.get("GAME", "raj")
    with TemporaryDirectory() as name:
        folder = Path(name)
        honest = _write_bots(folder / "bots", FIELDS[game], game)
        (folder / "class.yaml").write_text(CONFIG.format(game=game))
        with LeagueRun(load(folder / "class.yaml"), folder / "results") as league:
            league.play()
        for count in GAMES:
            with Store.open(folder / "results" / "class") as store:
                pairs = similar(store, Isolation.TRUSTED, count)
            yield from _rows(pairs, honest, count)


def _write_bots(folder: Path, field: Field, game: str) -> set[str]:
    """Write all bots; returns the names of those that are no copies of another."""
    honest = {"original": field.original} | {f"same_idea_{number}": field.same_idea(number) for number in range(10)}
    honest |= {f"other_{number}": text for number, text in enumerate(field.others)}
    folder.mkdir()
    for name, text in {**honest, **field.copies}.items():
        (folder / f"{name}.py").write_text(text)
    if has_java():
        for path, content in kit_files("java", "java", games.make(game), field.in_java).items():
            (folder / "java" / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / "java" / path).write_text(content)
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
    yield {"games asked about": games, "pair": what, "rank": alarms, "alike": "", "usual": ""}


def _row(games: int, what: str, rank: int, pair: AlikePair) -> dict[str, object]:
    shares = {"alike": pair.equal, "usual": pair.usual}
    row: dict[str, object] = {"games asked about": games, "pair": what, "rank": rank}
    return row | {name: f"{100 * share:.0f} %" for name, share in shares.items()}
