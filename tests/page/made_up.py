"""Pages of leagues that never were, for tests of how a page looks and behaves."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import numpy as np
from msgspec.structs import replace
from scipy.special import ndtr

from league.page.data import Board, Page, Sample, SeatScore
from league.plan.coverage import ContestProgress, LeagueProgress
from league.rating.pairs import Pairs
from league.results.history import HistoryEntry
from league.results.lines import Line
from league.results.report import RATINGS_MEAN
from league.values.block import Fault, FaultKind, MilestoneStep

CONTESTS = (("raj-2p", "Raj, 2 players"), ("raj-3p", "Raj, 3 players"), ("braverats-2p", "BraveRats"))
WORDS = ("ant", "bold", "calm", "dusk", "echo", "fern", "glow", "hare", "iris", "jade", "kite", "lynx", "moss", "nova")
BASELINE = 4
MILESTONES = (
    MilestoneStep("bronze", "random", 1, "reached", "ahead of random, settled"),
    MilestoneStep(
        "silver", "nearest", 1, "undecided", "about as good as nearest; at least 400 more games would decide it"
    ),
    MilestoneStep("gold", "habits", 1, "not reached", "habits is clearly better"),
)
KINDS: tuple[FaultKind, ...] = ("error", "timeout", "illegal")
DOC = "Bids the card nearest to the prize.\n\nAnd keeps the fifteen for the ten."


def progress(played: int, total: int) -> LeagueProgress:
    """How far a league of one contest is."""
    return LeagueProgress(0, 0, (ContestProgress("raj-2p", played, total),))


def pairs_of(bots: int, scores: Mapping[tuple[int, int], tuple[float, float, float]]) -> Pairs:
    """Pairs that met 40 times, each from the side of the bot of lower index: the score and its interval."""
    games = np.zeros((bots, bots), dtype=np.int64)
    score, low, high = (np.full((bots, bots), np.nan) for _ in range(3))
    for (a, b), (value, least, most) in scores.items():
        games[a, b] = games[b, a] = 40
        score[a, b], low[a, b], high[a, b] = value, least, most
        score[b, a], low[b, a], high[b, a] = 1 - value, 1 - most, 1 - least
    return Pairs(games, games // 2, 0 * games, score, low, high, np.ones_like(score), 0.5)


def page(
    bots: int, *, contests: int = 3, called: str = "", progress: LeagueProgress | None = None, running: bool = False
) -> Page:
    """A league of N bots, with something of everything. All can be `called` alike, but for a number."""
    rng = Random(1)
    names = [f"{called or f'{rng.choice(WORDS)}_{rng.choice(WORDS)}_'}{at}" for at in range(bots)]
    boards = [_board(key, title, names, rng) for key, title in CONTESTS[:contests]]
    if contests > 1:
        first = _board("overall", "Overall", names, rng)
        lines = [replace(line, mean_points=None) for line in first.lines]
        overall = Board("overall", "Overall", lines, first.games * contests, settling=first.settling)
        boards = [replace(overall, times=first.times), *boards]
    tail = '  File "ant.py", line 12, in choose\n    return view.legal[99]\nIndexError: tuple index out of range'
    faults = [
        (Fault(bot, "raj-2p:a+b:3.1", kind, "IndexError: tuple index out of range", tail), 12)
        for bot, kind in zip(names[::4], KINDS * bots, strict=False)
    ]
    reasons = tuple(zip(names, ("best win", "worst loss"), strict=False))
    sample = Sample("raj-2p", "games/raj-2p-1.html", tuple(names[:2]), "19 to 12", reasons=reasons)
    past = [_past(boards, names, rng, week) for week in range(1, 4)]
    return Page(
        league="Summer term",
        when="Played on 14 November 2026, from 21:03 to 23:40.",
        what=f"{bots} bots, 120,000 games of Raj (2 and 3 players) and BraveRats.",
        facts=[("isolation", "sandbox"), ("seed", "2026"), ("time for a move", "100 ms")],
        docs={name: DOC if at % 5 else "" for at, name in enumerate(names)},
        boards=boards,
        baselines=frozenset(names[BASELINE : BASELINE + 1]),
        faults=faults,
        samples=[sample] if bots > 1 else [],
        config="league: summer\nbots: ../bots\n",
        progress=progress,
        running=running,
        written=1.0 if running else 0.0,
        past=past,
        before=past[-2][0],
        changes=["New since the run before: ant and bee."],
        milestones=dict.fromkeys(names[1:], MILESTONES),
        folder="results/summer",
    )


def _past(boards: list[Board], names: list[str], rng: Random, week: int) -> tuple[HistoryEntry, dict[str, int]]:
    """The standings of some bots, a little different; one of them has a new version in the second week."""
    moved = {
        board.key: {
            line.bot: replace(line, rating=rating, low=rating - 0.8, high=rating + 0.8)
            for line in board.lines[week % 2 :]
            for rating in [line.rating + rng.gauss(0, 0.5)]
        }
        for board in boards
    }
    versions = dict.fromkeys(names, "1") | dict.fromkeys(names[:1], str(min(week, 2)))
    anchors = {board.key: max(len(board.lines) - 2, 0) for board in boards}
    return HistoryEntry(1.8e9 + 604_800 * week, "", versions, moved, 1000 * week), anchors


def _board(key: str, title: str, names: list[str], rng: Random) -> Board:
    bots, games = len(names), 400 * len(names)
    skill = sorted((rng.gauss(25, 5) for _ in range(bots)), reverse=True)
    rating_of = dict(zip(rng.sample(names, bots), skill, strict=True))
    lines = []
    for at, (bot, rating) in enumerate(rating_of.items()):
        half, played = rng.uniform(0.3, 1.2), games if at < bots - 1 else 20
        wins, draws = int(played * (0.5 + (rating - 25) / 40)), rng.randrange(played // 9 + 1)
        lines.append(
            Line(
                place="1-2" if at < 2 else str(at + 1) if at % 3 else f"{at + 1}-{at + 2}",
                bot=bot,
                games=played,
                rating=rating,
                sigma=2 / 3,
                low=rating - half,
                high=rating + half,
                wins=max(0, wins - draws),
                draws=draws,
                mean_score=0.5 + (rating - 25) / 40,
                mean_points=rng.uniform(10, 20),
                kinds=(("error", 12), ("timeout", 3)) if at % 7 == 3 else (),
                best=0.6 / 2**at,
            )
        )
    strength = np.array([rating_of[name] for name in names])
    expected = ndtr((strength[:, None] - strength[None, :]) / 8.5)
    met = {
        (a, b): (score, max(0.0, score - 0.05), min(1.0, score + 0.05))
        for a in range(bots)
        for b in range(a + 1, bots)
        for score in [min(1.0, max(0.0, float(expected[a, b]) + rng.gauss(0, 0.04)))]
    }
    players = range(1, 4 if "3" in title else 3)
    return Board(
        key,
        title,
        lines,
        games,
        "200 deals",
        means=RATINGS_MEAN,
        settling=[
            (games * step, {bot: rating + rng.gauss(0, 3 / step) for bot, rating in rating_of.items()})
            for step in (1, 2, 4, 8, 16, 32, 64)
        ],
        times={name: 10 ** rng.uniform(-3, 1) for name in names} if key == "overall" else {},
        bots=names,
        pairs=pairs_of(bots, met),
        expected=expected,
        cycles=[names[:3]] if bots > 2 else [],
        histograms={name: {points: rng.randrange(1, 90) for points in range(32)} for name in names},
        seats=[SeatScore(seat, games, 0.5 + rng.gauss(0, 0.02)) for seat in players],
        own_seats={name: [SeatScore(seat, 200, 0.5) for seat in players] for name in names},
    )
