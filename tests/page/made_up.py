"""Pages of leagues that never were, for tests of how a page looks and behaves."""

from __future__ import annotations

from math import erf
from random import Random

from msgspec.structs import replace

from league.page.data import (
    Board,
    BotCard,
    Cycle,
    FaultNote,
    First,
    Meeting,
    Page,
    Past,
    Row,
    Sample,
    SeatScore,
    Spread,
)
from league.plan.coverage import ContestProgress, LeagueProgress
from league.results.lines import Line
from league.results.report import RATINGS_MEAN
from league.values.block import MilestoneStep

CONTESTS = (("raj-2p", "Raj, 2 players"), ("raj-3p", "Raj, 3 players"), ("braverats-2p", "BraveRats"))
WORDS = ("ant", "bold", "calm", "dusk", "echo", "fern", "glow", "hare", "iris", "jade", "kite", "lynx", "moss", "nova")
BASELINE = 4
MILESTONES = (
    MilestoneStep("bronze", "random", 1, "reached", "ahead of random, settled"),
    MilestoneStep(
        "silver", "nearest", 1, "undecided", "about as good as nearest; at least 400 more games would decide it"
    ),
    MilestoneStep("gold", "habits", 1, "not reached", "behind habits, settled"),
)
DOC = "Bids the card nearest to the prize.\n\nAnd keeps the fifteen for the ten."


def progress(played: int, total: int) -> LeagueProgress:
    """How far a league of one contest is."""
    return LeagueProgress(0, 0, (ContestProgress("raj-2p", played, total),))


def page(
    bots: int, *, contests: int = 3, seed: int = 1, progress: LeagueProgress | None = None, running: bool = False
) -> Page:
    """A league of N bots, with something of everything."""
    rng = Random(seed)
    entrants = tuple(
        BotCard(f"{rng.choice(WORDS)}_{rng.choice(WORDS)}_{at}", DOC if at % 5 else "", baseline=at == BASELINE)
        for at in range(bots)
    )
    boards = tuple(_board(key, title, bots, rng) for key, title in CONTESTS[:contests])
    if contests > 1:
        first = _board("overall", "Overall", bots, rng)
        overall = Board(
            first.key,
            first.title,
            tuple(_without_points(row) for row in first.rows),
            first.games * contests,
            "every contest counts equally",
            settling=first.settling,
        )
        boards = (overall, *boards)
    tail = '  File "ant.py", line 12, in choose\n    return view.legal[99]\nIndexError: tuple index out of range'
    faults = tuple(
        FaultNote(bot, CONTESTS[0][0], kind, "IndexError: tuple index out of range", 12, "raj-2p:a+b:3.1", tail)
        for bot, kind in zip(range(0, bots, 4), ("error", "timeout", "illegal") * bots, strict=False)
    )
    reasons = ((0, "best win"), (1, "worst loss"))
    sample = Sample(CONTESTS[0][0], "raj-2p:a+b:3.1", "games/raj-2p-1.html", (0, 1), "19 to 12", reasons=reasons)
    firsts = tuple(
        First(board.key, board.title, tuple(row.bot for row in board.rows[:2]), bots, board.games)
        for board in boards[1:]
        if board.rows
    )
    past = tuple(_past(boards, rng, week) for week in range(1, 4))
    return Page(
        league="Summer term",
        when="Played on 14 November 2026, from 21:03 to 23:40.",
        what=f"{bots} bots, 120,000 games of Raj (2 and 3 players) and BraveRats.",
        facts=(("isolation", "sandbox"), ("seed", "2026"), ("time for a move", "100 ms")),
        bots=entrants,
        boards=boards,
        faults=faults,
        samples=(sample,) if bots > 1 else (),
        config="league: summer\nbots: ../bots\n",
        progress=progress,
        running=running,
        written=1.0 if running else 0.0,
        firsts=firsts,
        past=past,
        before=past[-2],
        changes=("New since the run before: ant and bee.",),
        milestones=dict.fromkeys(range(1, bots), MILESTONES),
        folder="results/summer",
    )


def _past(boards: tuple[Board, ...], rng: Random, week: int) -> Past:
    """The standings of some bots, a little different."""
    rows = {
        board.key: {
            row.bot: replace(row.line, place=row.place, rating=rating, low=rating - 0.8, high=rating + 0.8)
            for row in board.rows[week % 2 :]
            for rating in [row.line.rating + rng.gauss(0, 0.5)]
        }
        for board in boards
    }
    anchors = {board.key: max(len(board.rows) - 2, 0) for board in boards}
    return Past(f"{7 * week} November 2026, 23:40", rows, edited=(0,) if week == 2 else (), anchors=anchors)


def _without_points(row: Row) -> Row:
    return replace(row, line=replace(row.line, mean_points=None))


def _board(key: str, title: str, bots: int, rng: Random) -> Board:
    skill = sorted((rng.gauss(25, 5) for _ in range(bots)), reverse=True)
    who = rng.sample(range(bots), bots)
    games = 400 * bots
    rows = []
    for at, (bot, rating) in enumerate(zip(who, skill, strict=True)):
        half = rng.uniform(0.3, 1.2)
        wins = int(games * (0.5 + (rating - 25) / 40))
        draws = rng.randrange(games // 9 + 1)
        faults = (("error", 12), ("timeout", 3)) if at % 7 == 3 else ()
        place = "1-2" if at < 2 else str(at + 1) if at % 3 else f"{at + 1}-{at + 2}"
        rows.append(
            Row(
                bot,
                place,
                Line(
                    place=place,
                    bot=f"bot {bot}",
                    games=games,
                    rating=rating,
                    sigma=2 / 3,
                    low=rating - half,
                    high=rating + half,
                    wins=max(0, wins - draws),
                    draws=draws,
                    mean_score=0.5 + (rating - 25) / 40,
                    mean_points=rng.uniform(10, 20),
                    kinds=faults,
                    best=0.6 / 2**at,
                    ms=10 ** rng.uniform(-3, 1),
                ),
                notes=("few games",) if at == bots - 1 else (),
            )
        )
    rating_of = dict(zip(who, skill, strict=True))
    meetings = []
    for a in range(bots):
        for b in range(a + 1, bots):
            expected = 0.5 + 0.5 * erf((rating_of[a] - rating_of[b]) / 12)
            score = min(1.0, max(0.0, expected + rng.gauss(0, 0.04)))
            low, high = max(0, score - 0.05), min(1, score + 0.05)
            meetings.append(Meeting(a, b, 400, *(round(part, 3) for part in (score, low, high, expected))))
    settling = tuple(
        (games * step, tuple((bot, round(rating + rng.gauss(0, 3 / step), 2)) for bot, rating in rating_of.items()))
        for step in (1, 2, 4, 8, 16, 32, 64)
    )
    spreads = tuple(
        Spread(bot, 4, 10, 14, 18, 27, 14.2, tuple((points, rng.randrange(1, 90)) for points in range(32)))
        for bot in range(bots)
    )
    players = 3 if "3" in title else 2
    seats = tuple(SeatScore(seat, games, 0.5 + rng.gauss(0, 0.02)) for seat in range(1, players + 1))
    own = {bot: tuple(SeatScore(seat, 200, 0.5) for seat in range(1, players + 1)) for bot in range(bots)}
    cycles = (Cycle((0, 1, 2), (0.61, 0.58, 0.66)),) if bots > 2 else ()
    return Board(
        *(key, title, tuple(rows), games, "200 deals", (), tuple(meetings), settling, spreads, seats, own, cycles),
        means=RATINGS_MEAN,
    )
