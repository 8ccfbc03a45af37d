"""Leagues from Python: play one, open one that was played, and look at its results as tables."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from html import escape
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from league.analysis.rematch import parse_address, play_again, show
from league.analysis.turning_points import unit_in
from league.api.matches import AnyBot, PlayedGame, as_bots, executor_for, seconds_of_run, with_more
from league.api.printer import Printer
from league.errors import LeagueError
from league.events import Observer, Played, Summary
from league.loop import LeagueRun
from league.play.executors import Stopping
from league.results.compare import Comparison, compare
from league.results.csvs import head_to_head
from league.results.export import Decisions, frames, together
from league.results.find import Ended, Query, find_columns
from league.results.lines import board, boards
from league.results.lock import last_change
from league.results.milestones import all_progress, undecided
from league.results.recorded import load_rules
from league.results.standings import Standings, read_standings
from league.results.store import Store
from league.setup.config import load, parse
from league.tools.table import Column, Table
from league.tools.text import CLOCK, clock_in
from league.values.settings import USUAL, Config, Isolation, Stop

if TYPE_CHECKING:
    from pandas import DataFrame

WATCH_SECONDS = 15
"""Between two tables of leaders with `watch`."""


class League:
    """A league's results, as they are in its folder at each call. A notebook shows its standings."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        with Store.open(self.folder) as store:
            self.name = store.settings().name
        self.played: Played | None = None
        """How the run ended that `league.run` returned it after; None if it was opened."""
        self._read: tuple[float, Standings] | None = None

    def standings(self, game: str | None = None, *, only: Sequence[str] = (), without: Sequence[str] = ()) -> DataFrame:
        """The standings, best first: of all contests together, or of one game or contest ('raj', 'raj-2p').

        `only` and `without` are names or patterns of bots ('raj_*'): the others are rated again, from the games among
        them alone.
        """
        standings = self._standings(only, without)
        if game is None:
            return board(standings.overall).frame()
        return boards({contest.contest.key: contest.lines for contest in standings.chosen(game)}).frame()

    def head_to_head(self) -> DataFrame:
        """How every bot did against every other one, contest by contest."""
        return head_to_head(self._standings()).frame().astype({"p_value": float})

    def games(
        self,
        *,
        bot: str | None = None,
        against: str | None = None,
        game: str | None = None,
        ended: Ended | None = None,
        fault: bool = False,
    ) -> DataFrame:
        """How games ended, a row for each seat: of all games, or of those that `league find` would list.

        With `bot`, the rows are those of this bot alone; `opponents` names the others of each game.
        """
        query = Query(bot=bot, against=against, game=game, ended=ended, fault=fault)
        with Store.open(self.folder) as store:
            return together(frames(find_columns(store, query), bot=bot))

    def moves(self, *, bot: str | None = None, game: str | None = None) -> DataFrame:
        """Every decision, a row each, from the stored moves: of all bots, or of one, and of all games, or of one.

        For large leagues write a file with `league find --to FILE --moves`: it needs no memory.
        """
        with Store.open(self.folder) as store:
            load_rules(store)
            return together(Decisions(store, bot, game))

    def faults(self, bot: str | None = None) -> DataFrame:
        """What bots did wrong, a row for each fault."""
        with Store.open(self.folder) as store:
            rows = [*store.faults(bot)]
        return Table([Column(name) for name in ("bot", "kind", "cause", "address")], rows).frame()

    def compare(
        self, a: str, b: str, *, game: str | None = None, only: Sequence[str] = (), without: Sequence[str] = ()
    ) -> Comparison:
        """Whether one bot is really better than another, in all contests of both or at one game or contest ('raj-3p').

        Printed, it is what `league compare` prints.
        """
        return compare(self._standings(only, without), a, b, game)

    def replay(self, address: str, *, again: bool = False, isolation: str = USUAL) -> PlayedGame:
        """The game at an address such as 'raj-2p:ann+bob:17.1', from its stored moves.

        It is played `again` if you ask for that, or if its moves were not kept; `isolation` is for that.
        """
        with Store.open(self.folder) as store:
            see, parsed = play_again if again else show, parse_address(address)
            return PlayedGame(see(store, parsed, Isolation(isolation)), address, unit_in(store, parsed.contest))

    @property
    def notices(self) -> list[str]:
        """Warnings about the results, a sentence each."""
        return list(self._standings().notices)

    def __repr__(self) -> str:
        return f"<League {self.name!r} in {self.folder}>"

    def _repr_html_(self) -> str:
        notices = "".join(f"<li>{escape(text)}</li>" for text in self.notices)
        table = self.standings().to_html(index=False, float_format="{:.2f}".format, max_rows=40)
        return f"<h3>{escape(self.name)}</h3>{table}<ul>{notices}</ul>"

    def _standings(self, only: Sequence[str] = (), without: Sequence[str] = ()) -> Standings:
        """Read again if the folder has changed, or for a part of the bots."""
        if only or without:
            return read_standings(self.folder, only, without)
        now = last_change(self.folder)
        if self._read is None or self._read[0] != now:
            self._read = now, read_standings(self.folder)
        return self._read[1]


def run(
    config: str | Path | Mapping[str, Any],
    *,
    bots: Iterable[AnyBot] | Mapping[str, AnyBot] = (),
    results: str | Path = "results",
    workers: int | None = None,
    executor: str = "local",
    scheduler: str | Path = "",
    isolation: str | None = None,
    for_: str | float | None = None,
    until: str | None = None,
    games: int | None = None,
    rounds: int | None = None,
    until_decided: bool = False,
    strict: bool = False,
    watch: bool = False,
    progress: bool | None = None,
    stopping: Stopping | AbstractContextManager[Stopping] = lambda: False,
    observer: Observer | None = None,
) -> League:
    """Play what is missing of a league, write its standings, and return its results.

    `config` is a file, or the content of one as a mapping. `bots` are additional bots: names, paths, classes or
    functions; classes and functions run in processes forked from this one, and their games are played again each time.
    A bot that cannot be loaded is left out, with a notice; `strict` raises instead. `scheduler` is the address of a
    Dask cluster that plays, or the file that its scheduler wrote.

    The run ends early after a time (`for_`: seconds, or a text such as "8h"), at a time of day (`until`: "06:00"), or
    after a number of `games` or `rounds`; these replace what the config says about `stop`. With `until_decided` all
    lineups play more deals than the config asks for while that would tell whether a bot has reached a milestone.

    `stopping` is asked several times a second whether to stop: `event.is_set` of a `threading.Event` lets another
    thread do it. If it is a context manager, it is entered while games are played.

    `progress` shows a bar and messages; by default only in a terminal and in a notebook. `watch` shows the leaders now
    and then. An `observer` is notified of everything instead.
    """
    if observer is None:
        shown = (sys.stderr.isatty() or "ipykernel" in sys.modules) if progress is None else progress
        observer = Printer(bar=True) if shown else Observer()
    clock = clock_in(until) if until is not None else None
    if until is not None and clock is None:
        raise LeagueError(f"until: expected {CLOCK}, found {until!r}.")
    limits = Stop(seconds_of_run(for_), clock, games, rounds)
    more = as_bots(bots)
    if scheduler and workers is not None:
        raise LeagueError("Workers are for this machine; with a scheduler, all workers of its cluster play.")
    opened = executor_for(more, executor, scheduler)
    settings = read_config(config, isolation, bots_given=bool(more))
    with LeagueRun(settings, Path(results), workers=workers, executor=opened, observer=observer) as planned:
        planned.check_bots(strict=strict)
        planned.roster = with_more(planned.roster, more)
        entered = stopping if isinstance(stopping, AbstractContextManager) else nullcontext(stopping)
        with entered as asked:
            play = partial(planned.play, stopping=asked, watch_seconds=WATCH_SECONDS if watch else None)
            stop = settings.stop if limits == Stop() else limits
            if until_decided:
                _play_until_decided(planned, play, stop, observer)
            else:
                play(stop)
        played = planned.report()
    league = League(planned.folder)
    league.played = played
    return league


def _play_until_decided(planned: LeagueRun, play: Callable[[Stop], Summary], stop: Stop, observer: Observer) -> None:
    """Play a league, and twice the deals again and again while that may tell whether bots have reached milestones."""
    config, began = planned.config, monotonic()
    if config.settle:
        raise LeagueError("The results decide how much an adaptive league plays: `settle` ends it, not until_decided.")
    for factor in (1, 2, 4, 8, 16):
        events = tuple(replace(event, deals=factor * event.deals) for event in config.events)
        planned.config = replace(config, events=events)
        summary = play(stop)
        if not summary.progress.finished:
            return
        still_open, games = undecided(all_progress(read_standings(planned.folder), config.milestones))
        if not games:
            return
        observer.notice(f"after {factor} times the deals of the config, undecided: {still_open}.")
        after = stop.after and max(stop.after - (monotonic() - began), 1e-9)
        stop = replace(stop, after=after, games=stop.games and stop.games - summary.games)


def open(folder: str | Path) -> League:  # noqa: A001 - called as league.open
    """The league whose results are in a folder."""
    return League(folder)


def read_config(
    given: str | Path | Mapping[str, Any], isolation: str | None = None, *, bots_given: bool = False
) -> Config:
    """A config from a file or a mapping, with another isolation if one is given."""
    if isinstance(given, Mapping):
        config = parse(json.dumps(given, indent=1), Path.cwd(), bots_given=bots_given)
    else:
        config = load(given)
    return config if isolation is None else replace(config, isolation=Isolation(isolation))
