"""Gathers what the standings page shows from a league's results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from league import games
from league.errors import LeagueError
from league.page import matrices
from league.page.data import OVERALL, Board, BotCard, Cycle, FaultNote, Page, Row, Sample, Spread
from league.page.progress import progress_of
from league.results.lines import PARTIAL, UNPLAYED
from league.results.standings import FEW_GAMES
from league.tools.text import counted, listed, shown_path
from league.values.block import Contest, Fault

if TYPE_CHECKING:
    from league.page.matrices import Settled
    from league.results.lines import Line
    from league.results.standings import ContestStandings, Standings
    from league.results.store import Run, Store
    from league.values.settings import Config

CYCLES = 6
"""So many are drawn on one board."""
CAUSES = 10
"""So many different faults of one bot are shown, the most frequent first."""
DIFFERENT_CAUSES = 1000
"""So many of one bot are told apart while counting: a bot may well invent a new one for each game."""
OTHER_CAUSES = "other causes"
LONGEST = {"doc": 4000, "cause": 500, "tail": 4000, "config": 20_000}
"""Characters of what strangers wrote; the page has to be sent and read."""
WITHOUT_PLACE = {PARTIAL: "partial", UNPLAYED: "no games yet"}


def gather(store: Store, standings: Standings, samples: Sequence[Sample] = (), *, running: bool = False) -> Page:
    """All that the page shows of a league as it is now."""
    bots = store.bots()
    config = store.settings()
    index = {bot.name: at for at, bot in enumerate(bots)}
    sizes = _sizes(store)
    titles = {key: title_of(one.contest) for key, one in standings.contests.items()}
    steps = [matrices.settle(one, config.rating) for one in standings.contests.values()]
    boards = [
        _board(one, index, sizes.get(key, ""), settled)
        for (key, one), settled in zip(standings.contests.items(), steps, strict=True)
    ]
    if len(boards) > 1:
        boards.insert(0, _overall(standings, boards, index, steps))
    remarks = tuple(text[:1].upper() + text[1:] for text in standings.remarks)
    boards[:1] = [msgspec.structs.replace(board, notes=remarks + board.notes) for board in boards[:1]]
    played = sum(len(contest.counts.games) > 0 for contest in standings.contests.values())
    return Page(
        league=config.name,
        when=_when(store.runs()),
        what=_what(len(bots), standings) if played else f"{counted(len(bots), 'bot')}, no games yet.",
        facts=_facts(config, store.meta("isolation")),
        bots=tuple(BotCard(bot.name, _cut(bot.doc.strip(), "doc"), bot.language) for bot in bots),
        boards=tuple(boards),
        faults=tuple(_faults(store.faults(), index, titles)),
        samples=tuple(samples),
        config=_cut(config.text, "config"),
        progress=progress_of(store) if running else None,
        folder=shown_path(store.folder),
    )


def title_of(contest: Contest) -> str:
    """A contest as people call it: 'Raj, 3 players'."""
    try:
        rules = games.find(contest.game)
    except LeagueError:  # a game of another package that is not installed any more
        return contest.key
    return rules.title if len(rules.player_counts) == 1 else f"{rules.title}, {contest.players} players"


def _board(one: ContestStandings, index: dict[str, int], size: str, steps: Sequence[Settled]) -> Board:
    key, title = one.contest.key, title_of(one.contest)
    seats, own_seats = matrices.seats(one, title, index)
    return Board(
        key=key,
        title=title,
        rows=tuple(_row(line, index, _milliseconds([one], line.bot)) for line in one.lines),
        games=int(one.counts.games.sum()),
        subtitle=" · ".join([size, *_choices(one.contest)]),
        notes=tuple(_sentence(text) for text in one.doubts()),
        meetings=matrices.meetings([one], index),
        settling=matrices.settling(steps, index),
        spreads=tuple(
            _spread(index[bot], points) for bot, points in zip(one.bots, one.tallies.histograms, strict=True) if points
        ),
        seats=seats,
        own_seats=own_seats,
        cycles=tuple(_cycle(one, names, index) for names in one.cycles[:CYCLES]),
        cycle_count=len(one.cycles),
        watch=matrices.strongest_tables(one, index),
    )


def _overall(
    standings: Standings, boards: Sequence[Board], index: dict[str, int], steps: Sequence[Sequence[Settled]]
) -> Board:
    contests = list(standings.contests.values())
    return Board(
        key=OVERALL,
        title="Overall",
        rows=tuple(_row(line, index, _milliseconds(contests, line.bot)) for line in standings.overall),
        games=sum(board.games for board in boards),
        subtitle="the mean of the ratings of all contests: each counts equally, however many games it had",
        notes=tuple(_sentence(text) for text in standings.doubts),
        meetings=matrices.meetings(contests, index),
        settling=matrices.settling(matrices.settle_overall(steps), index),
        seats=tuple(seat for board in boards for seat in board.seats),
    )


def _row(line: Line, index: dict[str, int], ms: float | None) -> Row:
    notes = [WITHOUT_PLACE[line.place]] if line.place in WITHOUT_PLACE else []
    if 0 < line.games < FEW_GAMES:
        notes.append("few games")
    place = "" if line.place in WITHOUT_PLACE else line.place
    return Row(index[line.bot], place, line, ms, tuple(notes))


def _milliseconds(contests: Iterable[ContestStandings], bot: str) -> float | None:
    """For one decision of a bot in these contests; None if it never decided."""
    decisions, seconds = 0, 0.0
    for one in contests:
        if bot in one.bots:
            at = one.bots.index(bot)
            decisions += one.tallies.decisions[at]
            seconds += one.tallies.seconds[at]
    return 1000 * seconds / decisions if decisions else None


def _cycle(one: ContestStandings, names: Sequence[str], index: dict[str, int]) -> Cycle:
    at = [one.bots.index(name) for name in names]
    scores = [float(one.pairs.score[a, b]) for a, b in zip(at, at[1:] + at[:1], strict=True)]
    return Cycle(tuple(index[name] for name in names), tuple(scores))


def _spread(bot: int, points: Counter[int]) -> Spread:
    histogram = tuple(sorted(points.items()))
    total = points.total()
    mean = sum(value * count for value, count in histogram) / total
    return Spread(
        bot=bot,
        lowest=_quantile(histogram, total, 0.05),
        quarter=_quantile(histogram, total, 0.25),
        median=_quantile(histogram, total, 0.5),
        three_quarters=_quantile(histogram, total, 0.75),
        highest=_quantile(histogram, total, 0.95),
        mean=mean,
        histogram=histogram,
    )


def _quantile(histogram: Sequence[tuple[int, int]], total: int, part: float) -> int:
    """The smallest value that this part of the games does not go beyond."""
    seen = 0
    for value, count in histogram:
        seen += count
        if seen >= part * total:
            return value
    return histogram[-1][0]


def _faults(faults: Iterable[Fault], index: dict[str, int], titles: dict[str, str]) -> list[FaultNote]:
    """Faults that are alike as one note each, bot by bot, the most frequent first."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    first: dict[tuple[str, str, str, str], Fault] = {}
    different: Counter[str] = Counter()
    for fault in faults:
        alike = (fault.bot, fault.address.partition(":")[0], str(fault.kind), fault.cause)
        if alike not in counts:
            different[fault.bot] += 1
            if different[fault.bot] > DIFFERENT_CAUSES:
                alike = (*alike[:3], OTHER_CAUSES)
        counts[alike] += 1
        first.setdefault(alike, fault)
    notes: list[FaultNote] = []
    shown: Counter[str] = Counter()
    for alike, count in counts.most_common():
        bot, contest, kind, cause = alike
        shown[bot] += 1
        if shown[bot] <= CAUSES:
            tail = _cut(first[alike].tail, "tail")
            notes.append(
                FaultNote(index[bot], titles[contest], kind, _cut(cause, "cause"), count, first[alike].address, tail)
            )
    return notes


def _cut(text: str, kind: str) -> str:
    """The text, cut where it gets too long for a page; of a traceback the end matters."""
    most = LONGEST[kind]
    if len(text) <= most:
        return text
    return f"… {text[-most:]}" if kind == "tail" else f"{text[:most]} …"


def _sizes(store: Store) -> dict[str, str]:
    """By contest: how many deals and lineups it has."""
    sizes = {}
    for one in store.plan().fixtures:
        each = f"each of {counted(one.lineup_count, 'lineup')}"
        sizes[one.contest.key] = f"{counted(one.event.deals, 'deal')} for {each}, from every seat"
    return sizes


def _choices(contest: Contest) -> list[str]:
    """The options that are not the rulebook's."""
    return [f"{name.replace('_', ' ')}: {str(value).replace('_', ' ')}" for name, value in contest.options.items()]


def _facts(config: Config, isolation: str) -> tuple[tuple[str, str], ...]:
    limits = config.limits
    schedule = f"gauntlet of {config.gauntlet}" if config.gauntlet else "all against all"
    return (
        ("schedule", schedule),
        ("isolation", isolation),
        ("seed", str(config.seed)),
        ("time for a decision", f"{limits.move_ms} ms"),
        ("memory", f"{limits.memory_mb} MB"),
        ("rating", f"TrueSkill, {'game by game' if config.rating.mode == 'online' else 'all games at once'}"),
    )


def _when(runs: Sequence[Run]) -> str:
    if not runs:
        return "Not played yet."
    start = datetime.fromtimestamp(runs[0].started).astimezone()
    ends = [run.ended for run in runs if run.ended is not None]
    text = f"Played from {start:%-d %B %Y, %H:%M}"
    if ends:
        end = datetime.fromtimestamp(max(ends)).astimezone()
        text += f" to {end:%H:%M}" if end.date() == start.date() else f" to {end:%-d %B %Y, %H:%M}"
    return f"{text}, in {len(runs)} runs." if len(runs) > 1 else f"{text}."


def _what(bots: int, standings: Standings) -> str:
    total = sum(int(contest.counts.games.sum()) for contest in standings.contests.values())
    tables: dict[str, list[str]] = {}
    for contest in standings.contests.values():
        title, _, players = title_of(contest.contest).partition(", ")
        tables.setdefault(title, []).extend(filter(None, [players.removesuffix(" players")]))
    titles = [f"{title} ({listed(sizes)} players)" if sizes else title for title, sizes in tables.items()]
    return f"{counted(bots, 'bot')}, {counted(total, 'game')} of {listed(titles)}."


def _sentence(notice: str) -> str:
    """A notice without the key of its contest, which the tab tells."""
    text = notice.partition(": ")[2]
    return text[:1].upper() + text[1:]
