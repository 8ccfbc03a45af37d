"""Whether what standings say is true: leagues drawn from thousands of games of the same bots, judged by all of them.

`python -m benchmarks truth` takes some minutes: few leagues of each kind. `FULL=1` plays more games and judges more
leagues, as docs/ratings.md shows it. `TRUTH_SEED=N` plays other games, `TRUTH=habits,copies` only fields with such
names, `TRUTH_LEAGUES=N` that many leagues of each kind. `BASE=PATH` judges what another checkout says of the same
draws as well. `TRUTH_DOCS=docs` writes table and plot of docs/ratings.md.

For each kind of league: `covered`, the part of all intervals that hold the truth, and of the bot that is worst off;
`false orders`, the part of all leagues in which anything that places or comparisons say about the order is wrong;
`claims`, how many pairs of bots are said to be in a certain order; the mean half-width of intervals, what it would have
to be, and what `--dry-run` foretells; how many of the winners' intervals hold the truth, and how far their ratings are
too high; in how many leagues a notice says that a few games decide; of adaptive leagues, the chance that was said of
what they were asked, and how often it was right. The page has the means over all fields of the first kind.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from benchmarks import banks
from benchmarks.banks import FIELDS, Bank, Field, bank_of, groups_of
from league.plan.adaptive import MATCHES, chance_of_places, first_round
from league.plan.lineups import sampled
from league.play.adaptive_rounds import next_lineups
from league.rating import TAIL
from league.rating.errors import expected_half_width
from league.rating.places import chance_of_better
from league.rating.table import Floats, Ints
from league.results.contest_standings import ContestStandings
from league.tools.seeds import Seeds
from league.values.settings import Rating, Settle

FULL = bool(os.environ.get("FULL"))
SEED = int(os.environ.get("TRUTH_SEED", "1"))
"""Another number plays other games: constants that suit one seed must hold for all."""
BANK_DEALS = 500 if FULL else 200
LEAGUES = int(os.environ.get("TRUTH_LEAGUES", "60" if FULL else "10"))
ADAPTIVE_LEAGUES = max(LEAGUES // 3, 5)
DEALS = (2, 3, 5, 8, 20, 60, 200) if FULL else (2, 5, 20)
GOALS = (Settle(interval=3.0), Settle(places=1))
SAMPLED = (
    (banks.HABITS, (60, 300, 495), (8, 32, 128)),
    (banks.THREES, (20, 84), (8, 32, 128)),
    (banks.FORTY, (80,), (8, 32, 128)),
    (banks.GRADED_FORTY, (80,), (8, 32, 128)),
    (banks.EIGHTEEN, (80,), (8, 32, 128)),
)
"""Fields of which only some lineups play: how many, and how many deals."""
OTHERS: tuple[tuple[Field, tuple[int, ...]], ...] = (
    (banks.TWENTY, (5, 8)),
    *((field, (5, 20, 60)) for field in banks.POINTS),
)
"""Fields of which all lineups play so many deals."""
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
    winner: float
    """The part of the winners' intervals that hold the truth."""
    noticed: float
    """The part of the leagues that say that a few games decide."""
    goal: str
    """Of adaptive leagues: the chance that was said of the places that were asked for, and how often it was right."""
    chances: Floats
    """What was said of each pair's better bot, and whether it was right: one half for copies."""
    best: Floats
    """The chance of being the best, or as near to it as was asked, that was said of each bot; and whether it is."""


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks`."""
    base = os.environ.get("BASE")
    for row in _rows_of(Path(base)) if base else ():
        yield {"version": "before", **row}
    for row in rows():
        yield {"version": "now", **row} if base else row


def rows() -> Iterator[dict[str, object]]:
    """What this checkout says."""
    everything: list[Judged] = []
    made: list[tuple[str, str, Judged]] = []
    for what, kind, leagues, bank in kinds():
        if leagues:
            everything.append(judge(bank, leagues))
            made.append((what, kind, everything[-1]))
            yield _row(what, kind, everything[-1])
    if _wanted(banks.CLASS):
        yield _text(grades(bank_of(banks.CLASS, 2000, SEED)))
    if not everything:
        return
    chances, best = (np.concatenate([getattr(one, name) for one in everything]) for name in ("chances", "best"))
    for what, said in (("is better", chances), ("is the best", best)):
        for claimed, right, count in calibration(said):
            yield _text(f"{what}: said {claimed:.3f}, right {right:.3f}, of {count:,}")
    of_copies = chances[chances[:, 1] == 0.5, 0]
    if len(of_copies):
        sure = (of_copies > 0.95).mean()
        yield _text(f"of two copies one is better: said {of_copies.mean():.3f}, over 0.95 in {sure:.3f} of them")
    if docs := os.environ.get("TRUTH_DOCS"):
        plot = drawn({"is better": calibration(chances), "is the best": calibration(best)})
        Path(docs, "ratings-chances.svg").write_text(plot, encoding="utf-8")
        page = Path(docs, "ratings.md")
        before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
        _, end, after = rest.partition(END)
        page.write_text(f"{before}{BEGIN}{_markdown(made)}{end}{after}", encoding="utf-8")


def _rows_of(checkout: Path) -> Iterator[dict[str, object]]:
    """What another checkout says, by this benchmark."""
    with TemporaryDirectory() as folder:
        for name, where in (("benchmarks", Path(__file__).parent), ("league", checkout / "league")):
            Path(folder, name).symlink_to(where.resolve())
        code = "import json; from benchmarks import truth; [print(json.dumps(row), flush=True) for row in truth.rows()]"
        environment = {**os.environ, "TRUTH_DOCS": ""}
        with subprocess.Popen(
            [sys.executable, "-c", code], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            yield from map(json.loads, child.stdout)


def _text(text: str) -> dict[str, object]:
    return {name: {"field": "all", "leagues": text}.get(name, "") for name in HEADER}


BEGIN, END = "<!-- measured table -->\n", "<!-- end -->"
SHOWN = ("leagues", "covered", "false orders", "claims", "± said", "needed", "winner covered")


def _markdown(made: Sequence[tuple[str, str, Judged]]) -> str:
    """A row for each kind of league, the mean over all fields that are usual, and rows for the others."""
    usual = {_title(field) for field in FIELDS}
    kinds: dict[str, list[Judged]] = {}
    for what, kind, judged in made:
        kind = kind.partition(" settled")[0].rpartition(", ")[0] if " settled" in kind else kind
        kinds.setdefault(kind if what in usual else f"{what}, {kind}", []).append(judged)
    lines = [SHOWN, ("---", *["---:"] * (len(SHOWN) - 1))]
    for kind, alike in kinds.items():
        numbers = np.mean(
            [
                (one.covered.mean(), one.false_orders, one.claims, one.half_width, one.needed, one.winner)
                for one in alike
            ],
            axis=0,
        )
        lines.append(
            (kind, *(f"{number:.{digits}f}" for number, digits in zip(numbers, (3, 3, 1, 2, 2, 2), strict=True)))
        )
    return "".join(f"|{'|'.join(line)}|\n" for line in lines)


HEADER = (
    *("field", "leagues", "covered", "worst bot", "false orders", "claims"),
    *("± said", "needed", "foretold", "winner covered", "winner too high", "few decide", "goal: said, right"),
)


def _row(field: str, kind: str, judged: Judged) -> dict[str, object]:
    values = (
        *(field, kind, f"{judged.covered.mean():.3f}", f"{judged.covered.min():.2f}", f"{judged.false_orders:.3f}"),
        *(f"{judged.claims:.1f}", f"{judged.half_width:.2f}", f"{judged.needed:.2f}", f"{judged.foretold:.2f}"),
        *(f"{judged.winner:.2f}", f"{judged.flattery:+.2f} ± {judged.flattery_error:.2f}", f"{judged.noticed:.2f}"),
        judged.goal,
    )
    return dict(zip(HEADER, values, strict=True))


def _wanted(field: Field) -> bool:
    """Whether a field is to be played: all of them, or those with one of these words in their names."""
    words = os.environ.get("TRUTH", "").split(",")
    return any(word in field.name for word in words)


Kind = tuple[str, str, list[ContestStandings], Bank]
"""The field, what kind of league it is, the leagues, and where they were drawn from."""


def kinds() -> Iterator[Kind]:
    """All leagues that are judged."""
    for field in filter(_wanted, FIELDS):
        bank, what = _bank(field)
        yield from ((what, f"{deals} deals", _leagues(bank, deals), bank) for deals in DEALS)
        yield what, "5 deals, stopped", _leagues(bank, 5, stopped=True), bank
        yield from ((what, *_adaptive_leagues(bank, goal), bank) for goal in GOALS)
    if _wanted(banks.TOP_COPIES):
        bank, what = _bank(banks.TOP_COPIES)
        yield what, *_adaptive_leagues(bank, GOALS[1]), bank
    for field, numbers, all_deals in SAMPLED:
        if _wanted(field):
            bank, what = _bank(field)
            for most in numbers:
                of = f"{most} of {len(bank.lineups)} lineups"
                yield from ((what, f"{of}, {deals} deals", _leagues(bank, deals, most), bank) for deals in all_deals)
    for field, times in OTHERS:
        if _wanted(field):
            bank, what = _bank(field)
            yield from ((what, f"{deals} deals", _leagues(bank, deals), bank) for deals in times)


def _bank(field: Field) -> tuple[Bank, str]:
    deals = 2000 if field.made or field is banks.TWENTY else BANK_DEALS
    return bank_of(field, deals, SEED), _title(field)


def _title(field: Field) -> str:
    return f"{Path(field.game).stem}-{field.players}p {field.name}"


def _leagues(bank: Bank, deals: int, most: int | None = None, *, stopped: bool = False) -> list[ContestStandings]:
    """Leagues in which all lineups play, or a sample of them; if it is stopped, some have played one more deal."""
    rng = np.random.default_rng((SEED, deals))
    found = []
    for number in range(LEAGUES):
        chosen = np.arange(len(bank.lineups))
        if most is not None and most < len(chosen):
            places = _places(bank)
            sample = sampled(bank.names, bank.contest.players, most, Seeds(SEED, number))
            chosen = np.array([places[lineup] for lineup in sample])
        lineup = np.repeat(chosen, deals)
        if stopped:
            lineup = np.concatenate([lineup, np.arange(rng.integers(len(chosen)))])
        found.append(_played(bank, lineup, int(rng.integers(2**32)), Rating(), None))
    return found


def _places(bank: Bank) -> dict[tuple[int, ...], int]:
    return {tuple(lineup): number for number, lineup in enumerate(bank.lineups.tolist())}


def _adaptive_leagues(bank: Bank, goal: Settle) -> tuple[str, list[ContestStandings]]:
    rng = np.random.default_rng((SEED, 2))
    ended = [adaptive(bank, goal, rng, seed) for seed in range(ADAPTIVE_LEAGUES)]
    settled = [one for one, reached in ended if reached]
    what = f"interval: {goal.interval:g}" if goal.interval else f"places: {goal.places}"
    return f"adaptive, {what}, {len(settled)} of {len(ended)} settled", settled


def adaptive(bank: Bank, goal: Settle, rng: np.random.Generator, seed: int) -> tuple[ContestStandings, bool]:
    """A league that ends when its goal is reached, and whether it was."""
    players = bank.contest.players
    places = _places(bank)
    drawn = Counter(first_round(bank.names, players, Seeds(seed)))
    lineup: Ints = np.zeros(0, dtype=np.int64)
    while True:
        more = [places[one] for one, times in drawn.items() for _ in range(times * MATCHES)]
        lineup = np.concatenate([lineup, np.array(more, dtype=np.int64)])
        contest = _played(bank, lineup, seed, Rating(sigma=None), goal)
        drawn = next_lineups(contest, rng)
        if not drawn:
            return contest, True
        if len(lineup) * players > MOST_GAMES:
            return contest, False


def _played(bank: Bank, lineup: Ints, seed: int, rating: Rating, goal: Settle | None) -> ContestStandings:
    """A league of these lineups; a longer one with the same seed begins with the same deals."""
    deals, swaps, groups = (np.random.default_rng((seed, purpose)) for purpose in range(3))
    drawn = bank.draw(swaps, lineup, deals.integers(0, bank.deals, len(lineup)), groups_of(groups, lineup))
    return ContestStandings(drawn, rating, goal)


def grades(bank: Bank) -> str:
    """How often bots that are ahead of a milestone reach it, others do, and copies get different grades."""
    leagues = _leagues(bank, 20)
    reached, missed = (
        np.array([way[1:, 0] for way in ways])
        for ways in zip(*((one.ahead, one.ahead.T) for one in leagues), strict=True)
    )
    lead = bank.truth[1:] - bank.truth[0]
    alike = [(one, one + 1) for one in range(len(lead) - 1) if bank.alike[one + 1] == bank.alike[one + 2]]
    pairs = np.array(alike)
    by_lead = ", ".join(
        f"{lead[one]:+.1f} {reached[:, [one, two]].mean():.2f} {missed[:, [one, two]].mean():.2f}" for one, two in alike
    )
    differ = (reached[:, pairs[:, 0]] != reached[:, pairs[:, 1]]).mean()
    contradict = (reached[:, pairs].any(axis=2) & missed[:, pairs].any(axis=2)).mean()
    return (
        f"20 deals, a milestone, by lead reached and not reached: {by_lead}; of two copies only one has it: "
        f"{differ:.2f}, the other has it not for sure: {contradict:.3f}"
    )


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
        right = bank.truth >= bank.truth.max() - one.within if one.within else true_best / true_best.sum()
        best.append(np.column_stack([[lines[name] for name in one.bots], right]))
    games = float(np.mean([one.record.games.mean() for one in leagues]))
    numbers = np.arange(len(leagues))
    flattery = errors[numbers, winners]
    of_goals = [
        (chance_of_places(1, one.goal.within, one.sight), bank.truth[top] >= bank.truth.max() - one.goal.within)
        for one, top in zip(leagues, winners, strict=True)
        if one.goal and one.goal.places
    ]
    return Judged(
        covered=covered.mean(axis=0),
        false_orders=float(np.mean([(one.ahead & ~better).any() for one in leagues])),
        claims=float(np.mean([one.ahead.sum() for one in leagues])),
        half_width=float(np.mean([(one.high - one.low) / 2 for one in leagues])),
        needed=TAIL * float(np.sqrt((errors**2).mean())),
        foretold=expected_half_width(games, games / bank.contest.players, bank.contest.players, Rating()),
        flattery=float(flattery.mean()),
        flattery_error=float(flattery.std() / max(len(flattery) - 1, 1) ** 0.5),
        winner=float(covered[numbers, winners].mean()),
        noticed=float(np.mean([one.errors.few_decide.any() for one in leagues])),
        goal="{:.2f}, {:.2f}".format(*np.mean(of_goals, axis=0)) if of_goals else "",
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
