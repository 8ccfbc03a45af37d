"""Leagues from Python: play one, open one that was played, and look at its results as tables."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from contextlib import closing
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from league.analysis.rematch import parse_address, play_again
from league.api import run as api
from league.api.bots import AnyBot, as_bots, with_more
from league.api.chart import rating_chart
from league.api.tables import PlayedGame
from league.errors import LeagueError
from league.play.executors.specs import DaskSpec, executor_spec
from league.play.run import LeagueRun, Preview, Summary
from league.results.compare import Comparison, compare
from league.results.csvs import boards_frame, head_to_head_frame
from league.results.export import frame
from league.results.lock import last_change
from league.results.queries import Ended, Query, find
from league.results.standings import Standings
from league.results.store import Store
from league.setup.config import load, parse
from league.tools.bar import GamesBar
from league.values.block import BlockResult
from league.values.settings import Config, Isolation

if TYPE_CHECKING:
    from pandas import DataFrame

FAULT_COLUMNS = ("bot", "kind", "cause", "address")


class League:
    """A league's results, as they are in its folder at each call. A notebook shows its ratings."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        with Store.open(self.folder) as store:
            self.name = store.meta("league")
        self._read: tuple[float, Standings] | None = None

    def standings(self, game: str | None = None) -> DataFrame:
        """The standings, best first: of all contests together, or of one game or contest ('raj', 'raj-2p')."""
        standings = self._standings()
        if game is None:
            return boards_frame({"overall": standings.overall})
        boards = {one.contest.key: one.lines for one in standings.chosen(game)}
        return boards_frame(boards, points=True)

    def head_to_head(self) -> DataFrame:
        """How every bot did against every other one, contest by contest."""
        return head_to_head_frame(self._standings()).astype({"p_value": float})

    def games(
        self,
        *,
        bot: str | None = None,
        against: str | None = None,
        game: str | None = None,
        ended: Ended | None = None,
        fault: bool = False,
    ) -> DataFrame:
        """How games ended, a row for each seat: of all games, or of those that `league find` would list."""
        query = Query(bot=bot, against=against, game=game, ended=ended, fault=fault)
        with Store.open(self.folder) as store:
            return frame(find(store, query))

    def faults(self, bot: str | None = None) -> DataFrame:
        """What bots did wrong, a row for each fault."""
        import pandas as pd

        with Store.open(self.folder) as store:
            rows = [[getattr(fault, name) for name in FAULT_COLUMNS] for fault in store.faults(bot)]
        return pd.DataFrame(rows, columns=list(FAULT_COLUMNS))

    def compare(self, a: str, b: str) -> Comparison:
        """Whether one bot is really better than another; printed, it is what `league compare` prints."""
        return compare(self._standings(), a, b)

    def replay(self, address: str, *, isolation: str = Isolation.SANDBOX) -> PlayedGame:
        """The game at an address such as 'raj-2p:ann+bob:17.1', played again."""
        with Store.open(self.folder) as store:
            return PlayedGame(play_again(store, parse_address(address), Isolation(isolation)), address)

    @property
    def notices(self) -> list[str]:
        """Warnings about the results, a sentence each."""
        return list(self._standings().notices)

    def __repr__(self) -> str:
        return f"<League {self.name!r} in {self.folder}>"

    def _repr_html_(self) -> str:
        notices = "".join(f"<li>{escape(text)}</li>" for text in self.notices)
        return f"<h3>{escape(self.name)}</h3>{rating_chart(self._standings().overall)}<ul>{notices}</ul>"

    def _standings(self) -> Standings:
        """Made anew if the folder has changed."""
        now = last_change(self.folder)
        if self._read is None or self._read[0] != now:
            self._read = now, api.read_standings(self.folder)
        return self._read[1]


def run(
    config: str | Path | Mapping[str, Any],
    *,
    bots: Iterable[AnyBot] | Mapping[str, AnyBot] = (),
    results: str | Path = "results",
    workers: int | None = None,
    executor: str = "local",
    scheduler: str | None = None,
    isolation: str | None = None,
    strict: bool = False,
    progress: bool | None = None,
) -> League:
    """Play what is missing of a league, write its standings, and return its results.

    `config` is a file, or the content of one as a mapping. `bots` are additional bots: names, paths, classes or
    functions; classes and functions run in processes forked from this one, and their games are played anew each time.
    A bot that cannot be loaded is left out, with a notice; `strict` raises instead. `progress` shows a bar; by default
    only in a terminal and in a notebook. `scheduler` is the address of a Dask cluster that plays.
    """
    more = as_bots(bots)
    spec = DaskSpec(scheduler) if scheduler else executor_spec(executor)
    if not spec.plays_objects and any(bot.language == "object" for bot in more):
        raise LeagueError("Classes and functions play in processes of this machine only: use executor='local'.")
    planned = LeagueRun(_config(config, isolation, bots_given=bool(more)), Path(results))
    planned.leave_out_broken(strict=strict)
    planned.roster = with_more(planned.roster, more)
    with closing(_Bar(progress)) as bar:
        api.run(planned, workers=workers, executor=spec, spectator=bar)
    return League(planned.folder)


def open(folder: str | Path) -> League:  # noqa: A001 - called as league.open
    """The league whose results are in a folder."""
    return League(folder)


def _config(given: str | Path | Mapping[str, Any], isolation: str | None, *, bots_given: bool) -> Config:
    if isinstance(given, Mapping):
        config = parse(json.dumps(given, indent=1), Path.cwd(), bots_given=bots_given)
    else:
        config = load(given)
    return config if isolation is None else replace(config, isolation=Isolation(isolation))


class _Bar:
    """Shows how far a run is."""

    def __init__(self, shown: bool | None) -> None:
        watched = sys.stderr.isatty() or "ipykernel" in sys.modules
        self._shown = watched if shown is None else shown
        self._bar: GamesBar | None = None
        self._games = 0

    def planned(self, preview: Preview) -> None:
        self._bar = GamesBar(preview.all_games, shown=self._shown, smoothing=0.1)

    def replanned(self, preview: Preview) -> None:
        if self._bar is not None:
            self._bar.expect(None if preview.all_games is None else self._games + preview.all_games)

    def played(self, result: BlockResult) -> None:
        self._games += result.block.games
        if self._bar is not None:
            self._bar.played(result.block.games)

    def watched(self, standings: Standings) -> None:
        pass

    def notice(self, line: str) -> None:
        if self._shown:
            print(f"league: {line}", file=sys.stderr)

    def ended(self, summary: Summary) -> None:
        self.close()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
