"""Whether what standings say is true: real leagues of real bots, judged by thousands of deals of the same bots.

`python -m benchmarks truth` takes some minutes: few leagues of each kind. `FULL=1 python -m benchmarks truth` plays
500 deals of each lineup and judges 60 leagues of each kind, as docs/ratings.md shows it; that takes about 15 minutes.
`TRUTH_SEED=N` plays other games. `TRUTH_BANKS=DIR` keeps the games in a folder, so that the next time they are read
from there. `TRUTH_DOCS=docs` writes table and plot of docs/ratings.md.

For each kind of league: `covered`, the part of all intervals that hold the truth, and of the bot that is worst off;
`false orders`, the part of all leagues in which anything that places or comparisons say about the order is wrong;
`claims`, how many pairs of bots are said to be in a certain order; the mean half-width of intervals, what it would have
to be, and what `--dry-run` foretells; how many of the winners' intervals hold the truth, and how far their ratings are
too high; and the bot whose rating is off by most on average.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.banks import FIELDS, Bank, Field, bank_of, groups_of
from league.plan.adaptive import MATCHES, first_round
from league.play.adaptive_rounds import next_lineups
from league.rating import TAIL
from league.rating.chances import chance_of_better
from league.rating.spread import expected_half_width
from league.rating.table import Floats, Ints
from league.results.contest_standings import ContestStandings
from league.tools.seeds import Seeds
from league.values.settings import Rating, Settle

FULL = bool(os.environ.get("FULL"))
SEED = int(os.environ.get("TRUTH_SEED", "1"))
"""Another number plays other games: constants that suit one seed must hold for all."""
BANK_DEALS = 500 if FULL else 200
LEAGUES = 60 if FULL else 10
ADAPTIVE_LEAGUES = 20 if FULL else 5
DEALS = (2, 3, 5, 8, 20, 60, 200) if FULL else (2, 5, 20)
GOALS = (Settle(interval=3.0), Settle(places=1))
MOST_GAMES = 6000
"""Where an adaptive league ends if nothing is settled."""
EDGES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)


class Judged(NamedTuple):
    """Leagues of one kind."""

    covered: Floats
    """By bot: the part of its intervals that hold the truth."""
    false_orders: float
    claims: float
    half_width: float
    needed: float
    """Half of the width that would hold 95 % of all errors."""
    foretold: float
    flattery: float
    """How far the rating of the winner is too high, on average."""
    flattery_error: float
    bias: tuple[str, float]
    """The bot whose rating is off by most, on average, and by how much."""
    winner: float
    """The part of the winners' intervals that hold the truth."""
    chances: Floats
    """What was said of each pair's better bot, and whether it was right: one half for copies."""
    best: Floats
    """The chance of being the best that was said of each bot, and whether it is."""


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    kept = os.environ.get("TRUTH_BANKS")
    everything: list[Judged] = []
    rows: list[dict[str, object]] = []
    for field in FIELDS:
        bank = bank_of(field, BANK_DEALS, Path(kept) if kept else None, SEED)
        for kind, leagues in _kinds(field, bank):
            if leagues:
                judged = judge(bank, leagues)
                everything.append(judged)
                rows.append(_row(f"{field.game}-{field.players}p {field.name}", kind, judged))
                yield rows[-1]
    chances, best = (np.concatenate([getattr(one, name) for one in everything]) for name in ("chances", "best"))
    for what, said in (("is better", chances), ("is the best", best)):
        for claimed, right, count in calibration(said):
            text = f"{what}: said {claimed:.3f}, right {right:.3f}, of {count:,}"
            yield {name: {"field": "all", "leagues": text}.get(name, "") for name in HEADER}
    of_copies = chances[chances[:, 1] == 0.5, 0]
    sure = (of_copies > 0.95).mean()
    text = f"of two copies one is better: said {of_copies.mean():.3f}, over 0.95 in {sure:.3f} of them"
    yield {name: {"field": "all", "leagues": text}.get(name, "") for name in HEADER}
    if docs := os.environ.get("TRUTH_DOCS"):
        plot = drawn({"is better": calibration(chances), "is the best": calibration(best)})
        Path(docs, "ratings-chances.svg").write_text(plot, encoding="utf-8")
        page = Path(docs, "ratings.md")
        before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
        _, end, after = rest.partition(END)
        page.write_text(f"{before}{BEGIN}{_markdown(rows)}{end}{after}", encoding="utf-8")


BEGIN, END = "<!-- by python -m benchmarks truth -->\n", "<!-- end -->"
SHOWN = (
    "field",
    "leagues",
    "covered",
    "false orders",
    "± said",
    "needed",
    "foretold",
    "winner too high",
    "winner covered",
)


def _markdown(rows: Sequence[dict[str, object]]) -> str:
    lines = [SHOWN, ("---", "---", *["---:"] * (len(SHOWN) - 2)), *([row[name] for name in SHOWN] for row in rows)]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


HEADER = (
    *("field", "leagues", "covered", "worst bot", "false orders", "claims"),
    *("± said", "needed", "foretold", "winner covered", "winner too high", "bias"),
)


def _row(field: str, kind: str, judged: Judged) -> dict[str, object]:
    values = (
        *(field, kind, f"{judged.covered.mean():.3f}", f"{judged.covered.min():.2f}", f"{judged.false_orders:.3f}"),
        *(f"{judged.claims:.1f}", f"{judged.half_width:.2f}", f"{judged.needed:.2f}", f"{judged.foretold:.2f}"),
        *(f"{judged.winner:.2f}", f"{judged.flattery:+.2f} ± {judged.flattery_error:.2f}"),
        f"{judged.bias[1]:+.2f} {judged.bias[0]}",
    )
    return dict(zip(HEADER, values, strict=True))


def _kinds(field: Field, bank: Bank) -> Iterator[tuple[str, list[ContestStandings]]]:
    for deals in DEALS:
        rng = np.random.default_rng((SEED, deals))
        yield f"{deals} deals", [round_robin(bank, deals, rng) for _ in range(LEAGUES)]
    rng = np.random.default_rng((SEED, 1))
    yield "5 deals, stopped", [round_robin(bank, 5, rng, stopped=True) for _ in range(LEAGUES)]
    for goal in GOALS:
        rng = np.random.default_rng((SEED, 2))
        ended = [adaptive(bank, goal, rng, seed) for seed in range(ADAPTIVE_LEAGUES)]
        settled = [one for one, reached in ended if reached]
        what = f"interval: {goal.interval:g}" if goal.interval else f"places: {goal.places}"
        yield f"adaptive, {what}, {len(settled)} of {len(ended)} settled", settled


def round_robin(bank: Bank, deals: int, rng: np.random.Generator, *, stopped: bool = False) -> ContestStandings:
    """Every lineup plays deals of its own; in a league that was stopped, some have played one more."""
    lineup = np.repeat(np.arange(len(bank.lineups)), deals)
    if stopped:
        lineup = np.concatenate([lineup, np.arange(rng.integers(len(bank.lineups)))])
    return _played(bank, lineup, int(rng.integers(2**32)), Rating(), None)


def adaptive(bank: Bank, goal: Settle, rng: np.random.Generator, seed: int) -> tuple[ContestStandings, bool]:
    """A league that ends when its goal is reached, and whether it was."""
    players = bank.contest.players
    places = {tuple(lineup): number for number, lineup in enumerate(bank.lineups.tolist())}
    drawn = Counter(first_round(bank.names, players, Seeds(seed)))
    lineup: Ints = np.zeros(0, dtype=np.int64)
    while True:
        more = [places[one] for one, times in drawn.items() for _ in range(times * MATCHES)]
        lineup = np.concatenate([lineup, np.array(more, dtype=np.int64)])
        contest = _played(bank, lineup, seed, Rating(sigma=None), goal)
        drawn = next_lineups(contest, goal, rng)
        if not drawn:
            return contest, True
        if len(lineup) * players > MOST_GAMES:
            return contest, False


def _played(bank: Bank, lineup: Ints, seed: int, rating: Rating, goal: Settle | None) -> ContestStandings:
    """A league of these lineups; a longer one with the same seed begins with the same deals."""
    deals, swaps, groups = (np.random.default_rng((seed, purpose)) for purpose in range(3))
    drawn = bank.draw(swaps, lineup, deals.integers(0, bank.deals, len(lineup)), groups_of(groups, lineup))
    return ContestStandings(drawn, rating, goal)


def judge(bank: Bank, leagues: Sequence[ContestStandings]) -> Judged:
    """What leagues said, beside the truth."""
    better = bank.truth[:, None] > bank.truth[None, :]
    first, second = np.triu_indices(len(bank.names), 1)
    true_best = bank.truth == bank.truth.max()
    copies = bank.alike[first] == bank.alike[second]
    truth_of_pairs = np.where(copies, 0.5, better[first, second])
    covered = np.array([(one.low <= bank.truth) & (bank.truth <= one.high) for one in leagues])
    errors = np.array([one.rating - bank.truth for one in leagues])
    winners = np.array([one.rating.argmax() for one in leagues])
    chances, best = [], []
    for one in leagues:
        pairs = zip(first, second, strict=True)
        said = np.array([chance_of_better(one.worlds[:, a], one.worlds[:, b]) for a, b in pairs])
        ahead = said >= 0.5
        right = np.where(ahead, truth_of_pairs, 1 - truth_of_pairs)
        chances.append(np.column_stack([np.maximum(said, 1 - said), right]))
        lines = {line.bot: line.best for line in one.lines}
        best.append(np.column_stack([[lines[name] for name in one.bots], true_best / true_best.sum()]))
    games = float(np.mean([one.record.games.mean() for one in leagues]))
    numbers = np.arange(len(leagues))
    flattery = errors[numbers, winners]
    off = errors.mean(axis=0)
    furthest = int(np.abs(off).argmax())
    return Judged(
        covered=covered.mean(axis=0),
        false_orders=float(np.mean([(one.ahead & ~better).any() for one in leagues])),
        claims=float(np.mean([one.ahead.sum() for one in leagues])),
        half_width=float(np.mean([(one.high - one.low) / 2 for one in leagues])),
        needed=TAIL * float(np.sqrt((errors**2).mean())),
        foretold=expected_half_width(games, games / bank.contest.players, bank.contest.players, Rating()),
        flattery=float(flattery.mean()),
        flattery_error=float(flattery.std() / max(len(flattery) - 1, 1) ** 0.5),
        bias=(bank.names[furthest], float(off[furthest])),
        winner=float(covered[numbers, winners].mean()),
        chances=np.concatenate(chances),
        best=np.concatenate(best),
    )


def calibration(said: Floats) -> list[tuple[float, float, int]]:
    """By bin: the mean of what was said, the part that was right, and how many there are."""
    lower = () if said[:, 0].min() >= EDGES[0] else (0.0, 0.05, 0.2)
    edges = np.array((*lower, *EDGES[:-1], 1.01))
    number = np.digitize(said[:, 0], edges)
    return [(*said[number == one].mean(axis=0).tolist(), int((number == one).sum())) for one in np.unique(number)]


def drawn(lines: dict[str, list[tuple[float, float, int]]]) -> str:
    """Said against right, as SVG: on the diagonal every chance is right as often as it says."""
    size, edge = 320, 40

    def point(said: float, right: float) -> tuple[float, float]:
        return edge + said * size, edge + (1 - right) * size

    (left, bottom), (right_end, top) = point(0, 0), point(1, 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size + 2 * edge} {size + 2 * edge}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{size + 2 * edge}" height="{size + 2 * edge}" fill="white"/>',
        f'<rect x="{left}" y="{top}" width="{size}" height="{size}" fill="none" stroke="#888"/>',
        f'<line x1="{left}" y1="{bottom}" x2="{right_end}" y2="{top}" stroke="#bbb"/>',
        f'<text x="{left}" y="{bottom + 28}">chance that was said: 0 … 1</text>',
        f'<text x="{left}" y="{top - 12}">part that was right: 0 … 1</text>',
    ]
    for (name, bins), colour in zip(lines.items(), ("#1f6feb", "#d9480f"), strict=True):
        for said, right, count in bins:
            x, y = point(said, right)
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}" fill-opacity="0.8">'
                f"<title>{name}: said {said:.3f}, right {right:.3f}, of {count:,}</title></circle>"
            )
        row = bottom - 16 * (1 + list(lines).index(name))
        parts.append(f'<text x="{right_end - 90}" y="{row:.0f}" fill="{colour}">● {name}</text>')
    return "\n".join([*parts, "</svg>", ""])
