"""A lower bound at BraveRats for bots that take too long to be asked in every position.

The opponent asks the bot only in positions that come up, finds out how often it plays each card there, and plays the
card that is worth most if both play perfectly afterwards. With exact frequencies it would get at least what
perfect play gets, and more wherever the bot errs; they are estimated from seeds. A perfect opponent would also look for
positions in which the bot errs later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from league.extensions.solver.braverats.best_response import FAULT, Mix, identity
from league.extensions.solver.braverats.exploit import Strategy, deals_of, worth
from league.extensions.solver.braverats.induction import Solution
from league.extensions.solver.braverats.solvable import Exact
from league.extensions.solver.games import Estimate, estimate, play
from league.extensions.solver.questions import Questions
from league.games.braverats.rules import BraveRatsState
from league.tools.seeds import Seeds

TOGETHER = 16
"""Games that are played at the same time: the bot is asked for all of them at once."""


def punished(
    exact_game: Exact,
    solution: Solution,
    questions: Questions,
    *,
    seeds: int,
    games: int,
    on_games: Callable[[int], None] | None = None,
) -> Estimate:
    """What the opponent gets per game, at both seats in turn."""
    punisher = Punisher(Strategy(questions, seeds, follows=False), solution)
    deals = [(deal, seat) for deal in deals_of(exact_game) for seat in (0, 1)]
    results: list[float] = []
    while len(results) < games:
        chosen = [deals[index % len(deals)] for index in range(len(results), min(games, len(results) + TOGETHER))]
        starts = [(exact_game.game.start(deal), seat) for deal, seat in chosen]
        results += play(questions, starts, punisher.respond, Seeds(len(results), "exploit", "punish"))
        if on_games:
            on_games(len(chosen))
    return estimate(results)


class Punisher:
    """The opponent."""

    def __init__(self, strategy: Strategy, solution: Solution) -> None:
        self._strategy, self._solution = strategy, solution
        self._known: dict[object, int] = {}

    def respond(self, states: Sequence[BraveRatsState], seats: Sequence[int]) -> list[int]:
        """Its card in each state."""
        for seat in (0, 1):
            new = {
                (identity(state), state.cards, seat): state
                for state, own in zip(states, seats, strict=True)
                if own == seat and (identity(state), state.cards, seat) not in self._known
            }
            at_once = [state for state in new.values() if len(state.turn) == 2]
            mixes = iter(self._strategy.mixes(at_once, 1 - seat))
            for key, state in new.items():
                self._known[key] = self._best(state, seat, next(mixes) if len(state.turn) == 2 else {})
        return [self._known[identity(state), state.cards, seat] for state, seat in zip(states, seats, strict=True)]

    def _best(self, state: BraveRatsState, seat: int, mix: Mix) -> int:
        """The card that is worth most against what the bot plays at the same time, if it does."""
        return max(state.legal(seat), key=lambda card: self._worth(state, seat, card, mix))

    def _worth(self, state: BraveRatsState, seat: int, card: int, mix: Mix) -> float:
        if not mix:
            return self._after(state, seat, [card])
        return sum(
            often * (self._after(state, seat, [card, other] if seat == 0 else [other, card]) if other != FAULT else 1.0)
            for other, often in mix.items()
        )

    def _after(self, state: BraveRatsState, seat: int, moves: Sequence[int]) -> float:
        following = state.copy()
        following.step(moves)
        return worth(following, seat, self._solution)
