"""Makes a `Page` from a league's results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from math import isnan
from time import time
from typing import TYPE_CHECKING

from msgspec.structs import replace

from league.page import matrices
from league.page.data import (
    OVERALL,
    Board,
    BotCard,
    Cycle,
    FaultNote,
    First,
    Page,
    Past,
    Row,
    Sample,
    Spread,
    cut,
    with_capital,
)
from league.plan.rounds import progress
from league.results.contest_standings import FEW_GAMES
from league.results.history import HistoryEntry, edited, entry_changes, entry_of, read_history
from league.results.lines import UNPLAYED, placed
from league.results.milestones import progress_of
from league.results.report import (
    ANCHORED_MEAN,
    NAMED,
    POINTS_MEAN,
    RATINGS_MEAN,
    WORTH_NAMING,
    fault_kinds,
    overall_comes_first,
)
from league.tools.text import counted, listed, shown_path
from league.values.settings import Contest

if TYPE_CHECKING:
    from league.page.matrices import Settled
    from league.plan.schedule import Plan
    from league.results.contest_standings import ContestStandings
    from league.results.lines import Line
    from league.results.standings import Standings
    from league.results.store import Run, Store
    from league.values.block import Fault, MilestoneStep
    from league.values.settings import Config, Milestone

CAUSES = 10
"""Different faults of one bot that are shown, the most frequent first."""
LONGEST_CAUSE = 500
LONGEST_TAIL = 4000
MILESTONE_RESULTS = 40_000_000
"""Counted results that may be read for all milestones of all bots together."""
PAST_ROWS = 6000
"""Standings of all earlier runs together; of more, only the last runs are on the page."""
CYCLES = 6
"""Cycles that are drawn on one board."""
CHOSEN = "results choose what is played next"
LONGEST_DOC = 4000
LONGEST_CONFIG = 20_000
ALL_DOCS = 400_000
"""Characters of all docstrings together: in large leagues each is cut shorter."""


def gather(
    store: Store,
    standings: Standings,
    samples: Sequence[Sample] = (),
    *,
    running: bool = False,
    order: Sequence[str] | None = None,
) -> Page:
    """All that the page shows of a league as it is now, with its bots in this order."""
    bots = store.bots() if order is None else sorted(store.bots(), key=lambda bot: order.index(bot.name))
    config = store.settings()
    index = {bot.name: number for number, bot in enumerate(bots)}
    boards = _boards(standings, index, _sizes(store.plan(), config), config)
    reached = standings.progress or progress(store.coverage())
    past, before, changed = earlier_runs(read_history(store), entry_of(store, standings), index)
    longest_doc = min(LONGEST_DOC, ALL_DOCS // max(len(bots), 1))
    return Page(
        league=config.name,
        when=_when(store.runs()),
        what=_what(len(bots), standings) if standings.games else f"{counted(len(bots), 'bot')}, no games yet.",
        facts=_facts(config),
        bots=tuple(BotCard(bot.name, cut(bot.doc, longest_doc), bot.baseline) for bot in bots),
        boards=boards,
        remarks=tuple(map(with_capital, standings.remarks)),
        faults=fault_notes(store.faults(), index),
        samples=tuple(samples),
        config=cut(config.text, LONGEST_CONFIG),
        progress=reached if running or reached.played < reached.total else None,
        running=running,
        written=time() if running else 0.0,
        firsts=tuple(firsts(standings, {board.key: board.title for board in boards}, index)),
        past=past,
        before=before,
        changes=changed,
        milestones=milestone_marks(standings, config.milestones, index),
        folder=shown_path(store.folder),
    )


def _boards(standings: Standings, index: dict[str, int], sizes: dict[str, str], config: Config) -> tuple[Board, ...]:
    """A board for each contest, and one for all of them: first, or last where few bots play every game."""
    contests = standings.contests.values()
    steps = [matrices.settle(contest, config.rating) for contest in contests]
    boards = [
        _board(standings, contest, index, sizes.get(contest.contest.key, ""), settled)
        for contest, settled in zip(contests, steps, strict=True)
    ]
    if len(boards) > 1:
        overall = _overall(standings, boards, index, steps)
        boards.insert(0 if overall_comes_first(standings) else len(boards), overall)
    return tuple(boards)


def _board(
    standings: Standings, contest: ContestStandings, index: dict[str, int], size: str, steps: Sequence[Settled]
) -> Board:
    key, title = contest.contest.key, contest.contest.title
    seats, own_seats = matrices.seats(contest, index)
    return Board(
        key=key,
        title=title,
        rows=tuple(_row(line, index, _milliseconds(standings, [contest], line.bot)) for line in contest.lines),
        games=contest.games,
        means=POINTS_MEAN if contest.points else ANCHORED_MEAN if contest.anchors else RATINGS_MEAN,
        subtitle=" · ".join([size, *_choices(contest.contest), *_counting(contest)]),
        notes=tuple(_sentence(text) for text in contest.doubts()),
        meetings=matrices.meetings(
            contest, index, [line.bot for line in contest.lines[: matrices.shown_meetings(len(standings.contests))]]
        ),
        settling=matrices.settling(steps, index),
        spreads=tuple(
            _spread(index[bot], points)
            for bot, points in zip(contest.bots, contest.tallies.histograms, strict=True)
            if points
        ),
        seats=seats,
        own_seats=own_seats,
        cycles=tuple(_cycle(contest, names, index) for names in contest.cycles[:CYCLES]),
        cycle_count=len(contest.cycles),
        counts=contest.count,
        span=matrices.lead_span(contest),
    )


def _overall(
    standings: Standings, boards: Sequence[Board], index: dict[str, int], steps: Sequence[Sequence[Settled]]
) -> Board:
    """All contests together. Only bots that play all of them are on it: other means cannot be compared."""
    contests = list(standings.contests.values())
    lines = placed(standings.overall) or [line for line in standings.overall if line.place == UNPLAYED]
    names = [line.bot for line in lines]
    played = standings.played()
    units = dict(zip((contest.contest.key for contest in played), standings.units(played), strict=True))
    common = [
        matrices.in_unit(settled, units[contest.contest.key])
        for contest, settled in zip(contests, steps, strict=True)
        if settled
    ]
    settled = matrices.settling(matrices.settle_overall(common), {name: index[name] for name in names})
    return Board(
        key=OVERALL,
        title="Overall",
        rows=tuple(_row(line, index, _milliseconds(standings, contests, line.bot)) for line in lines),
        games=sum(board.games for board in boards),
        means=POINTS_MEAN if standings.counts == "points" else ANCHORED_MEAN if standings.anchors else RATINGS_MEAN,
        subtitle="the mean of the ratings of all contests: each counts equally, however many games it had",
        notes=(
            *(_sentence(text) for text in standings.doubts),
            *(f"{board.title}: {note}" for board in boards for note in board.notes),
        ),
        settling=settled,
        counts=standings.counts,
    )


def firsts(standings: Standings, titles: Mapping[str, str], index: Mapping[str, int]) -> Iterator[First]:
    """The leaders of each contest, the most probable best first; the improbable ones are not named."""
    for key, contest in standings.contests.items():
        lines = placed(contest.lines)
        rivals = [line for line in lines if line.bot not in standings.baselines] or lines
        if not rivals:
            continue
        best = min(map(_best_place, rivals))
        leaders = [line for line in rivals if _best_place(line) == best]
        likely = len(leaders)
        if known := len(lines) > 1 and not any(isnan(line.best) for line in leaders):
            leaders.sort(key=lambda line: -line.best)
            likely = sum(line.best >= WORTH_NAMING for line in leaders)
        yield First(
            contest=key,
            title=titles[key],
            bots=tuple(index[line.bot] for line in leaders),
            unbeaten=tuple(index[line.bot] for line in lines if line not in rivals and _best_place(line) <= best),
            field=len(lines),
            games=contest.games,
            chances=tuple(line.best for line in leaders) if known else (),
            named=max(1, min(likely, NAMED)),
        )


def _best_place(line: Line) -> int:
    """1 of '1-3'."""
    return int(line.place.split("-")[0])


def _row(line: Line, index: dict[str, int], ms: float | None) -> Row:
    notes = ("few games",) if 0 < line.games < FEW_GAMES else ("no games yet",) if not line.games else ()
    return Row(index[line.bot], "" if line.place == UNPLAYED else line.place, replace(line, ms=ms), notes)


def _milliseconds(standings: Standings, contests: Iterable[ContestStandings], bot: str) -> float | None:
    """For one decision of a bot in these contests; None if it never decided."""
    keys = [(contest.contest.key, bot) for contest in contests]
    used = [standings.usage[key] for key in keys if key in standings.usage]
    decisions = sum(usage.decisions for usage in used)
    return 1000 * sum(usage.seconds for usage in used) / decisions if decisions else None


def _cycle(contest: ContestStandings, names: Sequence[str], index: dict[str, int]) -> Cycle:
    numbers = [contest.bots.index(name) for name in names]
    scores = [float(contest.pairs.score[a, b]) for a, b in zip(numbers, numbers[1:] + numbers[:1], strict=True)]
    return Cycle(tuple(index[name] for name in names), tuple(scores))


def _spread(bot: int, points: Counter[int]) -> Spread:
    histogram = tuple(sorted(points.items()))
    total = points.total()
    return Spread(
        bot=bot,
        lowest=_quantile(histogram, total, 0.05),
        quarter=_quantile(histogram, total, 0.25),
        median=_quantile(histogram, total, 0.5),
        three_quarters=_quantile(histogram, total, 0.75),
        highest=_quantile(histogram, total, 0.95),
        mean=sum(value * count for value, count in histogram) / total,
        histogram=histogram,
    )


def _quantile(histogram: Sequence[tuple[int, int]], total: int, part: float) -> int:
    """The smallest value that at least this part of the games does not exceed."""
    seen = 0
    for value, count in histogram:
        seen += count
        if seen >= part * total:
            return value
    return histogram[-1][0]


def _sizes(plan: Plan, config: Config) -> dict[str, str]:
    """By contest: the number of deals and lineups, or that results choose them."""
    if config.settle:
        return dict.fromkeys((fixture.contest.key for fixture in plan.fixtures), CHOSEN)
    sizes = {}
    for fixture in plan.fixtures:
        each = f"each of {counted(fixture.lineup_count, 'lineup')}"
        sizes[fixture.contest.key] = f"{counted(fixture.event.deals, 'deal')} for {each}, from every seat"
    return sizes


def _choices(contest: Contest) -> list[str]:
    """The options that are not the rulebook's."""
    return [f"{name.replace('_', ' ')}: {str(value).replace('_', ' ')}" for name, value in contest.options.items()]


def _counting(contest: ContestStandings) -> list[str]:
    """What is counted, unless it is the places of games."""
    words = {"points": "points count", "match": f"matches of {contest.contest.games_per_match} games count"}
    return [words[contest.count]] if contest.count in words else []


def _facts(config: Config) -> tuple[tuple[str, str], ...]:
    limits = config.limits
    schedule = f"gauntlet of {config.gauntlet}" if config.gauntlet else "all against all"
    schedule = CHOSEN if config.settle else schedule
    return (
        ("schedule", schedule),
        ("isolation", config.isolation),
        ("seed", "drawn at random" if config.seed is None else str(config.seed)),
        ("time for a decision", f"{limits.move_ms} ms"),
        ("memory", f"{limits.memory_mb} MB"),
        ("rating", f"TrueSkill, {'game by game' if config.rating.mode == 'online' else 'all games at once'}"),
    )


def _when(runs: Sequence[Run]) -> str:
    if not runs:
        return "Not played yet."
    start = datetime.fromtimestamp(runs[0].started).astimezone()
    ends = [datetime.fromtimestamp(run.ended).astimezone() for run in runs if run.ended is not None]
    if not ends:
        text = f"Played since {start:%-d %B %Y, %H:%M}"
    elif max(ends).date() == start.date():
        text = f"Played on {start:%-d %B %Y}, from {start:%H:%M} to {max(ends):%H:%M}"
    else:
        text = f"Played from {start:%-d %B %Y, %H:%M} to {max(ends):%-d %B %Y, %H:%M}"
    return f"{text}, in {len(runs)} runs." if len(runs) > 1 else f"{text}."


def _what(bots: int, standings: Standings) -> str:
    tables: dict[str, list[str]] = {}
    for contest in standings.contests.values():
        title, _, players = contest.contest.title.partition(", ")
        tables.setdefault(title, []).extend(filter(None, [players.removesuffix(" players")]))
    titles = [f"{title} ({listed(sizes)} players)" if sizes else title for title, sizes in tables.items()]
    return f"{counted(bots, 'bot')}, {counted(standings.games, 'game')} of {listed(titles)}."


def _sentence(notice: str) -> str:
    """A notice without the key of its contest, which the tab shows."""
    return with_capital(notice.partition(": ")[2])


def fault_notes(faults: Iterable[Fault], index: dict[str, int]) -> tuple[FaultNote, ...]:
    """The faults of a league as notes, the most frequent first."""
    notes: list[FaultNote] = []
    shown: Counter[str] = Counter()
    for fault, count in fault_kinds(faults):
        shown[fault.bot] += 1
        if shown[fault.bot] <= CAUSES:
            tail, cause = cut(fault.tail, LONGEST_TAIL, end=True), cut(fault.cause, LONGEST_CAUSE)
            contest = fault.address.partition(":")[0]
            notes.append(FaultNote(index[fault.bot], contest, fault.kind, cause, count, fault.address, tail))
    return tuple(notes)


def milestone_marks(
    standings: Standings, milestones: Sequence[Milestone], index: Mapping[str, int]
) -> dict[int, tuple[MilestoneStep, ...]]:
    """How far each bot is from the milestones, as many bots as there is time for."""
    results = sum(len(contest.counts.games) for contest in standings.contests.values())
    most = MILESTONE_RESULTS // max(results * len(milestones), 1)
    named = {milestone.bot for milestone in milestones}
    bots = [line.bot for line in standings.overall if line.bot not in named and line.games][:most]
    return {index[bot]: progress_of(standings, milestones, bot).steps for bot in bots if milestones}


def earlier_runs(
    entries: Sequence[HistoryEntry], now: HistoryEntry, index: Mapping[str, int]
) -> tuple[tuple[Past, ...], Past | None, tuple[str, ...]]:
    """The runs of a history, unless it is one alone; the one before the standings of `now`; and what changed in it.

    Ratings are relative: if many bots improve, those that did not change seem to become worse. So earlier ratings are
    moved to where the bots that are there `now` too, and did not change, have the mean rating that they have now.
    """
    if not entries:
        return (), None, ()
    rows = sum(len(board) for board in entries[-1].boards.values())
    first = max(0, len(entries) - max(2, PAST_ROWS // max(rows, 1)))
    runs = tuple(_past(entries, number, index, now) for number in range(first, len(entries)))
    finished = entries[-1].games == now.games
    before = runs[-2:-1] if finished else runs[-1:]
    texts = entry_changes(*entries[-2:]) if finished and len(entries) > 1 else ()
    told = tuple(f"{with_capital(text)}." for text in texts)
    return runs if len(runs) > 1 else (), before[0] if before else None, told


def _past(entries: Sequence[HistoryEntry], number: int, index: Mapping[str, int], now: HistoryEntry) -> Past:
    """The standings after a run, as far as they counted what is counted now, on the scale of now."""
    entry, counts = (
        entries[number],
        {key: line.counts for key, board in entries[-1].boards.items() for line in board.values()},
    )
    boards, anchors = {}, {}
    for key, board in entry.boards.items():
        kept = [line for bot, line in board.items() if bot in index and line.games and line.counts == counts.get(key)]
        later = now.boards.get(key, {})
        same = [
            (line, later[line.bot])
            for line in kept
            if line.bot in later and later[line.bot].has_place
            if entry.versions.get(line.bot) == now.versions.get(line.bot)
        ]
        shift = sum(after.rating - line.rating for line, after in same) / len(same) if same else 0.0
        boards[key] = {
            index[line.bot]: replace(
                line,
                place=line.place if line.has_place else "",
                rating=line.rating + shift,
                low=line.low + shift,
                high=line.high + shift,
            )
            for line in kept
        }
        anchors[key] = len(same)
    changed = edited(entries[number - 1], entry) if number else ()
    ended = f"{datetime.fromtimestamp(entry.ended).astimezone():%-d %B %Y, %H:%M}"
    return Past(ended, boards, tuple(index[bot] for bot in changed if bot in index), anchors)
