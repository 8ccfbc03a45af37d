"""Whether A is really better than B: two bots of a league side by side, with all that their games can tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, inf, nan
from typing import Literal

import msgspec
import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from league.errors import LeagueError, did_you_mean
from league.rating import TAIL
from league.rating.errors import leads
from league.rating.places import chance_of_better
from league.rating.sequential import Verdict
from league.results.contest_standings import ContestStandings, fault_notices
from league.results.lines import rating_digits
from league.results.report import shown_chance
from league.results.standings import Standings, what_counts
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
OVERALL = "overall"


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

    def side(self, bound: float = 0.0) -> Literal["above", "below"] | None:
        """On which side of a bound it is for sure; None if that is open."""
        if not self.known or self.low <= bound <= self.high:
            return None
        return "above" if self.low > bound else "below"

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


class Meeting(msgspec.Struct, frozen=True):
    """How A did against B when they sat at one table."""

    seat: int | None
    """A's seat, from 1; None: all of them together."""
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    """Wins and half of the draws, as a part of the games; if points count, the points of A minus those of B, a game."""
    low: float = nan
    """The interval of the score, of all seats together."""
    high: float = nan
    expected: float = nan
    """The score that the ratings expect, of all seats together."""


class Compared(msgspec.Struct, frozen=True):
    """A and B in one contest, or in all of them together."""

    contest: str
    """Its key, or `OVERALL`."""
    title: str
    """'Raj, 2 players', or 'Overall'."""
    counts: Literal[Counting, "mixed"]
    """What is counted. If it is points, ratings and scores are in points a game."""
    rating: Difference
    superiority: float
    """How likely A is the better one."""
    games: int
    """In which A or B played."""
    more_games: More
    meetings: tuple[Meeting, ...] = ()
    """In a contest in which they met: in any seat, then seat by seat."""


class Comparison(msgspec.Struct, frozen=True):
    """A and B in a league."""

    a: str
    b: str
    overall: Compared
    """Over the contests that both play."""
    contests: tuple[Compared, ...]
    notices: tuple[str, ...] = ()
    """What a reader should know before believing the numbers, a sentence each."""

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
    both = [contest for contest in chosen if {a, b} <= {name for pool in contest.pools for name in pool}]
    if not both:
        nothing = f"not both played {safe(game)}" if game else "no contest in common"
        raise LeagueError(f"{safe(a)} and {safe(b)} have {nothing}, so they cannot be compared.")
    common = [contest for contest in both if any({a, b} <= {*pool} for pool in contest.pools)]
    if not common:
        never = "never met, directly or by way of others"
        raise LeagueError(f"{safe(a)} and {safe(b)} {never}, so they cannot be compared.")
    notices = [
        f"{contest.contest.title}: left out, since {a} and {b} never met there, directly or by way of others."
        for contest in both
        if contest not in common
    ]
    for contest in common:
        lines = [line for line in contest.lines if line.bot in (a, b)]
        notices += contest.doubts((a, b)) + fault_notices(contest.contest.title, lines)
    contests = tuple(_compared(standings, [contest], a, b, contest.tail[a]) for contest in common)
    everywhere = len(common) == len(standings.contests) > 1 and {a, b} <= {*standings.placed.bots}
    tail = standings.placed.tail[a] if everywhere else max(contest.tail[a] for contest in common)
    return Comparison(a, b, _compared(standings, common, a, b, tail), contests, tuple(notices))


def games_to_settle(difference: Difference, games: int, bound: float = 0.0) -> More:
    """How many more than these games would settle on which side of a bound it is.

    They do if the difference is a standard error nearer to the bound than it seems, or further from it.
    """
    if difference.side(bound):
        return More(0, 0)
    value, error, needed = abs(difference.value - bound), difference.error, difference.found

    def more(lead: float) -> int:
        exact = max(ceil(games * ((needed / lead) ** 2 - 1)), 1)
        return round(exact, 2 - len(str(exact)))

    least = more(value + error)
    most = more(value - error) if value > error else inf
    return More(least, None if most > FAR * least else int(most))


def _compared(standings: Standings, contests: Sequence[ContestStandings], a: str, b: str, tail: float) -> Compared:
    """Two bots in some contests, where a lead is sure beyond this quantile of the normal distribution."""
    alone = contests[0] if len(contests) == 1 else None
    mean = standings.combined((a, b), contests)
    lead, errors = leads(mean.rating, mean.errors.covariance)
    value, error, known = float(lead[0, 1]), float(errors[0, 1]), bool(mean.errors.known.all())
    freedom = float(mean.errors.freedom_of_leads()[0, 1])
    half = error * float(stdtrit(freedom, ndtr(tail if known and tail < inf else TAIL)))
    rating = Difference(value, value - half, value + half, known and abs(value) > half, known, error)
    games = 0
    for contest in contests:  # in which at least one of them played
        one, other = contest.bots.index(a), contest.bots.index(b)
        games += int(contest.record.games[[one, other]].sum() - contest.pairs.games[one, other])
    return Compared(
        contest=alone.contest.key if alone else OVERALL,
        title=alone.contest.title if alone else "Overall",
        counts=what_counts(contests),
        rating=rating,
        superiority=chance_of_better(*mean.worlds.T),
        games=games,
        more_games=games_to_settle(rating, games),
        meetings=tuple(_meetings(alone, alone.bots.index(a), alone.bots.index(b))) if alone else (),
    )


def _meetings(contest: ContestStandings, one: int, other: int) -> Iterator[Meeting]:
    pairs, counts = contest.pairs, contest.counts
    mine, theirs = counts.lineups == one, counts.lineups == other
    both = mine.any(axis=1) & theirs.any(axis=1)
    games, seats = counts.games[both], 1 + counts.seats[both][mine[both]]
    place, against = counts.ranks[both][mine[both]], counts.ranks[both][theirs[both]]
    leads = {} if contest.points is None else contest.tallies.leads_by_seat(one, other)
    for seat in (None, *np.unique(seats).tolist()) if both.any() else ():
        chosen = seats >= 0 if seat is None else seats == seat
        total, wins, draws = (int(games[chosen & of].sum()) for of in (True, place < against, place == against))
        found = (seat, total, wins, draws, total - wins - draws)
        if seat is None:
            tables = pairs.score, pairs.low, pairs.high, contest.expected
            yield Meeting(*found, *(float(table[one, other]) for table in tables))
        else:
            yield Meeting(*found, leads.get(seat - 1, (wins + draws / 2) / total))


def describe(comparison: Comparison, most: int | None = None) -> str:
    """In words and columns, for people whose terminal has `most` columns."""
    a, b = safe(comparison.a), safe(comparison.b)
    parts = [folded(verdict(comparison), most), f"{a} minus {b}\n{ratings_table(comparison).text(most, ALL_COLUMNS)}"]
    meetings = meetings_table(comparison)
    if meetings.rows:
        parts.append(f"{a} against {b}\n{meetings.text(most, ALL_COLUMNS)}")
    if comparison.notices:
        parts.append("\n".join(folded(f"! {safe(notice)}", most) for notice in comparison.notices))
    return "\n\n".join(parts)


def ratings_table(comparison: Comparison) -> Table:
    """A minus B in each contest, and overall if there are several."""
    header = ("contest", "rating", "likely better", "games", "more needed")
    together = [comparison.overall] if len(comparison.contests) > 1 else []
    rows = [
        (part.title, _shown_lead(part), _likely(part.superiority), f"{part.games:,}", str(part.more_games))
        for part in (*comparison.contests, *together)
    ]
    return Table.of(header, rows, header[1:], ("games",))


def meetings_table(comparison: Comparison) -> Table:
    """A against B in each contest: in any seat, then seat by seat."""
    seat_of = f"seat of {safe(comparison.a)}"
    header = ("contest", seat_of, "games", "wins", "draws", "losses", "score", PERCENT, "expected")
    rows: list[tuple[str, ...]] = []
    for part in comparison.contests:
        for met in part.meetings:
            counts = (f"{count:,}" for count in (met.games, met.wins, met.draws, met.losses))
            (score,) = _shown_scores(part.counts, met.score)
            score += " points" if part.counts == "points" else ""
            low, high, expected = _shown_scores(part.counts, met.low, met.high, met.expected)
            of_all = (f"{low} … {high}", expected) if met.seat is None else ("", "")
            rows.append((part.title, str(met.seat or "any"), *counts, score, *of_all))
    return Table.of(header, rows, header[2:], ("draws", "losses", "expected"))


def verdict(comparison: Comparison) -> str:
    """The answer in one sentence, in the words of a duel."""
    a, b, overall, more = safe(comparison.a), safe(comparison.b), comparison.overall, comparison.overall.more_games
    lead, contests = overall.rating, len(comparison.contests)
    better: Verdict | None = None if not lead.settled else "a" if lead.value > 0 else "b"
    where = f" in {contests} contests together" if contests > 1 else f" at {comparison.contests[0].title}"
    told = answer(
        *(a, b, better, (lead.value, lead.low, lead.high)),
        unit="points a game" if overall.counts == "points" else "in rating",
        digits=rating_digits(overall.counts),
        after=counted(overall.games, "game"),
        where=where,
    )
    if better or not lead.value:
        return told
    if not lead.known:
        return f"{told} These are too few matches to tell luck from strength."
    ahead, chance = (a, overall.superiority) if lead.value > 0 else (b, 1 - overall.superiority)
    needed = f"at least {counted(more.least, 'more game')} would settle it"
    if more.most is not None:
        needed = f"{more.least:,} to {more.most:,} more games would settle it"
    return f"{told} {ahead} is {shown_chance(chance)} likely better; {needed}."


def answer(
    a: str,
    b: str,
    better: Verdict | None,
    lead: tuple[float, float, float],
    *,
    unit: str,
    after: str,
    where: str = "",
    within: float = 0.0,
    digits: int = 3,
) -> str:
    """Which of two bots is better, in one sentence, with the lead of A and its interval."""
    if better == "b":
        a, b = b, a
        lead = -lead[0], -lead[2], -lead[1]
    value, low, high = signed(lead, digits)
    told = f"{value} {unit} ({low} … {high}) after {after}"
    if better == "even":
        return f"{a} and {b} are even within {within:.3g}{where}: {a} minus {b} {told}."
    return (
        f"{a} is better than {b}{where}: a lead of {told}."
        if better
        else f"Not settled yet{where}: {a} minus {b} {told}."
    )


def _shown_scores(counts: str, *scores: float) -> list[str]:
    return [*signed(scores, 3)] if counts == "points" else [f"{score:.3f}" for score in scores]


def _shown_lead(part: Compared) -> str:
    lead = part.rating
    value, low, high = signed((lead.value, lead.low, lead.high), rating_digits(part.counts))
    return f"{value} ({low} … {high}){' points a game' if part.counts == 'points' else ''}"


def _likely(superiority: float) -> str:
    if superiority > CERTAIN:
        return f"> {CERTAIN:.1%}"
    return f"< {1 - CERTAIN:.1%}" if superiority < 1 - CERTAIN else f"{superiority:.1%}"
