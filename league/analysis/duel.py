"""Plays two bots against each other until it is settled which one is better, and no longer.

A round is 64 deals, each in every seat rotation. In a game for two, the bots meet. At larger tables there are two ways:
each of them in turn sits down with the same opponents on the same deals, so that they never meet, or both sit at one
table. Their place scores are compared, or their points where these count. After every round a sequential test decides
whether to go on. Rounds are counted in their order, whichever is finished first, so a duel ends the same on any
machine. All rounds are kept like a league's results: the same command continues where it stopped.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from html import escape
from itertools import product
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from league.errors import LeagueError, RosterError, UnavailableError
from league.play.executors import Abandoned, Stopping, play_all
from league.play.executors.local import local_executor
from league.play.worker import Team
from league.rating.places import place_scores
from league.rating.sequential import SequentialTest, Verdict
from league.results.compare import answer
from league.results.contest_standings import fault_sentence
from league.results.outcomes import Ending, endings_of
from league.results.store import ChosenLineup, Store
from league.results.tallies import Results, Tallies
from league.setup.roster import RANDOM, Bot, find, refuse_strangers, told_apart
from league.tools.logs import LOG, logging_to
from league.tools.seeds import Secret
from league.tools.text import counted, listed, safe, shown_path, signed
from league.values.block import DEAL_GROUPS, Block, BlockResult, Entrant, Series, Sitting, Unavailable
from league.values.settings import Config, Contest, Counting, Event, file_word

ROUND = DEAL_GROUPS
"""Deals in a round: as many as there are groups, so that a tally keeps every deal apart."""

SMALLEST_LEAD = 0.04
"""In place scores, the smallest lead that matters; in points, as a part of the luck in the lead of one game."""
GUESSED_LEAD = 2
"""If the rules do not say how many points are possible: this many times the largest lead of the first round."""
SMALLEST_SCORE, LARGEST_SCORE = 1e-4, 0.4
"""The least and the most that a smallest lead can be, as a score."""

TableKey = tuple[tuple[Entrant, ...], int]
"""Lineup and rotation of a series: all that differs between those of a duel."""
Waiting = dict[int, dict[TableKey, BlockResult]]
"""Rounds that are not counted yet: the results of each so far."""
DuelObserver = Callable[[SequentialTest], None]
"""Is called after each round."""


class DuelResult(NamedTuple):
    """How a duel ended; its text is the verdict in one sentence."""

    a: str
    b: str
    others: tuple[str, ...]
    """The other bots at the table."""
    met: bool
    """Whether A and B sat at one table; if not, they took turns with the others."""
    folder: Path | None
    """Where the games are kept; None if they are not."""
    test: SequentialTest
    verdict: Verdict | None
    """None: it was stopped, or the deals ran out."""
    scores: tuple[float, float]
    """The mean place scores of A and of B in what the test has counted; if points count, their mean points."""
    played: int
    """Games played now, rounds that came too late for the verdict among them."""
    counted: int
    """Games that the verdict is about."""
    faults: tuple[str, ...]
    """How often each bot was at fault, a sentence each."""
    interrupted: bool = False
    """Whether it was stopped before the verdict."""
    counts: Counting = "games"
    """What was counted: places of games, or points."""

    @property
    def lead(self) -> tuple[float, float, float]:
        """The mean score of A minus that of B, or the mean points, with its interval."""
        low, high = self.test.interval()
        return self.test.lead(self.test.mean), self.test.lead(low), self.test.lead(high)

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
            counts=self.counts,
            after=counted(self.test.deals, "deal"),
            where=_where(self.others, self.met),
            within=2 * self.test.smallest * self.test.largest_lead,
        )


class Duel:
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
        bots = (a, b, *others)
        names = [bot.name for bot in bots]
        for bot in bots:
            if names.count(bot.name) > 1:
                twice = f"found {safe(bot.name)!r} twice. Name another one, or rename a file."
                raise RosterError(f"Expected bots of different names, {twice}")
        refuse_strangers(contest.game, bots, contest.players)
        wanted = others_wanted(contest.players, together=together)
        if len(others) != wanted:
            hint = "" if wanted else " Others sit at tables of three and more: ask for that many players."
            expected = f"expected {counted(wanted, 'other bot')} at the table, found {len(others)}"
            raise RosterError(f"{contest.key}: {expected}.{hint}")
        self._contest = contest
        self._counting: Counting = count
        self._smallest = smallest
        self._game_file = contest.rules().file
        self._config = config
        self._bots = bots
        self._folder = folder
        self._heroes = (a.entrant(), b.entrant())
        company = sorted(bot.entrant() for bot in others)
        self._secret: Secret = ""
        """What deals and random numbers are derived from; known when it is played."""
        self._others = tuple(entrant.name for entrant in company)
        self._meet = together or contest.players == 2
        # Where they take turns, both sit in the same place, whatever their names.
        alone = tuple((hero, *company) for hero in self._heroes)
        self._lineups = ((*sorted(self._heroes), *company),) if self._meet else alone
        self._totals = [0.0, 0.0]
        """Of the place scores of A and of B, over all deals that were counted."""

    def play(
        self, test: SequentialTest, deals: int, workers: int, observer: DuelObserver, stopping: Stopping
    ) -> DuelResult:
        """Play until the test has a verdict, or all deals are played."""
        rounds = -(-deals // ROUND)
        event = Event(self._contest, deals=rounds * ROUND, count=self._counting)
        waiting: Waiting = {}
        games = index = 0
        with Store.create(self._folder) as store, logging_to(self._folder / LOG):
            config = msgspec.structs.replace(self._config, events=(event,))
            store.begin(config, self._bots, chosen_rounds=True, own_deals=False)  # both play the same
            if not store.plan().chosen:
                all_deals = (0, event.deals)
                store.record_round([ChosenLineup(self._contest.key, lineup, all_deals) for lineup in self._lineups])
                store.record_round([])
            self._secret = store.plan().seed
            for record in store.records():
                _file(waiting, record.result)
            index = self._count(waiting, index, test, observer)
            files = (self._game_file,) if self._game_file else ()
            team = Team(self._bots, self._config.isolation, self._config.limits, files)
            executor = local_executor(team, workers, self._folder / LOG, store.private_descriptors)
            missing = self._sittings(index, rounds, waiting) if test.verdict is None else iter(())
            for played in play_all(executor, missing, lambda: stopping() or test.verdict is not None):
                if isinstance(played, Abandoned):
                    raise LeagueError(f"{self._contest.key}: a round could not be played: {played.reason}.")
                if isinstance(played, Unavailable):
                    raise UnavailableError(played.bot, played.cause)
                if played.block.games < ROUND:
                    continue  # a bot could not be asked in the rest of it
                store.add(played)
                games += played.block.games
                _file(waiting, played)
                index = self._count(waiting, index, test, observer)
            faults = tuple(_fault_sentences(Results.of(store).contests[self._contest.key]))
        a, b = (total / max(test.deals, 1) for total in self._totals)
        return DuelResult(
            a=self._heroes[0].name,
            b=self._heroes[1].name,
            others=self._others,
            met=self._meet,
            folder=self._folder,
            test=test,
            verdict=test.verdict,
            scores=(a, b),
            played=games,
            counted=test.deals * self._games_a_deal,
            faults=faults,
            interrupted=test.verdict is None and stopping(),
            counts=self._counting,
        )

    def _sittings(self, first: int, rounds: int, waiting: Waiting) -> Iterator[Sitting]:
        """What is still to be played, round by round."""
        tables = list(product(self._lineups, range(self._contest.players)))
        for number in range(first, rounds):
            played = set(waiting.get(number, ()))
            for lineup, rotation in tables:
                if (lineup, rotation) not in played:
                    series = Series(self._contest, lineup, rotation, self._secret, self._config.limits)
                    yield Sitting((Block(series, number * ROUND, (number + 1) * ROUND),))

    def _count(self, waiting: Waiting, number: int, test: SequentialTest, observer: DuelObserver) -> int:
        """Count the rounds that are complete, in their order, up to the verdict; returns the next one."""
        while test.verdict is None and len(waiting.get(number, ())) == self._games_a_deal:
            results = list(waiting.pop(number).values())
            by_deal = _points_by_deal if self._counting == "points" else _by_deal
            both = list(zip(*(by_deal(results, hero) for hero in self._heroes), strict=True))
            if self._counting == "points" and number == 0:
                self._measure(test, results, [a - b for a, b in both])
            for a, b in both:
                test.add_lead(a - b)  # a score of one half if they are level; what A scores by places if they meet
                self._totals[0] += a
                self._totals[1] += b
            observer(test)
            number += 1
        return number

    def _measure(self, test: SequentialTest, results: Sequence[BlockResult], leads: Sequence[float]) -> None:
        """Learn from the first round how large leads in points can be, and how large luck is."""
        bounds = self._contest.set_up().points_range
        guess = GUESSED_LEAD * max(map(abs, leads)) or 1.0
        test.largest_lead = float(bounds[1] - bounds[0]) if bounds else guess
        luck = float(np.std([ending.points for result in results for ending in endings_of(result)]))
        smallest = self._smallest or SMALLEST_LEAD * luck * 2**0.5
        test.smallest = min(max(smallest / (2 * test.largest_lead), SMALLEST_SCORE), LARGEST_SCORE)

    @property
    def _games_a_deal(self) -> int:
        """In every rotation at every table; a round has as many blocks."""
        return len(self._lineups) * self._contest.players


def others_wanted(players: int, *, together: bool) -> int:
    """How many others sit at a duel's table."""
    return 0 if players == 2 else players - (2 if together else 1)


def lead_text(test: SequentialTest) -> str:
    """The mean score of A minus that of B, with its interval."""
    lead, least, most = signed(list(map(test.lead, (test.mean, *test.interval()))), 3)
    return f"{lead} ({least} … {most})"


def _where(others: Sequence[str], met: bool) -> str:
    """What a duel at a larger table measures."""
    if not others:
        return ""
    names = listed([safe(name) for name in others])
    return f" at one table with {names}" if met else f", taking turns at a table with {names}"


def _file(waiting: Waiting, result: BlockResult) -> None:
    series = result.block.series
    waiting.setdefault(result.block.first // ROUND, {})[series.lineup, series.rotation] = result


def _by_deal(results: list[BlockResult], hero: Entrant) -> list[float]:
    """The place score of one entrant in each deal: the mean over all rotations of the tables that it sits at."""
    own = [(at, np.array([ending.ranks for ending in endings])) for at, endings in _own(results, hero)]
    return _means([place_scores(ranks)[:, at].tolist() for at, ranks in own])


def _points_by_deal(results: list[BlockResult], hero: Entrant) -> list[float]:
    """The points of one entrant in each deal: the mean over all rotations of the tables that it sits at."""
    return _means([[ending.points[at] for ending in endings] for at, endings in _own(results, hero)])


def _own(results: list[BlockResult], hero: Entrant) -> Iterator[tuple[int, list[Ending]]]:
    """How the games of one entrant ended, rotation by rotation, and its place in the lineup."""
    for result in sorted(results, key=lambda result: result.block.series.rotation):
        if hero in result.block.series.lineup:
            yield result.block.series.lineup.index(hero), endings_of(result)


def _means(rotations: Sequence[Sequence[float]]) -> list[float]:
    """By deal."""
    return [sum(scores) / len(scores) for scores in zip(*rotations, strict=True)]


def _fault_sentences(tallies: Tallies) -> Iterator[str]:
    for name, kinds, forfeits in zip(tallies.bots, tallies.faults, tallies.forfeits, strict=True):
        if kinds or forfeits:
            yield fault_sentence(name, kinds.most_common(), forfeits)


PREFIX = "standings-"
"""What the name of a contest's file of standings begins with."""
SLOW_SECONDS = 0.002
"""For a decision, on average."""


def strongest(
    contest: Contest, count: int, results: Path, bots_dir: str | Path, taken: Collection[str]
) -> tuple[list[Bot], str]:
    """The best quick bots of a folder at a game, by the standings of leagues in `results`, and why these, in words.

    Standings of the same table size come first, then those of other sizes, the latest first. Where there are too few
    bots, `random` sits down.
    """
    rated: dict[str, Bot] = {}
    places: dict[str, None] = {}
    passed_over: dict[str, None] = {}
    for file in _standings(contest, results):
        slow = _slow(file.parent)
        for name in _names(file):
            if len(rated) == count:
                break
            if name in slow:
                passed_over[name] = None
                continue
            bot = _playing(name, contest, bots_dir)
            if bot is not None and name not in rated and name not in taken:
                rated[name] = bot
                places[shown_path(file.parent)] = None
    missing = count - len(rated)
    bots = told_apart([*rated.values(), *[find(RANDOM, bots_dir)] * missing], taken)
    if not rated:
        reason = f"No league in {shown_path(results)} has rated other bots at {contest.game}, so random ones sit there"
    else:
        names = listed([safe(name) for name in rated])
        filled = f", and {counted(missing, 'random bot')}" if missing else ""
        reason = f"The best others at {contest.game} in {listed([*places])} sit there: {names}{filled}"
    left_out = f" Passed over, since they think for long: {listed([safe(name) for name in passed_over])}."
    return bots, f"{reason}.{left_out if passed_over else ''}"


def _slow(folder: Path) -> set[str]:
    """The bots of a league that take long to decide: a duel would last minutes because of bots nobody asked about."""
    try:
        with Store.open(folder) as store:
            costs = store.costs()
    except LeagueError:  # only the files of the league are there
        return set()
    return {cost.entrant.name for cost in costs if cost.usage.cost > SLOW_SECONDS * cost.usage.decisions}


def _standings(contest: Contest, results: Path) -> list[Path]:
    """The files of standings of a game, those of the same contest first, then the latest first."""
    own = f"{PREFIX}{contest.key}.csv"
    files = results.glob(f"*/{PREFIX}{file_word(contest.game)}-*p.csv")
    sized = [file for file in files if file.stem.removeprefix(f"{PREFIX}{file_word(contest.game)}-")[:-1].isdigit()]
    return sorted(sized, key=lambda file: (file.name != own, -os.stat(file).st_mtime, file))


def _names(file: Path) -> Iterator[str]:
    """The bots of a file of standings that have played, the best first."""
    with file.open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            if row.get("bot") and row.get("games") not in (None, "0"):
                yield row["bot"]


def _playing(name: str, contest: Contest, bots_dir: str | Path) -> Bot | None:
    try:
        bot = find(name, bots_dir)
    except RosterError:
        return None  # it is not in this folder, or cannot be read any more
    return bot if bot.takes_part(contest) else None
