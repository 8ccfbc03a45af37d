"""Makes a `Page` from a league's results, with the names of bots as they are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from time import time
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from league.page.data import Board, Page, Sample, SeatScore, cut, date_of, with_capital
from league.plan.rounds import progress
from league.rating.errors import clustered_mean
from league.rating.fit import fit
from league.rating.online import rate_online
from league.rating.places import place_scores
from league.rating.table import Cells, RankingTable, summed
from league.results.history import OVERALL, HistoryEntry, entry_changes, entry_of, read_history
from league.results.lines import UNPLAYED, placed
from league.results.milestones import progress_of
from league.results.report import ANCHORED_MEAN, POINTS_MEAN, RATINGS_MEAN, fault_kinds, overall_comes_first
from league.tools.text import counted, listed, shown_path

if TYPE_CHECKING:
    from league.page.privacy import Privacy
    from league.plan.schedule import Plan
    from league.rating.table import Floats
    from league.results.contest_standings import ContestStandings
    from league.results.standings import Standings, Unit
    from league.results.store import Run, Store
    from league.values.block import Fault, MilestoneStep, Usage
    from league.values.settings import Config, Milestone, Rating

CAUSES = 10
"""Different faults of one bot that are shown, the most frequent first."""
LONGEST_CAUSE = 500
LONGEST_TAIL = 4000
MILESTONE_RESULTS = 40_000_000
"""Counted results that may be read for all milestones of all bots together."""
PAST_RUNS = 100
"""Earlier runs that are on the page: the last ones."""
SETTLING_ROWS = 60_000
"""Different results that may be fitted again to show how ratings settled."""
CHOSEN = "results choose what is played next"
LONGEST_DOC = 4000
LONGEST_CONFIG = 20_000
Settled = tuple[int, Mapping[str, float]]
"""How many games were played, and the ratings from them alone."""


def gather(
    store: Store, standings: Standings, privacy: Privacy, samples: Sequence[Sample] = (), *, running: bool = False
) -> Page:
    """All that the page shows of a league as it is now."""
    bots, config = sorted(store.bots(), key=lambda bot: privacy.name(bot.name)), store.settings()
    reached = standings.progress or progress(store.coverage())
    past, before, changed = earlier_runs(
        [privacy.entry(entry) for entry in read_history(store)], privacy.entry(entry_of(store, standings))
    )
    return Page(
        league=privacy.settings.title or config.name,
        when=_when(store.runs()),
        what=_what(len(bots), standings) if standings.games else f"{counted(len(bots), 'bot')}, no games yet.",
        facts=privacy.facts(_facts(config)),
        docs={privacy.name(bot.name): cut(privacy.doc(bot.doc), LONGEST_DOC) for bot in bots},
        boards=_boards(standings, privacy, _sizes(store.plan(), config), config),
        baselines=frozenset(map(privacy.name, standings.baselines)),
        remarks=privacy.remarks([with_capital(remark) for remark in standings.remarks]),
        faults=fault_notes(map(privacy.fault, store.faults())),
        samples=samples,
        config="" if privacy.hides else cut(config.text, LONGEST_CONFIG),
        progress=reached if running or reached.played < reached.total else None,
        running=running,
        written=time() if running else 0.0,
        past=past,
        before=before,
        changes=changed,
        logo=privacy.settings.logo,
        hides=privacy.hides,
        milestones=milestone_steps(standings, config.milestones, privacy),
        folder="" if privacy.hides else shown_path(store.folder),
    )


def _boards(standings: Standings, privacy: Privacy, sizes: Mapping[str, str], config: Config) -> list[Board]:
    """A board for each contest, and one for all of them: first, or last where few bots play every game."""
    contests = standings.contests.values()
    boards = [_board(contest, privacy, sizes.get(contest.contest.key, ""), config) for contest in contests]
    if len(boards) > 1:
        boards.insert(0 if overall_comes_first(standings) else len(boards), _overall(standings, boards, privacy))
    if boards:
        boards[0] = replace(boards[0], times=_times(standings, boards[0].key, privacy))
    return boards


def _board(contest: ContestStandings, privacy: Privacy, size: str, config: Config) -> Board:
    names = [privacy.name(bot) for bot in contest.bots]
    options = [f"{name}: {value}".replace("_", " ") for name, value in contest.contest.options.items()]
    of_seats, own_seats = seats(contest, names)
    return Board(
        key=contest.contest.key,
        title=contest.contest.title,
        lines=[replace(line, bot=privacy.name(line.bot)) for line in contest.lines],
        games=contest.games,
        subtitle=" · ".join([size, *options]),
        notes=[_sentence(privacy.text(text)) for text in contest.doubts()],
        means=_means(contest.within, contest.points, contest.anchors),
        counts=contest.count,
        settling=settle(contest, config.rating, names),
        bots=names,
        pairs=contest.pairs,
        expected=contest.expected,
        cycles=[[privacy.name(bot) for bot in cycle] for cycle in contest.cycles],
        histograms=dict(zip(names, contest.tallies.histograms, strict=True)),
        seats=of_seats,
        own_seats=own_seats,
    )


def _overall(standings: Standings, boards: Sequence[Board], privacy: Privacy) -> Board:
    """All contests together. Only bots that play all of them are on it: other means cannot be compared."""
    lines = placed(standings.overall) or [line for line in standings.overall if line.place == UNPLAYED]
    played = standings.played()
    units = dict(zip((contest.contest.key for contest in played), standings.units(played), strict=True))
    return Board(
        key=OVERALL,
        title="Overall",
        lines=[replace(line, bot=privacy.name(line.bot)) for line in lines],
        games=sum(board.games for board in boards),
        subtitle="the mean of the ratings of all contests: each counts equally, however many games it had",
        notes=[
            *(_sentence(privacy.text(text)) for text in standings.doubts),
            *(f"{board.title}: {note}" for board in boards for note in board.notes),
        ],
        means=_means(standings.within, standings.counts == "points", standings.anchors),
        counts=standings.counts,
        settling=settle_overall([(board.settling, units[board.key]) for board in boards if board.settling]),
    )


def _means(within: float, points: object, anchors: object) -> str:
    """What the chance and the rating of a line mean."""
    best = f"the best of all, or within {within:g} of it" if within else "the best of all"
    rating = POINTS_MEAN if points else ANCHORED_MEAN if anchors else RATINGS_MEAN
    return f"Best: the chance of being {best}. {rating}"


def _times(standings: Standings, board: str, privacy: Privacy) -> dict[str, float]:
    """By bot: milliseconds for one decision in the contests of a board."""
    used: dict[str, list[Usage]] = {}
    for (contest, bot), usage in standings.usage.items():
        if board in (contest, OVERALL) and usage.decisions:
            used.setdefault(privacy.name(bot), []).append(usage)
    return {
        bot: 1000 * sum(usage.seconds for usage in of_bot) / sum(usage.decisions for usage in of_bot)
        for bot, of_bot in used.items()
    }


def _sizes(plan: Plan, config: Config) -> dict[str, str]:
    """By contest: the number of deals and lineups, or that results choose them."""
    if config.settle:
        return dict.fromkeys((fixture.contest.key for fixture in plan.fixtures), CHOSEN)
    sizes = {}
    for fixture in plan.fixtures:
        each = f"each of {counted(fixture.lineup_count, 'lineup')}"
        sizes[fixture.contest.key] = f"{counted(fixture.event.deals, 'deal')} for {each}, from every seat"
    return sizes


def _facts(config: Config) -> dict[str, str]:
    limits = config.limits
    schedule = f"gauntlet of {config.gauntlet}" if config.gauntlet else "all against all"
    return {
        "schedule": CHOSEN if config.settle else schedule,
        "isolation": config.isolation,
        "seed": "drawn at random" if config.seed is None else str(config.seed),
        "time for a decision": f"{limits.move_ms} ms",
        "memory": f"{limits.memory_mb} MB",
        "rating": f"TrueSkill, {'game by game' if config.rating.mode == 'online' else 'all games at once'}",
    }


def _when(runs: Sequence[Run]) -> str:
    if not runs:
        return "Not played yet."
    start, end = runs[0].started, max((run.ended for run in runs if run.ended is not None), default=None)
    if end is None:
        text = f"Played since {date_of(start)}"
    elif (day := date_of(start).partition(",")[0]) == date_of(end).partition(",")[0]:
        text = f"Played on {day}, from {date_of(start)[-5:]} to {date_of(end)[-5:]}"
    else:
        text = f"Played from {date_of(start)} to {date_of(end)}"
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


def fault_notes(faults: Iterable[Fault]) -> list[tuple[Fault, int]]:
    """The first fault of each bot, contest, kind and cause and how many there are, the most frequent first."""
    notes: list[tuple[Fault, int]] = []
    shown: Counter[str] = Counter()
    for fault, count in fault_kinds(faults):
        shown[fault.bot] += 1
        if shown[fault.bot] <= CAUSES:
            tail, cause = cut(fault.tail, LONGEST_TAIL, end=True), cut(fault.cause, LONGEST_CAUSE)
            notes.append((replace(fault, cause=cause, tail=tail), count))
    return notes


def milestone_steps(
    standings: Standings, milestones: Sequence[Milestone], privacy: Privacy
) -> dict[str, list[MilestoneStep]]:
    """How far each bot is from the milestones, as many bots as there is time for."""
    results = sum(len(contest.counts.games) for contest in standings.contests.values())
    most = MILESTONE_RESULTS // max(results * len(milestones), 1)
    named = {milestone.bot for milestone in milestones}
    bots = [line.bot for line in standings.overall if line.bot not in named and line.games][:most]
    steps = {bot: progress_of(standings, milestones, bot).steps for bot in bots if milestones}
    return {privacy.name(bot): [privacy.step(step) for step in of_bot] for bot, of_bot in steps.items()}


def earlier_runs(
    entries: Sequence[HistoryEntry], now: HistoryEntry
) -> tuple[list[tuple[HistoryEntry, dict[str, int]]], HistoryEntry | None, list[str]]:
    """The runs of a history, unless it is one alone; the one before the standings of `now`; and what changed in it.

    Ratings are relative: if many bots improve, those that did not change seem to become worse. So earlier ratings are
    moved to where the bots that are there `now` too, and did not change, have the mean rating that they have now.
    """
    if not entries:
        return [], None, []
    runs = [_moved(entry, entries[-1], now) for entry in entries[-PAST_RUNS:]]
    finished = entries[-1].games == now.games
    before = runs[-2:-1] if finished else runs[-1:]
    texts = entry_changes(*entries[-2:]) if finished and len(entries) > 1 else []
    told = [f"{with_capital(text)}." for text in texts]
    return runs if len(runs) > 1 else [], before[0][0] if before else None, told


def _moved(entry: HistoryEntry, last: HistoryEntry, now: HistoryEntry) -> tuple[HistoryEntry, dict[str, int]]:
    """The standings after a run, as far as they counted what is counted now, on the scale of now.

    And by board how many bots that did not change say where they are moved to.
    """
    counts = {key: line.counts for key, board in last.boards.items() for line in board.values()}
    boards, anchors = {}, {}
    for key, board in entry.boards.items():
        kept = [
            line for bot, line in board.items() if bot in now.versions and line.games and line.counts == counts.get(key)
        ]
        later = now.boards.get(key, {})
        same = [
            (line, later[line.bot])
            for line in kept
            if line.bot in later and later[line.bot].has_place
            if entry.versions.get(line.bot) == now.versions.get(line.bot)
        ]
        shift = sum(after.rating - line.rating for line, after in same) / len(same) if same else 0.0
        boards[key] = {
            line.bot: replace(line, rating=line.rating + shift, low=line.low + shift, high=line.high + shift)
            for line in kept
        }
        anchors[key] = len(same)
    return replace(entry, boards=boards), anchors


def settle(contest: ContestStandings, rating: Rating, names: Sequence[str]) -> list[Settled]:
    """Ratings from the first group of deals, the first two, four and so on, up to all.

    A group holds some deals of each lineup once enough were played, so each step is about a league of fewer deals.
    Steps that would take too long are left out. The names are those of the bots of the contest, as they are shown.
    """
    present = np.unique(contest.table.cells.group)
    if not len(present):
        return []
    steps = []
    count, rows = 1, 0
    while count < len(present):
        part = _first_groups(contest.table, int(present[count]))
        rows += len(part.order)
        if rows > SETTLING_ROWS:
            break
        if contest.points is not None:
            mean = contest.points_after(int(present[count]))
        else:
            mean = rate_online(part, rating)[0] if rating.mode == "online" else fit(part, rating).mean
        steps.append(_settled(part, mean, names))
        count *= 2
    return [*steps, _settled(contest.table, contest.rating, names)]


def settle_overall(of_contests: Sequence[tuple[Sequence[Settled], Unit]]) -> list[Settled]:
    """The mean over contests in a common unit, step by step; a contest with fewer deals stays where it ended."""
    found: list[Settled] = []
    for number in range(max((len(steps) for steps, _ in of_contests), default=0)):
        played, ratings = 0, dict[str, list[float]]()
        for steps, unit in of_contests:
            games, of_bots = steps[min(number, len(steps) - 1)]
            played += games
            for name, rating in zip(of_bots, unit.common(np.array([*of_bots.values()])).tolist(), strict=True):
                ratings.setdefault(name, []).append(rating)
        found.append((played, {name: sum(parts) / len(parts) for name, parts in ratings.items()}))
    return found


def seats(contest: ContestStandings, names: Sequence[str]) -> tuple[list[SeatScore], dict[str, list[SeatScore]]]:
    """The mean place score of each seat, and by bot of each bot in each seat, with intervals."""
    counts = contest.counts
    bots, players = len(names), counts.ranks.shape[1]
    present, group = np.unique(counts.groups, return_inverse=True)
    score = place_scores(counts.ranks)
    games = np.broadcast_to(counts.games[:, None], counts.seats.shape).astype(float)
    where = (group.reshape(-1, 1) * bots + counts.lineups) * players + counts.seats
    shape = len(present), bots, players
    size = len(present) * bots * players
    played, scored = (summed(where, values, size).reshape(shape) for values in (games, score * games))
    own = {name: _seat_scores(played[:, bot], scored[:, bot]) for bot, name in enumerate(names)}
    return _seat_scores(played.sum(axis=1), scored.sum(axis=1)), own


def _seat_scores(games: Floats, scores: Floats) -> list[SeatScore]:
    """The seats that were played, from games and scores by group of deals and seat; no interval from a single group."""
    found = []
    for seat in np.flatnonzero(games.any(axis=0)).tolist():
        mean, half = clustered_mean(scores[:, seat], games[:, seat])
        interval = (max(0.0, mean - half), min(1.0, mean + half)) if half < np.inf else ()
        found.append(SeatScore(seat + 1, int(games[:, seat].sum()), mean, interval))
    return found


def _first_groups(table: RankingTable, stop: int) -> RankingTable:
    """The part of a table that comes from the groups of deals before one."""
    row, group, games = table.cells
    kept = group < stop
    rows, new_row = np.unique(row[kept], return_inverse=True)
    return RankingTable(
        table.bots, table.order[rows], table.ties[rows], Cells(new_row.ravel(), group[kept], games[kept])
    )


def _settled(table: RankingTable, rating: Floats, names: Sequence[str]) -> Settled:
    return int(table.games.sum()), {names[bot]: float(rating[bot]) for bot in np.unique(table.order).tolist()}
