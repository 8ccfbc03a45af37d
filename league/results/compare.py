"""Whether A is really better than B: two bots of a league side by side, with all that their games can tell."""

from __future__ import annotations

from bisect import bisect_left

import msgspec
import numpy as np
from scipy.special import ndtr, ndtri

from league.errors import LeagueError, did_you_mean
from league.rating.bootstrap import interval, small_sample_factor
from league.rating.level import TAIL
from league.rating.table import Floats, Ints
from league.results.paired import paired
from league.results.standings import ContestStandings, Standings, fault_notices
from league.results.tallies import Counts
from league.tools.text import fitted_table, folded, safe, signed
from league.values.block import DEAL_GROUPS
from league.values.settings import PERCENT

POWER = 0.8
"""The games that would settle it do so with this probability."""
ALL_COLUMNS = "--json has all."
CERTAIN = 0.999
"""Above this, how likely it is depends on the far tails of a model, and is not printed to the digit."""


class Record(msgspec.Struct, frozen=True):
    """How A did against B when they sat at one table."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float
    """Wins and half of the draws, as a part of the games."""


class Difference(msgspec.Struct, frozen=True):
    """A minus B, with a 95 % interval."""

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
    """In which A or B played."""
    more_games: int | None
    """How many more of these would settle who is better; 0 if it is settled, None if that is unknown."""
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
    more_games: int | None
    """How many more of all contests together would settle who is better; as in each of them."""
    contests: tuple[ContestComparison, ...]
    notices: tuple[str, ...] = ()
    """What a reader should know before believing the numbers, a sentence each."""

    def __str__(self) -> str:
        return describe(self)


def compare(standings: Standings, a: str, b: str) -> Comparison:
    """Two bots side by side, in the contests that both have played."""
    for name in (a, b):
        if name not in standings.plays:
            hint = did_you_mean(name, standings.plays)
            raise LeagueError(f"There is no bot {safe(name)!r} in this league.{hint}")
    if a == b:
        raise LeagueError(f"Expected two bots to compare, found {safe(a)!r} twice.")
    both = [contest for contest in standings.contests.values() if _has_played(contest, a) and _has_played(contest, b)]
    if not both:
        raise LeagueError(f"{safe(a)} and {safe(b)} have no contest in common, so they cannot be compared.")
    common = [contest for contest in both if _connected(contest, a, b)]
    if not common:
        never = "never met, directly or by way of others"
        raise LeagueError(f"{safe(a)} and {safe(b)} {never}, so they cannot be compared.")
    gaps = [_gap(contest, a, b) for contest in common]
    overall = np.mean(gaps, axis=0)
    value = float(np.mean([_rating(contest, a) - _rating(contest, b) for contest in common]))
    contests = tuple(_contest(contest, a, b, gap) for contest, gap in zip(common, gaps, strict=True))
    notices = [
        f"{contest.contest.key}: left out, since {a} and {b} never met there, directly or by way of others."
        for contest in both
        if contest not in common
    ]
    for contest in common:
        lines = [line for line in contest.lines if line.bot in (a, b)]
        notices += contest.doubts((a, b)) + fault_notices(contest.contest.key, lines)
    difference = _difference(value, overall)
    error = float(np.sqrt(sum(_error(*pair) ** 2 for pair in zip(common, gaps, strict=True)))) / len(common)
    games = sum(one.games for one in contests)
    more = games_to_settle(difference, error, games, min(contest.matches for contest in common))
    return Comparison(a, b, difference, _superiority(value, overall), more, contests, tuple(notices))


def games_to_settle(difference: Difference, error: float, games: int, matches: int) -> int | None:
    """How many more games would leave zero out of the interval; None if they are too many to estimate.

    `error` is the standard error of `games` games, without what few `matches` add to an interval.
    """
    if difference.settled:
        return 0
    value = abs(difference.value)
    if value < error / 100:
        return None

    def enough(times: float) -> bool:
        tail = TAIL * float(small_sample_factor(min(int(times * matches), DEAL_GROUPS)))
        return times * matches >= 2 and value >= (tail + float(ndtri(POWER))) * error / times**0.5

    steps = 1.01 ** np.arange(1, 1500)
    return int(np.ceil(games * (steps[bisect_left(steps, True, key=enough)] - 1)))


def _has_played(contest: ContestStandings, name: str) -> bool:
    return name in contest.bots and bool(contest.record.games[contest.bots.index(name)])


def _connected(contest: ContestStandings, a: str, b: str) -> bool:
    """Whether both are of one pool."""
    pools = contest.table.pools
    return bool(pools[contest.bots.index(a)] == pools[contest.bots.index(b)])


def _rating(contest: ContestStandings, name: str) -> float:
    return float(contest.rating[contest.bots.index(name)])


def _gap(contest: ContestStandings, a: str, b: str) -> Floats:
    gap: Floats = contest.samples[:, contest.bots.index(a)] - contest.samples[:, contest.bots.index(b)]
    return gap


def _error(contest: ContestStandings, gap: Floats) -> float:
    """The standard error of a difference, without what few matches add to its interval."""
    return float(gap.std() / small_sample_factor(contest.matches))


def _difference(value: float, samples: Floats) -> Difference:
    low, high = interval(samples[:, None])
    return Difference(value, float(low[0]), float(high[0]))


def _superiority(value: float, samples: Floats) -> float:
    error = float(samples.std())
    return float(ndtr(value / error)) if error else float(np.heaviside(value, 0.5))


def _contest(contest: ContestStandings, a: str, b: str, gap: Floats) -> ContestComparison:
    one, other = contest.bots.index(a), contest.bots.index(b)
    value = float(contest.rating[one] - contest.rating[other])
    pairs = contest.pairs
    games = int(contest.record.games[one] + contest.record.games[other] - pairs.games[one, other])
    rating = _difference(value, gap)
    met = bool(pairs.met[one, other])
    shared = paired(contest.counts, one, other)
    return ContestComparison(
        contest=contest.contest.key,
        rating=rating,
        superiority=_superiority(value, gap),
        games=games,
        more_games=games_to_settle(rating, _error(contest, gap), games, contest.matches),
        together=_record(contest.counts, one, other) if met else None,
        together_low=float(pairs.low[one, other]) if met else 0.0,
        together_high=float(pairs.high[one, other]) if met else 1.0,
        expected=float(contest.expected[one, other]),
        seats=_by_seat(contest.counts, one, other) if met else (),
        shared=Difference(shared.value, shared.low, shared.high) if shared else None,
        shared_games=shared.games if shared else 0,
    )


def _where(counts: Counts, one: int, other: int) -> tuple[Counts, Ints, Ints]:
    """The rows in which both sat at the table, and the ranks of the one and of the other."""
    both = np.intersect1d(counts.rows_of(one), counts.rows_of(other), assume_unique=True)
    rows = Counts(*(column[both] for column in counts))
    return rows, rows.ranks[rows.lineups == one], rows.ranks[rows.lineups == other]


def _record(counts: Counts, one: int, other: int) -> Record:
    rows, mine, theirs = _where(counts, one, other)
    return _sum(rows.games, mine, theirs)


def _by_seat(counts: Counts, one: int, other: int) -> tuple[tuple[int, Record], ...]:
    rows, mine, theirs = _where(counts, one, other)
    seat = rows.seats[rows.lineups == one]
    found = []
    for at in range(rows.seats.shape[1]):
        chosen = seat == at
        if chosen.any():
            found.append((at + 1, _sum(rows.games[chosen], mine[chosen], theirs[chosen])))
    return tuple(found)


def _sum(games: Ints, mine: Ints, theirs: Ints) -> Record:
    wins, draws = int(games[mine < theirs].sum()), int(games[mine == theirs].sum())
    total = int(games.sum())
    return Record(total, wins, draws, total - wins - draws, (wins + draws / 2) / total)


RATINGS = ("contest", "rating", "is better", "games", "more needed", "score on shared deals")
"""The header of `rating_rows`."""
SHARED = "Shared deals: where each sat down without the other, in the same seats with the same opponents."


def describe(comparison: Comparison, most: int | None = None) -> str:
    """In words and columns, for people whose terminal has `most` columns."""
    a, b = safe(comparison.a), safe(comparison.b)
    rows = rating_rows(comparison)
    shown = fitted_table(RATINGS, rows, RATINGS[1:], most=most, spare=("games", RATINGS[-1]), elsewhere=ALL_COLUMNS)
    parts = [folded(verdict(comparison), most), "", f"{a} minus {b}", shown]
    if RATINGS[-1] in shown.splitlines()[0] and any(one.shared for one in comparison.contests):
        parts.append(folded(SHARED, most))
    meetings = meeting_rows(comparison)
    if meetings:
        columns = meeting_header(comparison)
        spare = ("draws", "losses", "expected")
        meet = fitted_table(columns, meetings, columns[2:], most=most, spare=spare, elsewhere=ALL_COLUMNS)
        parts += ["", f"{a} against {b}", meet]
    if comparison.notices:
        parts += ["", *(folded(f"! {safe(notice)}", most) for notice in comparison.notices)]
    return "\n".join(parts)


def rating_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """A minus B in each contest and overall, as text: a row for each, below `RATINGS`."""
    rows: list[tuple[str, ...]] = [
        (
            one.contest,
            _signed(one.rating),
            _likely(one.superiority),
            f"{one.games:,}",
            _more(one.more_games),
            _signed(one.shared, 3) if one.shared else "-",
        )
        for one in comparison.contests
    ]
    if len(comparison.contests) > 1:
        games = sum(one.games for one in comparison.contests)
        likely = _likely(comparison.superiority)
        rows.append(("overall", _signed(comparison.overall), likely, f"{games:,}", _more(comparison.more_games), "-"))
    return rows


def meeting_header(comparison: Comparison) -> tuple[str, ...]:
    """The header of `meeting_rows`."""
    seat = f"seat of {safe(comparison.a)}"
    return ("contest", seat, "games", "wins", "draws", "losses", "score", PERCENT, "expected")


def meeting_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """A against B in each contest, as text: in any seat, then seat by seat."""
    rows: list[tuple[str, ...]] = []
    for one in comparison.contests:
        if one.together is None:
            continue
        interval = f"{one.together_low:.3f} … {one.together_high:.3f}"
        rows.append((one.contest, "any", *_counts(one.together), interval, f"{one.expected:.3f}"))
        rows += [(one.contest, str(seat), *_counts(record), "", "") for seat, record in one.seats]
    return rows


def verdict(comparison: Comparison) -> str:
    """The answer in one sentence."""
    a, b, overall = safe(comparison.a), safe(comparison.b), comparison.overall
    if overall.settled:
        better, worse = (a, b) if overall.value > 0 else (b, a)
        near, far = sorted((abs(overall.low), abs(overall.high)))
        return (
            f"{better} is better than {worse}, by {abs(overall.value):.2f} points of rating ({near:.2f} … {far:.2f})."
        )
    if not overall.value:
        return f"Not settled: {a} and {b} are exactly level."
    ahead = f"{a if overall.value > 0 else b} is ahead by {abs(overall.value):.2f} points of rating"
    more = comparison.more_games
    how_many = "nobody can tell how many" if more is None else f"about {more:,}"
    return f"Not settled: {ahead}; {how_many} more games would settle it."


def _counts(record: Record) -> tuple[str, ...]:
    counts = (record.games, record.wins, record.draws, record.losses)
    return (*(f"{count:,}" for count in counts), f"{record.score:.3f}")


def _signed(difference: Difference, digits: int = 2) -> str:
    value, low, high = signed((difference.value, difference.low, difference.high), digits)
    return f"{value} ({low} … {high})"


def _likely(superiority: float) -> str:
    if superiority > CERTAIN:
        return f"> {CERTAIN:.1%}"
    return f"< {1 - CERTAIN:.1%}" if superiority < 1 - CERTAIN else f"{superiority:.1%}"


def _more(games: int | None) -> str:
    return "settled" if games == 0 else "no telling" if games is None else f"{games:,}"
