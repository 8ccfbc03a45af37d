"""What `import league` offers of the solver: perfect play, and what a perfect opponent gets against a bot."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from league.api.matches import AnyBot, as_bot, load_game
from league.errors import LeagueError
from league.extensions.solver.braverats import solvable
from league.extensions.solver.braverats.exploit import GAMES, Exploitability
from league.extensions.solver.braverats.exploit import exploit as best_response
from league.extensions.solver.braverats.induction import Solution
from league.extensions.solver.braverats.solvable import is_open
from league.extensions.solver.games import Questions
from league.extensions.solver.search import GAMES as SEARCHED_GAMES
from league.extensions.solver.search import lower_bound
from league.games.braverats import BraveRats
from league.setup.roster import refuse_strangers
from league.tools.bar import counting_bar
from league.values.settings import USUAL, Isolation


def exploit(
    bot: AnyBot,
    game: str | os.PathLike[str],
    *,
    players: int | None = None,
    options: Mapping[str, object] | None = None,
    seeds: int = 32,
    games: int | None = None,
    bots_dir: str | Path = "bots",
    isolation: str = USUAL,
) -> Exploitability:
    """What a perfect opponent gets per game against a bot: 1 for a win, 0 for a draw, -1 for a loss.

    In BraveRats this is exact for bots whose choice depends on the position alone. In other games an opponent that
    knows the bot searches: a lower bound. A bot that plays at random is asked with this many `seeds`
    in each position, unless it is trusted and its random numbers can be followed. `games` are whole games against it.
    """
    rules = load_game(game, players, options)
    entrant = as_bot(bot, bots_dir)
    refuse_strangers(rules.name, [entrant], rules.players)
    searched = games or SEARCHED_GAMES
    with Questions(entrant, rules, Isolation(isolation)) as questions:
        if not is_open(rules):
            with counting_bar("playing", "games") as (on_size, on_games):
                on_size(searched)
                return Exploitability.of(lower_bound(rules, questions, searched, on_games=on_games))
        exact = solvable.exact(rules.options)
        with counting_bar("solving") as bar:
            solution = solvable.solution_of(exact, *bar)
        with counting_bar(entrant.name) as (on_size, on_asked):
            return best_response(
                *(entrant, exact, solution, questions),
                seeds=seeds,
                games=games or GAMES,
                on_size=on_size,
                on_asked=on_asked,
            )


class ExactSolution(NamedTuple):
    """A game that was solved."""

    exact: solvable.Exact
    """The game, its hands and its deal."""
    solution: Solution
    gains: tuple[float, float]
    """What the best response gains against each seat: nothing, except for rounding."""
    seconds: float
    """How long it took."""

    @property
    def value(self) -> float:
        """What seat 0 gets on average: 1 for a win, 0 for a draw, -1 for a loss."""
        return round(self.solution.value, 12) + 0.0

    @property
    def first_move(self) -> list[dict[int, float]]:
        """By seat: how often each card is played at first."""
        start = self.exact.game.start(self.exact.deal)
        return [self.solution.mixes([start], seat)[0] for seat in (0, 1)]

    def __repr__(self) -> str:
        return f"<ExactSolution of {self.exact.game.name}: value {self.value:.6f}, {self.solution.size:,} positions>"


def solve(
    game: str = "braverats", *, options: Mapping[str, object] | None = None, hands: tuple[str, str] | None = None
) -> ExactSolution:
    """Solve a game exactly, and check the solution by its best response. BraveRats can be solved.

    `hands` are those at the start, by the values of their cards, such as ("0246", "1357").
    """
    rules = load_game(game, None, options)
    if not isinstance(rules, BraveRats):
        raise LeagueError(
            f"{rules.name} cannot be solved exactly; braverats can. `league solve GAME BOT` takes any game."
        )
    read = (solvable.read_hand(hands[0]), solvable.read_hand(hands[1])) if hands else None
    exact = solvable.exact(rules.options, read)
    began = perf_counter()
    with counting_bar("solving") as bar:
        solution = solvable.solution_of(exact, *bar)
    seconds = perf_counter() - began
    with counting_bar("checking"):
        gains = solvable.gains(exact, solution)
    if max(gains) >= 1e-6:
        raise LeagueError(f"The solution does not hold: its best response gains {max(gains):.1e}. Report this bug.")
    return ExactSolution(exact, solution, gains, seconds)
