"""Whether A is really better than B: two bots of a league side by side, with all that their games can tell."""

from __future__ import annotations

from math import ceil, inf
from typing import Literal

import msgspec
import numpy as np
from msgspec.structs import replace
from scipy.special import ndtr, ndtri

from league.errors import LeagueError, did_you_mean
from league.rating import TAIL
from league.rating.chances import chance_of_better
from league.rating.sequential import Verdict
from league.rating.spread import leads
from league.rating.table import Ints
from league.results.columns import rating_digits
from league.results.contest_standings import ContestStandings, fault_notices
from league.results.report import shown_chance
from league.results.standings import Combined, Standings, what_counts
from league.results.tallies import Counts
from league.tools.table import Table
from league.tools.text import counted, folded, safe, signed
from league.values.settings import PERCENT, Counting

POWER = 0.8
"""The games that would settle it do so with this probability."""
FAR = 1000
"""A number of games that is this many times the least one is as good as unknown."""
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
    lead: float | None = None
    """If points count: the points of A minus those of B, a game."""


class Difference(msgspec.Struct, frozen=True):
    """A minus B, with an interval that allows for all other comparisons in the league."""

    value: float
    low: float
    high: float
    settled: bool
    """Whether one of them is better for sure: the interval leaves out zero, and there are enough matches."""
    known: bool = True
    """Whether both played enough matches to tell luck from strength."""
    error: float = 0.0
    """Its standard error."""

    @property
    def found(self) -> float:
        """The lead that as many games show to be one with the probability `POWER`."""
        return self.high - self.value + float(ndtri(POWER)) * self.error


class More(msgspec.Struct, frozen=True):
    """How many more games would settle who is better: 0 if it is settled."""

    least: int
    most: int | None
    """None: perhaps no number of games."""

    def __str__(self) -> str:
        if self.most == 0:
            return "settled"
        return f"{self.least:,} …" if self.most is None else f"{self.least:,} … {self.most:,}"


class ContestComparison(msgspec.Struct, frozen=True):
    """A and B in one contest."""

    contest: str
    rating: Difference
    superiority: float
    """How likely A is the better one."""
    games: int
    """In which A or B played."""
    more_games: More
    together: Record | None
    """None if they never met."""
    together_low: float = 0.0
    together_high: float = 1.0
    expected: float = 0.5
    """The score that the ratings expect of A against B."""
    seats: tuple[tuple[int, Record], ...] = ()
    """Against each other, by A's seat, from 1."""
    counts: Counting = "games"
    """What is counted. If it is points, the rating is in points a game."""
    lead: float | None = None
    """If points count: the points of A minus those of B, a game, when they met. `together_low`, `together_high` and
    `expected` are such leads too."""


class Comparison(msgspec.Struct, frozen=True):
    """A and B in a league."""

    a: str
    b: str
    overall: Difference
    """In rating, over the contests that both play."""
    superiority: float
    more_games: More
    """For all contests together."""
    contests: tuple[ContestComparison, ...]
    notices: tuple[str, ...] = ()
    """What a reader should know before believing the numbers, a sentence each."""
    counts: Literal[Counting, "mixed"] = "games"
    """What is counted overall: the unit of `overall` is points a game only if it is points."""

    lead: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """What that is in mean score, as a duel measures it, with its interval; points a game if points count."""

    def __str__(self) -> str:
        return describe(self)


def compare(standings: Standings, a: str, b: str, game: str | None = None) -> Comparison:
    """Two bots side by side, in the contests that both have played: in all of them, or in those of one game."""
    chosen = standings.chosen(game) if game else list(standings.contests.values())
    for name in (a, b):
        if name not in standings.plays:
            hint = did_you_mean(name, standings.plays)
            raise LeagueError(f"There is no bot {safe(name)!r} in this league.{hint}")
    if a == b:
        raise LeagueError(f"Expected two bots to compare, found {safe(a)!r} twice.")
    both = [contest for contest in chosen if _has_played(contest, a) and _has_played(contest, b)]
    if not both:
        nothing = f"not both played {safe(game)}" if game else "no contest in common"
        raise LeagueError(f"{safe(a)} and {safe(b)} have {nothing}, so they cannot be compared.")
    common = [contest for contest in both if _connected(contest, a, b)]
    if not common:
        never = "never met, directly or by way of others"
        raise LeagueError(f"{safe(a)} and {safe(b)} {never}, so they cannot be compared.")
    contests = tuple(_contest(standings, contest, a, b) for contest in common)
    notices = [
        f"{contest.contest.key}: left out, since {a} and {b} never met there, directly or by way of others."
        for contest in both
        if contest not in common
    ]
    for contest in common:
        lines = [line for line in contest.lines if line.bot in (a, b)]
        notices += contest.doubts((a, b)) + fault_notices(contest.contest.key, lines)
    mean = standings.combined((a, b), common)
    tails = [float(contest.tail[contest.bots.index(a)]) for contest in common]
    everywhere = len(common) == len(standings.contests) > 1 and {a, b} <= standings.tail.keys()
    difference = _measured(mean, standings.tail[a] if everywhere else max(tails))
    more = games_to_settle(difference, sum(contest.games for contest in contests))
    chance = chance_of_better(*mean.worlds.T)
    counts, beta = what_counts(common), common[0].beta
    lead = (difference.value, difference.low, difference.high)
    if counts != "points":
        lead = (_score_lead(lead[0], beta), _score_lead(lead[1], beta), _score_lead(lead[2], beta))
    return Comparison(a, b, difference, chance, more, contests, tuple(notices), counts, lead)


def _score_lead(rating: float, beta: float) -> float:
    """The lead in mean score that a lead in rating is expected to make."""
    return 2 * float(ndtr(rating / (2**0.5 * beta))) - 1


def games_to_settle(difference: Difference, games: int, bound: float = 0.0) -> More:
    """How many more than these games would settle on which side of a bound it is.

    They do if the difference is a standard error nearer to the bound than it seems, or further from it.
    """
    if difference.known and not difference.low <= bound <= difference.high:
        return More(0, 0)
    value, error, needed = abs(difference.value - bound), difference.error, difference.found

    def more(lead: float) -> int:
        exact = max(ceil(games * ((needed / lead) ** 2 - 1)), 1)
        return round(exact, 2 - len(str(exact)))

    least = more(value + error)
    most = more(value - error) if value > error else inf
    return More(least, None if most > FAR * least else int(most))


def _has_played(contest: ContestStandings, name: str) -> bool:
    return name in contest.bots and bool(contest.record.games[contest.bots.index(name)])


def _connected(contest: ContestStandings, a: str, b: str) -> bool:
    """Whether both are of one pool."""
    pools = contest.table.pools
    return bool(pools[contest.bots.index(a)] == pools[contest.bots.index(b)])


def _measured(mean: Combined, tail: float) -> Difference:
    """The difference of two bots, which must exceed so many standard errors to be sure."""
    lead, errors = leads(mean.rating, mean.covariance)
    value, error = float(lead[0, 1]), float(errors[0, 1])
    known = bool(mean.known.all())
    tail = tail if known and tail < inf else TAIL
    settled = known and abs(value) > tail * error
    return Difference(value, value - tail * error, value + tail * error, settled, known, error)


def _contest(standings: Standings, contest: ContestStandings, a: str, b: str) -> ContestComparison:
    one, other = contest.bots.index(a), contest.bots.index(b)
    pairs = contest.pairs
    games = int(contest.record.games[one] + contest.record.games[other] - pairs.games[one, other])
    mean = standings.combined((a, b), [contest])
    rating = _measured(mean, float(contest.tail[one]))
    met = bool(pairs.met[one, other])
    score, low, high, expected = (float(values[one, other]) for values in contest.shown_scores())
    return ContestComparison(
        contest=contest.contest.key,
        rating=rating,
        superiority=chance_of_better(*mean.worlds.T),
        games=games,
        more_games=games_to_settle(rating, games),
        together=_sum(*_games_of_both(contest.counts, one, other)[1:]) if met else None,
        together_low=low if met else 0.0,
        together_high=high if met else 1.0,
        expected=expected,
        seats=_by_seat(contest, one, other) if met else (),
        counts=contest.count,
        lead=score if met and pairs.span else None,
    )


def _games_of_both(counts: Counts, one: int, other: int) -> tuple[Ints, Ints, Ints, Ints]:
    """By row in which both sat at the table: the seat of the one, the games, and the ranks of both."""
    both = np.intersect1d(counts.rows_of(one), counts.rows_of(other), assume_unique=True)
    rows = Counts(*(column[both] for column in counts))
    mine, theirs = rows.lineups == one, rows.lineups == other
    return rows.seats[mine], rows.games, rows.ranks[mine], rows.ranks[theirs]


def _by_seat(contest: ContestStandings, one: int, other: int) -> tuple[tuple[int, Record], ...]:
    seat, *columns = _games_of_both(contest.counts, one, other)
    points = contest.tallies.points_by_seat(one, other)
    seats = []
    for index in np.unique(seat).tolist():
        record = _sum(*(column[seat == index] for column in columns))
        if index in points:
            games, lead = points[index]
            record = replace(record, lead=lead / games)
        seats.append((index + 1, record))
    return tuple(seats)


def _sum(games: Ints, mine: Ints, theirs: Ints) -> Record:
    wins, draws = int(games[mine < theirs].sum()), int(games[mine == theirs].sum())
    total = int(games.sum())
    return Record(total, wins, draws, total - wins - draws, (wins + draws / 2) / total)


RATINGS = ("contest", "rating", "is better", "games", "more needed")
"""The header of `rating_rows`."""


def describe(comparison: Comparison, most: int | None = None) -> str:
    """In words and columns, for people whose terminal has `most` columns."""
    a, b = safe(comparison.a), safe(comparison.b)
    rows = rating_rows(comparison)
    shown = Table.of(RATINGS, rows, RATINGS[1:], ("games",)).text(most, ALL_COLUMNS)
    parts = [folded(verdict(comparison), most), "", f"{a} minus {b}", shown]
    meetings = meeting_rows(comparison)
    if meetings:
        columns = meeting_header(comparison)
        spare = ("draws", "losses", "expected")
        meet = Table.of(columns, meetings, columns[2:], spare).text(most, ALL_COLUMNS)
        parts += ["", f"{a} against {b}", meet]
    if comparison.notices:
        parts += ["", *(folded(f"! {safe(notice)}", most) for notice in comparison.notices)]
    return "\n".join(parts)


def rating_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """A minus B in each contest and overall, as text: a row for each, below `RATINGS`."""
    rows: list[tuple[str, ...]] = [
        (
            contest.contest,
            _signed(contest.rating, contest.counts),
            _likely(contest.superiority),
            f"{contest.games:,}",
            str(contest.more_games),
        )
        for contest in comparison.contests
    ]
    if len(comparison.contests) > 1:
        games = sum(contest.games for contest in comparison.contests)
        likely = _likely(comparison.superiority)
        overall = _signed(comparison.overall, comparison.counts)
        rows.append(("overall", overall, likely, f"{games:,}", str(comparison.more_games)))
    return rows


def meeting_header(comparison: Comparison) -> tuple[str, ...]:
    """The header of `meeting_rows`."""
    seat = f"seat of {safe(comparison.a)}"
    return ("contest", seat, "games", "wins", "draws", "losses", "score", PERCENT, "expected")


def meeting_rows(comparison: Comparison, *, percent: bool = False) -> list[tuple[str, ...]]:
    """A against B in each contest, as text: in any seat, then seat by seat. Scores may be per cent."""
    rows: list[tuple[str, ...]] = []
    for contest in comparison.contests:
        if contest.together is None:
            continue
        if contest.lead is None:
            low, high, expected = (
                _score(part, percent) for part in (contest.together_low, contest.together_high, contest.expected)
            )
            rows.append((contest.contest, "any", *_counts(contest.together, percent), f"{low} … {high}", expected))
            rows += [(contest.contest, str(seat), *_counts(record, percent), "", "") for seat, record in contest.seats]
            continue
        lead, low, high, expected = signed(
            (contest.lead, contest.together_low, contest.together_high, contest.expected), 3
        )
        counts = _counts(contest.together)[:-1]
        rows.append((contest.contest, "any", *counts, f"{lead} points", f"{low} … {high}", expected))
        for seat, record in contest.seats:
            of_seat = "" if record.lead is None else f"{signed((record.lead,), 3)[0]} points"
            rows.append((contest.contest, str(seat), *_counts(record)[:-1], of_seat, "", ""))
    return rows


def verdict(comparison: Comparison) -> str:
    """The answer in one sentence, in the words and in the unit of a duel."""
    a, b, overall, more = safe(comparison.a), safe(comparison.b), comparison.overall, comparison.more_games
    better: Verdict | None = None if not overall.settled else "a" if overall.value > 0 else "b"
    contests = len(comparison.contests)
    where = f" in {contests} contests together" if contests > 1 else f" at {comparison.contests[0].contest}"
    games = counted(sum(contest.games for contest in comparison.contests), "game")
    told = answer(a, b, better, comparison.lead, counts=comparison.counts, after=games, where=where)
    if better or not overall.value:
        return told
    if not overall.known:
        return f"{told} These are too few matches to tell luck from strength."
    ahead, chance = (a, comparison.superiority) if overall.value > 0 else (b, 1 - comparison.superiority)
    needed = f"at least {more.least:,} more games are needed to settle it"
    if more.most is not None:
        needed = f"{more.least:,} to {more.most:,} more games would settle it"
    return f"{told} {ahead} is better with a probability of {shown_chance(chance)}; {needed}."


def answer(
    a: str,
    b: str,
    better: Verdict | None,
    lead: tuple[float, float, float],
    *,
    counts: str,
    after: str,
    where: str = "",
    within: float = 0.0,
) -> str:
    """Which of two bots is better, in one sentence, with the lead of A and its interval."""
    if better == "b":
        a, b = b, a
        lead = -lead[0], -lead[2], -lead[1]
    value, low, high = signed(lead, 3)
    told = f"{value} {'points a game' if counts == 'points' else 'in mean score'} ({low} … {high}) after {after}"
    if better == "even":
        return f"{a} and {b} are even within {within:.3g}{where}: {a} minus {b} {told}."
    return (
        f"{a} is better than {b}{where}: a lead of {told}."
        if better
        else f"Not settled yet{where}: {a} minus {b} {told}."
    )


def _counts(record: Record, percent: bool = False) -> tuple[str, ...]:
    counts = (record.games, record.wins, record.draws, record.losses)
    return (*(f"{count:,}" for count in counts), _score(record.score, percent))


def _score(score: float, percent: bool) -> str:
    return f"{100 * score:.1f} %" if percent else f"{score:.3f}"


def _signed(difference: Difference, counts: str) -> str:
    value, low, high = signed((difference.value, difference.low, difference.high), rating_digits(counts))
    return f"{value} ({low} … {high}){' points a game' if counts == 'points' else ''}"


def _likely(superiority: float) -> str:
    if superiority > CERTAIN:
        return f"> {CERTAIN:.1%}"
    return f"< {1 - CERTAIN:.1%}" if superiority < 1 - CERTAIN else f"{superiority:.1%}"
