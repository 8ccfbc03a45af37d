"""Whether A is really better than B: two bots of a league side by side, with all that their games can tell."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from scipy.special import ndtr, ndtri

from league.errors import LeagueError, did_you_mean
from league.rating.bootstrap import small_sample_factor
from league.rating.table import Floats, Ints
from league.standings import ContestStandings, Standings
from league.tallies import Counts
from league.text import safe

POWER = 0.8
"""The games that would settle it do so with this probability."""


class Record(msgspec.Struct, frozen=True):
    """How A did against B when they sat at one table."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float
    """Wins and half of the draws, as a part of the games."""


class Difference(msgspec.Struct, frozen=True):
    """A less B, with a 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def settled(self) -> bool:
        """Whether the interval leaves out zero."""
        return self.low > 0 or self.high < 0


class ContestComparison(msgspec.Struct, frozen=True):
    """A and B in one contest."""

    contest: str
    rating: Difference
    superiority: float
    """How likely A is the better one."""
    games: int
    """Of both together."""
    more_games: int | None
    """How many more of both together would settle who is better; 0 if it is settled, None if nobody can tell."""
    together: Record | None
    """None if they never met."""
    together_low: float = 0.0
    together_high: float = 1.0
    expected: float = 0.5
    """The score that the ratings expect of A against B."""
    seats: tuple[tuple[int, Record], ...] = ()
    """Against each other, by A's seat, from 1."""
    shared: Difference | None = None
    """Place scores against the same opponents on the same deals; None if there were none."""
    shared_games: int = 0


class Comparison(msgspec.Struct, frozen=True):
    """A and B in a league."""

    a: str
    b: str
    overall: Difference
    """In rating, over the contests that both play."""
    superiority: float
    contests: tuple[ContestComparison, ...]


def compare(standings: Standings, a: str, b: str) -> Comparison:
    """Two bots side by side, in the contests that both have played."""
    for name in (a, b):
        if name not in standings.plays:
            hint = did_you_mean(name, standings.plays)
            raise LeagueError(f"There is no bot {safe(name)!r} in this league.{hint}")
    if a == b:
        raise LeagueError(f"Expected two bots to compare, found {safe(a)!r} twice.")
    common = [contest for contest in standings.contests.values() if _has_played(contest, a) and _has_played(contest, b)]
    if not common:
        raise LeagueError(f"{safe(a)} and {safe(b)} have no contest in common, so they cannot be compared.")
    gaps = [_gap(contest, a, b) for contest in common]
    overall = np.mean(gaps, axis=0)
    value = float(np.mean([_rating(contest, a) - _rating(contest, b) for contest in common]))
    contests = tuple(_contest(contest, a, b, gap) for contest, gap in zip(common, gaps, strict=True))
    return Comparison(a, b, _difference(value, overall), _superiority(value, overall), contests)


def games_to_settle(value: float, error: float, games: int) -> int | None:
    """How many more games would separate this difference from zero; None if they are more than can be told."""
    tail = float(ndtri(0.975))
    if abs(value) > tail * error:
        return 0
    if abs(value) < error / 100:
        return None
    factor = ((tail + float(ndtri(POWER))) * error / abs(value)) ** 2
    return int(np.ceil(games * max(factor - 1, 0.01)))


def _has_played(contest: ContestStandings, name: str) -> bool:
    return name in contest.bots and bool(contest.record.games[contest.bots.index(name)])


def _rating(contest: ContestStandings, name: str) -> float:
    return float(contest.rating[contest.bots.index(name)])


def _gap(contest: ContestStandings, a: str, b: str) -> Floats:
    gap: Floats = contest.samples[:, contest.bots.index(a)] - contest.samples[:, contest.bots.index(b)]
    return gap


def _difference(value: float, samples: Floats) -> Difference:
    low, high = np.quantile(samples, [0.025, 0.975])
    return Difference(value, float(low), float(high))


def _superiority(value: float, samples: Floats) -> float:
    error = float(samples.std())
    return float(ndtr(value / error)) if error else float(np.heaviside(value, 0.5))


def _contest(contest: ContestStandings, a: str, b: str, gap: Floats) -> ContestComparison:
    one, other = contest.bots.index(a), contest.bots.index(b)
    value = float(contest.rating[one] - contest.rating[other])
    games = int(contest.record.games[one] + contest.record.games[other])
    pairs = contest.pairs
    met = bool(pairs.met[one, other])
    shared, shared_games = _shared(contest.counts, one, other)
    return ContestComparison(
        contest=contest.contest.key,
        rating=_difference(value, gap),
        superiority=_superiority(value, gap),
        games=games,
        more_games=games_to_settle(value, float(gap.std()), games),
        together=_record(contest.counts, one, other) if met else None,
        together_low=float(pairs.low[one, other]) if met else 0.0,
        together_high=float(pairs.high[one, other]) if met else 1.0,
        expected=float(contest.expected[one, other]),
        seats=_by_seat(contest.counts, one, other) if met else (),
        shared=shared,
        shared_games=shared_games,
    )


def _where(counts: Counts, one: int, other: int) -> tuple[Counts, Ints, Ints]:
    """The rows in which both sat at the table, and the ranks of the one and of the other."""
    both = (counts.lineups == one).any(axis=1) & (counts.lineups == other).any(axis=1)
    rows = Counts(*(column[both] for column in counts))
    return rows, rows.ranks[rows.lineups == one], rows.ranks[rows.lineups == other]


def _record(counts: Counts, one: int, other: int) -> Record:
    rows, mine, theirs = _where(counts, one, other)
    return _sum(rows.games, mine, theirs)


def _by_seat(counts: Counts, one: int, other: int) -> tuple[tuple[int, Record], ...]:
    rows, mine, theirs = _where(counts, one, other)
    players = counts.lineups.shape[1]
    seat = (np.nonzero(rows.lineups == one)[1] + rows.rotations) % players
    found = []
    for at in range(players):
        chosen = seat == at
        if chosen.any():
            found.append((at + 1, _sum(rows.games[chosen], mine[chosen], theirs[chosen])))
    return tuple(found)


def _sum(games: Ints, mine: Ints, theirs: Ints) -> Record:
    wins, draws = int(games[mine < theirs].sum()), int(games[mine == theirs].sum())
    total = int(games.sum())
    return Record(total, wins, draws, total - wins - draws, (wins + draws / 2) / total)


def _shared(counts: Counts, one: int, other: int) -> tuple[Difference | None, int]:
    """The place scores of both against the same opponents, paired by groups of deals."""
    sides = [_side(counts, bot, without) for bot, without in ((one, other), (other, one))]
    common = set.intersection(*({tuple(row) for row in side.opponents.tolist()} for side in sides))
    if not common:
        return None, 0
    influence: Floats = np.zeros(int(counts.groups.max()) + 1)
    value, games = 0.0, 0
    for side, sign in zip(sides, (1, -1), strict=True):
        chosen = np.array([tuple(row) in common for row in side.opponents.tolist()])
        group, played, score = side.groups[chosen], side.games[chosen], side.scores[chosen]
        mean = float((score * played).sum() / played.sum())
        influence += sign * np.bincount(group, (score - mean) * played, len(influence)) / played.sum()
        value += sign * mean
        games += int(played.sum())
    groups = len(np.unique(counts.groups))
    half = 1.96 * small_sample_factor(groups) * float(np.sqrt((influence**2).sum()))
    return Difference(value, value - half, value + half), games


class _Side(msgspec.Struct):
    """The rows of one bot without the other: against whom, in which group, and with what place score."""

    opponents: Ints
    groups: Ints
    games: Ints
    scores: Floats


def _side(counts: Counts, bot: int, without: int) -> _Side:
    chosen = (counts.lineups == bot).any(axis=1) & ~(counts.lineups == without).any(axis=1)
    lineups, ranks = counts.lineups[chosen], counts.ranks[chosen]
    players = lineups.shape[1]
    mine = ranks[lineups == bot]
    sharing = (ranks == mine[:, None]).sum(axis=1)
    scores = 1 - (mine + (sharing - 1) / 2) / (players - 1)
    opponents = lineups[lineups != bot].reshape(-1, players - 1)
    return _Side(opponents, counts.groups[chosen], counts.games[chosen], scores)


def describe(comparison: Comparison) -> str:
    """In words and columns, for people."""
    from league.text import table

    a, b = safe(comparison.a), safe(comparison.b)
    rows: list[Sequence[str]] = [
        (
            one.contest,
            _signed(one.rating),
            f"{one.superiority:.1%}",
            f"{one.games:,}",
            _more(one.more_games),
            _signed(one.shared, 3) if one.shared else "-",
        )
        for one in comparison.contests
    ]
    if len(comparison.contests) > 1:
        games = sum(one.games for one in comparison.contests)
        overall = comparison.overall
        more = games_to_settle(overall.value, (overall.high - overall.low) / 3.92, games)
        likely = f"{comparison.superiority:.1%}"
        rows.append(("overall", _signed(overall), likely, f"{games:,}", _more(more), "-"))
    header = ("contest", "rating", "is better", "games", "more to settle", "score on shared deals")
    parts = [f"{a} less {b}: above zero, {a} is ahead", table(header, rows, right=header[1:])]
    meetings = _meetings(comparison)
    if meetings:
        columns = ("contest", f"seat of {a}", "games", "wins", "draws", "losses", "score", "95 %", "expected")
        parts += ["", f"{a} against {b}", table(columns, meetings, right=columns[2:])]
    return "\n".join(parts)


def _meetings(comparison: Comparison) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = []
    for one in comparison.contests:
        if one.together is None:
            continue
        interval = f"{one.together_low:.3f} … {one.together_high:.3f}"
        rows.append((one.contest, "any", *_cells(one.together), interval, f"{one.expected:.3f}"))
        rows += [(one.contest, str(seat), *_cells(record), "", "") for seat, record in one.seats]
    return rows


def _cells(record: Record) -> tuple[str, ...]:
    counts = (record.games, record.wins, record.draws, record.losses)
    return (*(f"{count:,}" for count in counts), f"{record.score:.3f}")


def _signed(difference: Difference, digits: int = 2) -> str:
    return f"{difference.value:+.{digits}f} ({difference.low:+.{digits}f} … {difference.high:+.{digits}f})"


def _more(games: int | None) -> str:
    return "settled" if games == 0 else "no telling" if games is None else f"{games:,}"
