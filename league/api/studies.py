"""Questions about bots (which is better, what another version would do) and leagues."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from league.analysis.blunders import GAMES as BLUNDER_GAMES
from league.analysis.blunders import BlunderSearch, search
from league.analysis.rematch import parse_address, series_at
from league.analysis.what_if import Effect, Retry, effects, retries, verdict
from league.api.duel import SMALLEST_LEAD, Duel, DuelResult, lead_text, others_wanted, strongest
from league.api.matches import AnyBot, as_bot, as_bots, executor_for, load_game, seconds_of_run
from league.errors import LeagueError
from league.play.executors import Stopping
from league.rating.sequential import SequentialTest
from league.results.find import Ended, Query, SortBy, count, find, top
from league.results.games import FoundGame
from league.results.recorded import load_rules
from league.results.store import Store
from league.setup.roster import told_apart
from league.tools.bar import counting_bar, games_bar, reach
from league.tools.system import cores
from league.tools.text import safe
from league.values.settings import USUAL, Config, Contest, Counting, Isolation, Limits, Stop

NEVER: AbstractContextManager[Stopping] = nullcontext(lambda: False)


def duel(
    a: AnyBot,
    b: AnyBot,
    *,
    game: str | os.PathLike[str],
    players: int | None = None,
    others: Sequence[AnyBot] | None = None,
    together: bool = False,
    options: Mapping[str, object] | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    smallest: float | None = None,
    count: Literal["games", "points"] | None = None,
    deals: int = 100_000,
    seed: int | None = None,
    for_: float | str | None = None,
    workers: int | None = None,
    scheduler: str | Path | None = None,
    results: str | Path | None = None,
    bots_dir: str | Path = "bots",
    isolation: str = USUAL,
    progress: bool | None = None,
    stopping: AbstractContextManager[Stopping] = NEVER,
) -> DuelResult:
    """Play A and B until it is settled which one is better, or that they differ by less than `smallest`.

    What counts are place scores, or with `count` or a game that says so the points; `smallest` is a lead in them. Left
    out it is 0.04 in place scores, or, in points, as small compared with the luck of one game.

    At tables of three and more, `others` sit with A and with B in turn, so that these never meet; if they are
    `together`, both sit at one table. Left out, the others are the best bots that leagues in `results` have rated.
    With `results`, the games are kept there and the same call goes on where it stopped; otherwise they are discarded.
    `for_` and `scheduler` are those of `league.run`: how long it may take, and the Dask cluster that plays.
    `progress` shows a bar with the lead so far; by default only in a terminal.
    """
    rules = load_game(game, players, options)
    contest = Contest.of(rules)
    counts: Counting = count or ("points" if rules.counts == "points" else "games")
    if smallest is not None and smallest >= 1 and counts == "games":
        raise LeagueError(f"The smallest lead that matters: expected less than 1, in mean score, found {smallest:g}.")
    first, second = as_bot(a, bots_dir), as_bot(b, bots_dir)
    names = (first.name, second.name)
    wanted = others_wanted(rules.players, together=together)
    opponents, reason = told_apart(as_bots(others or (), bots_dir), names), ""
    if others is None and wanted:
        opponents, reason = strongest(contest, wanted, Path(results or "results"), bots_dir, names)
    name = f"{first.name}-vs-{second.name}-{contest.key}{'-together' if together else ''}"
    config = Config(name, (), Path.cwd(), (), seed=seed, isolation=Isolation(isolation), limits=Limits())
    with ExitStack() as stack:
        place = Path(stack.enter_context(TemporaryDirectory())) if results is None else Path(results) / "duels"
        fought = Duel(
            *(first, second, opponents, contest, config, place / name),
            together=together,
            count=counts,
            smallest=smallest,
        )
        lead = SMALLEST_LEAD if smallest is None or counts == "points" else smallest
        test = SequentialTest(alpha, beta, lead / 2)  # a lead of 0.04 is a score of 0.52 against 0.48
        stop = stack.enter_context(stopping)
        look = f"{safe(first.name)} minus {safe(second.name)}"
        bar = stack.enter_context(games_bar(None, shown=progress, desc=look, unit=" deals", leave=False))

        def on_round(test: SequentialTest) -> None:
            bar.set_postfix_str(lead_text(test), refresh=False)
            reach(bar, test.deals)

        outcome = fought.play(
            *(test, deals, workers or cores(), on_round, stop),
            executor=executor_for((first, second, *opponents), "local", scheduler),
            stop=Stop(after=seconds_of_run(for_)),
        )
    return outcome._replace(seated=reason, folder=None if results is None else outcome.folder)


class WhatIfResult(NamedTuple):
    """Games that were played again with another version of a bot; its text is the verdict."""

    games: Sequence[Retry]
    contests: Sequence[Effect]
    """What the new version changes, contest by contest."""
    verdict: str
    """Whether the new version does better, in one or two sentences."""

    def __str__(self) -> str:
        return self.verdict

    def __repr__(self) -> str:
        return f"<WhatIfResult: {self.verdict}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.verdict)}</p>"


def what_if(
    folder: str | Path,
    bot: str,
    version: AnyBot,
    *,
    address: str | None = None,
    against: str | None = None,
    game: str | None = None,
    ended: Ended | None = None,
    fault: bool = False,
    worst: int | None = None,
    closest: int | None = None,
    games: int = 200,
    bots_dir: str | Path = "bots",
    isolation: str = USUAL,
) -> WhatIfResult:
    """Play games of the league in a folder again with another version of one of its bots, and compare.

    With an `address`, that game: same deal, seats, opponents and random numbers. Otherwise at most `games`, spread
    evenly over all games of the bot, or over those that `against`, `game`, `ended` and `fault` choose, as `league find`
    does; or the N `worst` or `closest` ones of each contest.
    """
    wanted = Query(bot, against, game, ended, fault)
    order = _order(worst, closest)
    replacement = as_bot(version, bots_dir)
    shown = safe(str(version) if isinstance(version, str | os.PathLike) else replacement.name)
    by_result = bool(wanted.ended or wanted.fault or order)
    with Store.open(Path(folder)) as store:
        wanted.check(store)
        chosen = [_game_of(store, bot, address)] if address else _sample(store, wanted, order, games)
        if not chosen:
            return WhatIfResult((), (), f"There are no {wanted}.")
        played = []
        with counting_bar("playing again", "games") as (on_size, on_games):
            on_size(len(chosen))
            for retry in retries(store, bot, replacement, chosen, Isolation(isolation)):
                played.append(retry)
                on_games(1)
    return WhatIfResult(played, effects(played), verdict(played, shown, chosen_by_result=by_result))


def blunders(
    folder: str | Path,
    bot: str,
    *,
    against: str | None = None,
    game: str | None = None,
    ended: Ended | None = None,
    fault: bool = False,
    worst: int | None = None,
    closest: int | None = None,
    games: int = BLUNDER_GAMES,
    limit: int = 20,
) -> BlunderSearch:
    """The decisions of a bot after which its chance to win fell most, with moves that would have been better.

    At most `games` are looked at, which are chosen as by `what_if`. Of the result, `blunders` has at most `limit`
    decisions, the largest `loss` first. They follow from the stored moves and random playouts: no bot runs.
    """
    wanted = Query(bot, against, game, ended, fault)
    order = _order(worst, closest)
    with Store.open(Path(folder)) as store:
        wanted.check(store)
        load_rules(store)
        chosen = _sample(store, wanted, order, games)
        return search(store, bot, chosen, len(chosen) if order else count(store, wanted), limit)


def _game_of(store: Store, bot: str, address: str) -> FoundGame:
    """The game at an address, in which the bot must have played."""
    parsed = parse_address(address)
    game = store.game_at(series_at(store, parsed), parsed.deal)
    if game is None:
        raise LeagueError(f"{safe(address)} was not played yet.")
    if bot not in game.bots:
        raise LeagueError(f"{safe(bot)} does not play in {safe(address)}.")
    return game


def _order(worst: int | None, closest: int | None) -> tuple[SortBy, int] | None:
    """Which games come first, and how many of each contest; None: all in canonical order."""
    return ("worst", worst) if worst else ("closest", closest) if closest else None


def _sample(store: Store, query: Query, order: tuple[SortBy, int] | None, most: int) -> Sequence[FoundGame]:
    """At most `most` of the games that are wanted, spread evenly."""
    if order is not None:
        return top(store, query, *order)[:most]
    total = count(store, query)
    return [game for number, game in enumerate(find(store, query)) if number * most % total < most]
