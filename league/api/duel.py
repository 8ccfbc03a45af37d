"""Plays two bots against each other until it is settled which one is better, and no longer.

Every deal is played in each seat rotation. In a game for two, the bots meet. At larger tables there are two ways: each
of them in turn sits down with the same opponents on the same deals, so that they never meet, or both sit at one table.
Their place scores are compared, or their points where these count. A sequential test decides when to stop.

A duel is a league whose rounds are chosen here, and whose run is stopped when there is a verdict. Deals are counted in
their order, whichever is finished first, so a duel ends the same on any machine, and the same command continues where
it stopped.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from html import escape
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from league.errors import LeagueError, RosterError, UnavailableError
from league.events import Observer
from league.loop import LeagueRun
from league.plan.costs import Costs
from league.plan.coverage import Coverage
from league.plan.limit import Limit
from league.plan.schedule import ChosenLineup
from league.play.executors import OpenExecutor, Stopping
from league.rating.places import place_scores
from league.rating.sequential import SequentialTest, Verdict
from league.results.compare import answer
from league.results.contest_standings import fault_sentence
from league.results.games import GameColumns, games_of
from league.results.store import Store
from league.results.tallies import Results
from league.setup.roster import RANDOM, Bot, Roster, find, refuse_strangers, told_apart
from league.tools.text import counted, listed, safe, shown_path, signed
from league.values.block import BlockResult, Entrant
from league.values.settings import Config, Contest, Counting, Event, Stop, file_word

ROUND = 64
"""Deals of the first rounds; later ones have half as many as all before them."""
LOOKS = 64
"""How often the test is looked at until the number of deals doubles; up to twice as many deals, after each one."""
SMALLEST_LEAD = 0.04
"""In place scores, the smallest lead that matters; in points, as a part of the luck in the lead of one game."""
SLOW_SECONDS = 0.002
"""For a decision, on average: slower bots are not seated unasked."""


class DuelResult(NamedTuple):
    """How a duel ended; its text is the verdict in one sentence."""

    a: str
    b: str
    others: tuple[str, ...]
    met: bool
    """Whether A and B sat at one table; if not, they took turns with the others."""
    folder: Path | None
    test: SequentialTest
    verdict: Verdict | None
    """None: it was stopped, or the deals ran out."""
    scores: tuple[float, float]
    """The mean place scores of A and of B in what the test has counted; if points count, their mean points."""
    played: int
    """Games played now, those among them that came too late for the verdict."""
    counted: int
    """Games that the verdict is about."""
    faults: tuple[str, ...]
    """How often each bot was at fault, a sentence each."""
    interrupted: bool = False
    counts: Counting = "games"
    """What was counted: places of games, or points."""
    seated: str = ""
    """Why the others sit there, in a sentence; empty if somebody chose them."""

    @property
    def lead(self) -> tuple[float, float, float]:
        """The mean score of A minus that of B, or the mean points, with its interval."""
        return lead_of(self.test)

    def __repr__(self) -> str:
        return f"<DuelResult: {self}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>"

    def __str__(self) -> str:
        return answer(
            safe(self.a),
            safe(self.b),
            self.verdict,
            self.lead,
            unit="points a game" if self.counts == "points" else "in mean score",
            after=counted(self.test.deals, "deal"),
            where=_where(self.others, self.met),
            within=2 * self.test.smallest * self.test.largest_lead,
        )


class Duel(Observer):
    """A and B at one game; `others` fill the table where more than two play. Call `play` once.

    At larger tables A and B take turns with the others; if they are `together`, both sit at one table.
    """

    def __init__(
        self,
        a: Bot,
        b: Bot,
        others: Sequence[Bot],
        contest: Contest,
        config: Config,
        folder: Path,
        *,
        together: bool = False,
        count: Counting = "games",
        smallest: float | None = None,
    ) -> None:
        """If points count, `smallest` is the smallest lead that matters; None: as small beside luck as by places."""
        self._bots = (a, b, *others)
        names = [bot.name for bot in self._bots]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            found = f"found {safe(twice)!r} twice. Name another one, or rename a file."
            raise RosterError(f"Expected bots of different names, {found}")
        refuse_strangers(contest.game, self._bots, contest.players)
        wanted = others_wanted(contest.players, together=together)
        if len(others) != wanted:
            hint = "" if wanted else " Others sit at tables of three and more: ask for that many players."
            expected = f"expected {counted(wanted, 'other bot')} at the table, found {len(others)}"
            raise RosterError(f"{contest.title}: {expected}.{hint}")
        self._contest, self._counting, self._smallest = contest, count, smallest
        self._config, self._folder = config, folder
        self._heroes = (a.entrant(), b.entrant())
        company = tuple(sorted(bot.entrant() for bot in others))
        self._others = tuple(entrant.name for entrant in company)
        self._meet = together or contest.players == 2
        # Where they take turns, both sit in the same place, whatever their names.
        alone = tuple((hero, *company) for hero in self._heroes)
        self._lineups = ((*sorted(self._heroes), *company),) if self._meet else alone
        self._waiting: dict[tuple[tuple[Entrant, ...], int], dict[int, Sequence[float]]] = {
            (lineup, rotation): {} for lineup in self._lineups for rotation in range(contest.players)
        }
        """By lineup and rotation, each of which plays each deal once: what everybody scored on deals that are not
        counted yet."""
        self._next = 0
        self._totals = [0.0, 0.0]
        """The sums of the scores of A and of B in what was counted."""
        self._verdict: Verdict | None = None

    def play(
        self,
        test: SequentialTest,
        deals: int,
        workers: int,
        look: Callable[[SequentialTest], None],
        stopping: Stopping,
        *,
        executor: str | OpenExecutor = "local",
        stop: Stop | None = None,
    ) -> DuelResult:
        """Play until the test has a verdict, all deals are played, or it is time to stop."""
        self._test, self._deals, self._look = test, deals, look
        event = Event(self._contest, deals=deals, count=self._counting)
        config = replace(self._config, name=self._folder.name, events=(event,), shared_deals=not self._meet)
        self._run = LeagueRun(
            config,
            self._folder.parent,
            roster=Roster(self._bots),
            chooser=self._next_round,
            workers=workers,
            executor=executor,
            observer=self,
        )
        with self._run as run:
            run.check_bots(strict=True)
            summary = run.play(stop, stopping=lambda: self._verdict is not None or stopping())
            for abandoned in summary.abandoned:
                raise LeagueError(f"{self._contest.title}: some deals could not be played: {abandoned.reason}.")
            for open_ in summary.unavailable if self._verdict is None else ():
                raise UnavailableError(open_.bot, open_.cause)
            tallies = Results.of(run.store).contests[self._contest.key]
        of_bots = zip(tallies.bots, tallies.faults, tallies.forfeits, strict=True)
        a, b = (total / max(test.deals, 1) for total in self._totals)
        return DuelResult(
            a=self._heroes[0].name,
            b=self._heroes[1].name,
            others=self._others,
            met=self._meet,
            folder=self._folder,
            test=test,
            verdict=self._verdict,
            scores=(a, b),
            played=summary.games,
            counted=test.deals * len(self._waiting),
            faults=tuple(
                fault_sentence(name, kinds.most_common(), lost) for name, kinds, lost in of_bots if kinds or lost
            ),
            interrupted=self._verdict is None and stopping(),
            counts=self._counting,
        )

    def planned(self, coverage: Coverage, limit: Limit, costs: Costs) -> None:
        self._read(self._run.store)

    def played(self, result: BlockResult) -> None:
        self._take(games_of(result))
        self._count()

    def _next_round(self, store: Store) -> Sequence[ChosenLineup]:
        """Some more deals at all tables, or nothing if there is a verdict."""
        stops = [stop for fixture in store.plan().fixtures for _, stop in (fixture.spans or {}).values()]
        first = max(stops, default=0)
        if self._next < first:
            self._read(store)  # what was played before this round was chosen
        stop = min(first + ROUND * max(first // (2 * ROUND), 1), self._deals)
        if self._verdict is not None or first == stop:
            return []
        entrants = store.plan().fixtures[0].entrants
        lineups = [tuple([entrants.index(entrant) for entrant in lineup]) for lineup in self._lineups]
        return [ChosenLineup(0, lineup, (first, stop)) for lineup in lineups]

    def _read(self, store: Store) -> None:
        """Count what was played before."""
        for part in store.games():
            self._take(part)
        self._count()

    def _take(self, part: GameColumns) -> None:
        """Keep what was scored in some games until their deals are counted."""
        scores = part.points if self._counting == "points" else place_scores(part.ranks)
        columns = (part.lineup.tolist(), part.rotation.tolist(), part.deal.tolist(), scores.tolist())
        for lineup, rotation, deal, values in zip(*columns, strict=True):
            if deal >= self._next:
                self._waiting[tuple([part.bots[bot] for bot in lineup]), rotation][deal] = values

    def _count(self) -> None:
        """Count the deals that were played at all tables, in their order, up to the verdict."""
        before, test = self._next, self._test
        tables = list(self._waiting.values())
        if self._counting == "points" and self._next == 0:
            first = min(ROUND, self._deals)
            if not all(scores.keys() >= {*range(first)} for scores in tables):
                return
            self._measure([[scores[deal] for scores in tables] for deal in range(first)])
        while self._verdict is None and all(self._next in scores for scores in tables):
            a, b = self._of_both([scores.pop(self._next) for scores in tables])
            test.add_lead(a - b)  # a score of one half if they are level; what A scores by places if they meet
            self._totals[0] += a
            self._totals[1] += b
            self._next += 1
            if self._next % max(self._next // LOOKS, 1) == 0 or self._next == self._deals:
                self._verdict = test.verdict
        if self._next > before:
            self._look(test)

    def _of_both(self, tables: Sequence[Sequence[float]]) -> list[float]:
        """What A and B scored on one deal: the mean over the tables that they sat at."""
        both = []
        for hero in self._heroes:
            pairs = zip(self._waiting, tables, strict=True)
            own = [scores[lineup.index(hero)] for (lineup, _), scores in pairs if hero in lineup]
            both.append(sum(own) / len(own))
        return both

    def _measure(self, deals: Sequence[Sequence[Sequence[float]]]) -> None:
        """Learn from the first deals how large leads in points can be, and how large luck is.

        If the rules do not say how many points are possible, twice the largest lead of these deals is taken.
        """
        test = self._test
        bounds = self._contest.set_up().points_range
        guess = 2 * max(abs(a - b) for a, b in map(self._of_both, deals)) or 1.0
        test.largest_lead = float(bounds[1] - bounds[0]) if bounds else guess
        luck = float(np.std(deals))
        smallest = self._smallest or SMALLEST_LEAD * luck * 2**0.5
        test.smallest = min(max(smallest / (2 * test.largest_lead), 1e-4), 0.4)


def others_wanted(players: int, *, together: bool) -> int:
    """How many others sit at a duel's table."""
    return 0 if players == 2 else players - (2 if together else 1)


def lead_of(test: SequentialTest) -> tuple[float, float, float]:
    """The mean score of A minus that of B, with its interval."""
    low, high = test.interval()
    return test.lead(test.mean), test.lead(low), test.lead(high)


def lead_text(test: SequentialTest) -> str:
    """The mean score of A minus that of B, with its interval."""
    lead, least, most = signed(lead_of(test), 3)
    return f"{lead} ({least} … {most})"


def _where(others: Sequence[str], met: bool) -> str:
    """What a duel at a larger table measures."""
    if not others:
        return ""
    names = listed([safe(name) for name in others])
    return f" at one table with {names}" if met else f", taking turns at a table with {names}"


def strongest(
    contest: Contest, count: int, results: Path, bots_dir: str | Path, taken: Collection[str]
) -> tuple[list[Bot], str]:
    """The best fast bots of the latest league in `results` that has rated a game, and why these, in words.

    A league with tables of the same size comes before others. Where there are too few bots, `random` sits down.
    """
    file = _latest_standings(contest, results)
    bots = [] if file is None else [*islice(_fast_bots(file, contest, bots_dir, taken), count)]
    rated = listed([safe(bot.name) for bot in bots])
    missing = count - len(bots)
    seated = told_apart([*bots, *[find(RANDOM, bots_dir)] * missing], taken)
    if file is None or not bots:
        why = f"No league in {shown_path(results)} has rated other fast bots at {contest.game}"
        return seated, f"{why}, so random bots take the other seats."
    filled = f", and {counted(missing, 'random bot')}" if missing else ""
    best = f"the best fast bots at {contest.game} in {shown_path(file.parent)}"
    return seated, f"The other seats go to {best}: {rated}{filled}."


def _latest_standings(contest: Contest, results: Path) -> Path | None:
    """The file of standings of a game that was written last, of the same contest if there is one."""
    own, files = f"standings-{contest.key}.csv", results.glob(f"*/standings-{file_word(contest.game)}-[0-9]*p.csv")
    return max(files, key=lambda file: (file.name == own, os.stat(file).st_mtime, file), default=None)


def _fast_bots(file: Path, contest: Contest, bots_dir: str | Path, taken: Collection[str]) -> Iterator[Bot]:
    """The bots of a file of standings that are still there, the best first, but for those that think for long."""
    slow: set[str] = set()
    with suppress(LeagueError), Store.open(file.parent) as store:  # perhaps only the files of the league are there
        slow = {bot.name for _, bot, cost in store.costs() if cost.usage.cost > SLOW_SECONDS * cost.usage.decisions}
    with file.open(encoding="utf-8", newline="") as rows:
        names = [row["bot"] for row in csv.DictReader(rows) if row.get("bot") and row.get("games") not in (None, "0")]
    for name in names:
        if name not in slow and name not in taken:
            with suppress(RosterError):  # it is not in this folder, or cannot be read any more
                if (bot := find(name, bots_dir)).takes_part(contest):
                    yield bot
