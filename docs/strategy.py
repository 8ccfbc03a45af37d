"""Prints the figures of docs/strategy.md and draws its charts: `python docs/strategy.py`, about a minute.

`python docs/strategy.py 400` plays more games for each figure.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

from league import games
from league.hosts.bot import Table
from league.hosts.runtime import load

HERE = Path(__file__).parent
RANDOM_GAMES = 4000
EFFORTS = (16, 80, 320)
RIVALS = {"raj": "raj_habits", "braverats": "rats_mixed", "cheese_rescue": "cheese_chain"}


def bot(name: str) -> Any:
    """The class of a shipped bot."""
    return load(name, (HERE.parent / "bots" / f"{name}.py").read_bytes())


def play(game: Any, kinds: Sequence[Any], number: int) -> Any:
    """One game between bots, to its final state."""
    bots = []
    for seat, kind in enumerate(kinds):
        table = Table(game, seat, 1_000 * number + seat)
        bots.append(kind(table) if "__init__" in vars(kind) else kind())
    state = game.start(game.deal(Random(number)))
    while state.turn:
        state.step([bots[seat].choose(state.view(seat)) for seat in state.turn])
    return state


def result(ranks: Sequence[int], seat: int) -> float:
    """1 for the first place, 0 for the last."""
    others = len(ranks) - 1
    return sum((rank > ranks[seat]) + (rank == ranks[seat]) / 2 for rank in ranks) / others - 0.5 / others


def seat_advantage(name: str, players: int) -> list[float]:
    """The mean score of each seat when all play at random."""
    game = games.make(name, players)
    ends = [game.start(game.deal(rng)).playout(rng).ranks for rng in map(Random, range(RANDOM_GAMES))]
    return [mean(result(ranks, seat) for ranks in ends) for seat in range(players)]


def mean_bids(number: int) -> dict[int, float]:
    """What the searcher bids for each prize in games against itself."""
    game, searcher = games.make("raj", 2), bot("searcher")
    bids = defaultdict(list)
    for at in range(number):
        history = play(game, [searcher, searcher], at).history
        for before, past in pairwise([None, *history]):
            if before is None or before.winner >= 0:  # nothing was left over from the round before
                bids[past.shown] += past.bids
    return {prize: mean(bids[prize]) for prize in sorted(bids)}


def strength(name: str, effort: int, number: int) -> float:
    """The searcher's mean score against a specialist, with so many playouts for a decision."""
    game, rival = games.make(name, 2), bot(RIVALS[name])
    source = (HERE.parent / "bots" / "searcher.py").read_bytes()
    searcher = load("searcher", source.replace(b"PLAYOUTS = 80", b"PLAYOUTS = %d" % effort))
    scores = []
    for at in range(number):
        for seat in (0, 1):
            kinds = [searcher, rival] if seat == 0 else [rival, searcher]
            scores.append(result(play(game, kinds, at).outcome().ranks, seat))
    return mean(scores)


def chart(path: Path, title: str, bars: Mapping[str, float]) -> None:
    """Draw bars as a small SVG."""
    top, width = max(bars.values()), 30 * len(bars) + 20
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 160" font-family="sans-serif">']
    parts += [f'<text x="10" y="14" font-size="11">{title}</text>']
    for at, (label, value) in enumerate(bars.items()):
        x, height = 10 + 30 * at, 100 * value / top
        parts += [f'<rect x="{x}" y="{140 - height:.1f}" width="22" height="{height:.1f}" fill="#4c78a8"/>']
        parts += [f'<text x="{x + 11}" y="{136 - height:.1f}" font-size="8" text-anchor="middle">{value:.1f}</text>']
        parts += [f'<text x="{x + 11}" y="153" font-size="9" text-anchor="middle">{label}</text>']
    path.write_text("\n".join([*parts, "</svg>", ""]), encoding="utf-8")


def main(number: int) -> None:
    """Print all figures."""
    for name in games.names():
        for players in games.find(name).player_counts:
            found = " ".join(f"{score:.3f}" for score in seat_advantage(name, players))
            print(f"seats of {name} for {players}: {found}", flush=True)
    bids = mean_bids(number)
    print("bids by prize:", " ".join(f"{prize}:{bid:.1f}" for prize, bid in bids.items()), flush=True)
    chart(HERE / "strategy-bids.svg", "Raj for two: mean bid by prize", {str(key): bid for key, bid in bids.items()})
    for name in RIVALS:
        scores = " ".join(f"{effort}:{strength(name, effort, number):.3f}" for effort in EFFORTS)
        print(f"searcher against {RIVALS[name]} by playouts: {scores}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
