"""Kuhn poker: three cards, two players, one bet. What counts are chips, not pots.

Both pay one chip and get a card: 1, 2 or 3. A move is 0 (check, or fold after a bet) or 1 (bet one chip, or call).
"""

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from league import Deal, Game, Outcome, State, View, competition_ranks

PACK = (1, 2, 3)
PASS, BET = 0, 1
ENDINGS = {(PASS, PASS), (PASS, BET, PASS), (PASS, BET, BET), (BET, PASS), (BET, BET)}


class KuhnDeal(Deal, frozen=True):
    """The cards."""

    cards: tuple[int, int]
    """By seat."""


class KuhnView(View, frozen=True, array_like=True, gc=False):
    """What one player knows."""

    card: int
    history: tuple[int, ...]
    """All moves so far."""
    shown: tuple[int, ...]
    """Both cards, after a showdown."""


class KuhnState(State):
    """A game under way."""

    cards: tuple[int, int]
    history: tuple[int, ...] = ()

    def view(self, seat: int) -> KuhnView:
        legal = (PASS, BET) if seat in self.turn else ()
        return KuhnView(seat, legal, self.cards[seat], self.history, () if self.turn or self._folded else self.cards)

    def step(self, moves: Sequence[int]) -> None:
        self.history = (*self.history, *moves)
        self.turn = () if self.history in ENDINGS else (1 - self.turn[0],)

    @property
    def _folded(self) -> bool:
        return self.history[-2:] == (BET, PASS)

    def outcome(self) -> Outcome:
        winner = len(self.history) % 2 if self._folded else self.cards.index(max(self.cards))
        chips = 2 if self.history[-2:] == (BET, BET) else 1
        scores = (chips, -chips) if winner == 0 else (-chips, chips)
        return Outcome(competition_ranks(scores), scores)

    def redeal(self, seat: int, rng: Random) -> None:
        if self.turn or self._folded:
            other = rng.choice([card for card in PACK if card != self.cards[seat]])
            self.cards = (self.cards[0], other) if seat == 0 else (other, self.cards[1])


class Kuhn(Game):
    """The rules."""

    name: ClassVar[str] = "kuhn"
    title: ClassVar[str] = "Kuhn poker"
    player_counts: ClassVar[range] = range(2, 3)
    deal_type = KuhnDeal
    view_type = KuhnView
    counts = "points"
    points_range = (-2, 2)

    def deal(self, rng: Random) -> KuhnDeal:
        first, second = rng.sample(PACK, 2)
        return KuhnDeal((first, second))

    def start(self, deal: KuhnDeal) -> KuhnState:
        return KuhnState((0,), deal.cards)

    def imagine(self, view: KuhnView, rng: Random) -> KuhnState:
        turn = () if view.history in ENDINGS else (len(view.history) % 2,)
        other = next(card for card in PACK if card != view.card)
        cards = (view.card, other) if view.seat == 0 else (other, view.card)
        state = KuhnState(turn, view.shown or cards, view.history)  # type: ignore[arg-type]
        state.redeal(view.seat, rng)
        return state

    def label(self, move: int, view: KuhnView) -> str:
        bet_before = view.history[-1:] == (BET,)
        return ("folds", "calls")[move] if bet_before else ("checks", "bets")[move]

    def opening(self, state: KuhnState, names: Sequence[str]) -> list[str]:
        return [f"{name} gets the {card}." for name, card in zip(names, state.cards, strict=True)]

    def tell(self, before: KuhnState, moves: Sequence[int], after: KuhnState, names: Sequence[str]) -> list[str]:
        seat = before.turn[0]
        return [f"{names[seat]} {self.label(moves[0], before.view(seat))}."]
