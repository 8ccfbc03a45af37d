"""Duels: two bots play until it is settled which one is better."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from league.analysis.duel import Duel, DuelObserver, DuelResult, others_wanted
from league.analysis.opponents import Opponents, strongest
from league.api.bots import AnyBot, as_bot, as_bots
from league.api.tables import load_game
from league.play.executors import Stopping, default_workers
from league.rating.sequential import SequentialTest
from league.setup.roster import told_apart
from league.values.settings import Config, Contest, Isolation, Limits

NEVER: AbstractContextManager[Stopping] = nullcontext(lambda: False)
RESULTS = Path("results")


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
    smallest: float = 0.04,
    deals: int = 100_000,
    seed: int | None = None,
    workers: int | None = None,
    results: str | Path | None = None,
    bots_dir: str | Path = "bots",
    isolation: str = Isolation.SANDBOX,
    on_seated: Callable[[str], None] = lambda _: None,
    on_round: DuelObserver = lambda _: None,
    stopping: AbstractContextManager[Stopping] = NEVER,
) -> DuelResult:
    """Play A and B until it is settled which one is better, or that they differ by less than `smallest`.

    At tables of three and more, `others` sit with A and with B in turn, so that these never meet; if they are
    `together`, both sit at one table. Left out, the others are the best bots that leagues in `results` have rated.
    With `results`, the games are kept there and the same call goes on where it stopped; otherwise they are discarded.
    `on_seated` gets a sentence on who the others are, `on_round` the test after each round.
    """
    rules = load_game(game, players, options)
    contest = Contest.of(rules)
    first, second = as_bot(a, bots_dir), as_bot(b, bots_dir)
    count = others_wanted(rules.players, together=together)
    names = (first.name, second.name)
    if others is None:
        opponents = strongest(contest, count, Path(results or RESULTS), bots_dir, names) if count else Opponents([], "")
    else:
        opponents = Opponents(told_apart(as_bots(others, bots_dir), names), "")
    name = f"{first.name}-vs-{second.name}-{contest.key}{'-together' if together else ''}"
    config = Config(name, (), Path.cwd(), (), seed=seed, isolation=Isolation(isolation), limits=Limits())
    with ExitStack() as stack:
        place = Path(stack.enter_context(TemporaryDirectory())) if results is None else Path(results) / "duels"
        fought = Duel(first, second, opponents.bots, contest, config, place / name, together=together)
        if opponents.reason:
            on_seated(opponents.reason)
        test = SequentialTest(alpha, beta, smallest / 2)  # a lead of 0.04 is a score of 0.52 against 0.48
        stop = stack.enter_context(stopping)
        outcome = fought.play(test, deals, workers or default_workers(), on_round, stop)
    return outcome._replace(folder=None) if results is None else outcome
