"""The figures of docs/strategy.md, and its charts: `python -m benchmarks.strategy`, some minutes.

`python -m benchmarks.strategy raj` has those of one game alone. Charts are written to docs/.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

from league import games
from league.extensions.solver.braverats import solvable
from league.games.braverats.rules import NAMES, BraveRatsOptions
from league.hosts.bot import BotTable
from league.hosts.runtime import load
from league.rating.places import place_scores

ROOT = Path(__file__).parent.parent
RANDOM_GAMES = 20_000
GAMES = 60
"""Of bots that think."""
Figures = Iterator[tuple[str, Mapping[str, float]]]
"""What is measured, and the numbers."""


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks strategy`."""
    for name in FIGURES:
        for what, numbers in figures(name):
            yield {"what": what, "figures": "  ".join(f"{label} {number:.3f}" for label, number in numbers.items())}


def figures(name: str) -> Figures:
    """All figures of one game."""
    for players in games.find(name).player_counts:
        yield f"{name}-{players}p: mean score by seat, at random", seats(name, players)
    yield from FIGURES[name]()


def seats(name: str, players: int) -> dict[str, float]:
    """The mean place score of each seat when all play at random."""
    import numpy as np

    game, rng = games.make(name, players), Random(2026)
    ranks = [game.start(game.deal(rng)).playout(rng).ranks for _ in range(RANDOM_GAMES)]
    return {f"seat {seat}": float(score) for seat, score in enumerate(place_scores(np.array(ranks)).mean(axis=0))}


def raj() -> Figures:
    """What strong bots bid for each prize."""
    bids: defaultdict[int, list[int]] = defaultdict(list)
    for state in played("raj", 2, "raj_endgame", "searcher"):
        for before, past in pairwise([None, *state.history]):
            if before is None or before.winner >= 0:  # nothing was left over from the round before
                bids[past.shown] += past.bids
    found = {str(prize): mean(bids[prize]) for prize in sorted(bids)}
    chart("strategy-raj.svg", "Raj for two: mean bid by prize", found, ".1f")
    yield "raj-2p: mean bid by prize, raj_endgame against searcher", found


def rats() -> Figures:
    """What perfect play begins with, and what other cards cost."""
    found = solvable.exact(BraveRatsOptions())
    solution = solvable.solution_of(found)
    start = found.game.start(found.deal)
    mix = solution.mixes([start], 0)[0]
    first = {name: mix.get(card, 0.0) for card, name in enumerate(NAMES[:8])}
    chart("strategy-solution.svg", "BraveRats: how often perfect play begins with each card", first, ".0%")
    yield "braverats-2p: first card of perfect play", first
    costs = {}
    for card in start.legal(0):
        after = {answer: start.copy() for answer in mix}
        for answer, state in after.items():
            state.step((card, answer))
        costs[NAMES[card]] = sum(often * solution.worth(after[answer], 0) for answer, often in mix.items())
    yield "braverats-2p: value of each first card against perfect play", costs
    leads = {}
    for label, cards in (("won", (7, 6)), ("lost", (6, 7)), ("on hold", (4, 4)), ("Spy used", (2, 0))):
        state = start.copy()
        state.step(cards)
        leads[label] = solution.worth(state, 0)
    yield "braverats-2p: value after Prince-General, General-Prince, Ambassador twice, Spy-Musician", leads


def cheese() -> Figures:
    """What strong bots keep, and who has the advantage."""
    points = {}
    for bot in ("random", "cheese_greedy", "cheese_patient", "cheese_chain"):
        ends = [state.outcome() for state in played("cheese_rescue", 2, bot, bot)]
        points[bot] = mean(score for end in ends for score in end.scores)
    chart("strategy-cheese.svg", "Cheese Rescue for two: points of 21, each bot against itself", points, ".1f", 90)
    yield "cheese_rescue-2p: mean points, each bot against itself", points
    wins = [state.outcome().ranks for state in played("cheese_rescue", 2, "cheese_chain", "cheese_chain", 4 * GAMES)]
    yield (
        "cheese_rescue-2p: mean score by seat, cheese_chain against itself",
        {f"seat {seat}": mean((1 + one[1 - seat] - one[seat]) / 2 for one in wins) for seat in (0, 1)},
    )


def tale() -> Figures:
    """What a story-teller and a guesser get from an even mix."""
    told = guessed = turns = 0
    for state in played("magillat", 4, "random", "random", 10 * GAMES):
        for turn in state.history:
            guessers = [seat for seat in range(4) if seat != turn.storyteller]
            right = sum(turn.marks[seat] == turn.picks[seat] for seat in guessers)
            turns += 1
            guessed += right
            told += len(guessers) - right
    yield (
        "magillat-4p: point cards of a turn, at random",
        {"story-teller": told / turns, "guesser": guessed / turns / 3},
    )


FIGURES = {"raj": raj, "braverats": rats, "cheese_rescue": cheese, "magillat": tale}


def played(name: str, players: int, one: str, other: str, number: int = GAMES) -> Iterator[Any]:
    """The final states of games of one bot against copies of another, at every seat in turn."""
    game = games.make(name, players)
    kinds = [load(bot, (ROOT / "bots" / f"{bot}.py").read_bytes()) for bot in (one, other)]
    for at in range(number):
        state = game.start(game.deal(Random(at // players)))
        bots = [made(kinds[seat != at % players], game, seat, at) for seat in range(players)]
        while state.turn:
            state.step([bots[seat].choose(state.view(seat)) for seat in state.turn])
        yield state


def made(kind: Any, game: Any, seat: int, number: int) -> Any:
    """A bot at its table."""
    return kind(BotTable(game, seat, 100 * number + seat)) if kind.__init__ is not object.__init__ else kind()


def chart(file: str, title: str, bars: Mapping[str, float], spec: str, step: int = 58) -> None:
    """Draw bars as a small SVG."""
    step = min(step, 640 // len(bars))
    top, width = max(bars.values()), step * len(bars) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 160" width="{width}" font-family="sans-serif">',
        f"<title>{title}</title>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="10" y="16" font-size="12">{title}</text>',
    ]
    for at, (label, value) in enumerate(bars.items()):
        middle, height = 10 + step * at + step // 2, 95 * value / top
        parts += [
            f'<rect x="{middle - step * 3 // 8}" y="{140 - height:.1f}" width="{step * 3 // 4}" height="{height:.1f}" '
            'fill="#4c78a8"/>',
            f'<text x="{middle}" y="{136 - height:.1f}" font-size="9" text-anchor="middle">{value:{spec}}</text>',
            f'<text x="{middle}" y="153" font-size="9" text-anchor="middle">{label}</text>',
        ]
    (ROOT / "docs" / file).write_text("\n".join([*parts, "</svg>", ""]), encoding="utf-8")


def main(wanted: Sequence[str]) -> None:
    """Print figures as they are known."""
    for name in wanted or FIGURES:
        for what, numbers in figures(name):
            print(f"{what}: {'  '.join(f'{label} {number:.3f}' for label, number in numbers.items())}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
