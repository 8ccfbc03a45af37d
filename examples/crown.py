"""Crown: three tricks with three cards. 2 to 4 players.

A card is a number from 1 to 12. A move is the card that is played.
"""

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from league import Deal, Game, Options, Outcome, State, View, competition_ranks

PACK = tuple(range(1, 13))
HAND = 3


class CrownOptions(Options, frozen=True):
    """The choices of a game. Defaults are the usual game."""

    low_wins: bool = False
    """Whether the lowest card takes the trick, instead of the highest."""


class CrownDeal(Deal, frozen=True):
    """All chance events of a game, drawn before the first move."""

    cards: tuple[int, ...]
    """The pack as shuffled: three cards for seat 0, three for seat 1, and so on; the rest stays in the box."""


class CrownView(View, frozen=True, array_like=True, gc=False):
    """All that one seat may know; `seat` and `legal` (here its hand) are there already."""

    won: tuple[int, ...]
    """How many tricks each seat has."""
    history: tuple[tuple[int, ...], ...]
    """Every trick so far: what each seat played."""


class CrownState(State):
    """A game under way. Fields hold immutable values, and `step` sets them to new ones."""

    options: CrownOptions
    hands: tuple[tuple[int, ...], ...]
    """Everybody's cards, in ascending order."""
    box: tuple[int, ...]
    """The cards that were not dealt."""
    won: tuple[int, ...]
    history: tuple[tuple[int, ...], ...] = ()

    def view(self, seat: int) -> CrownView:
        return CrownView(seat, self.hands[seat], self.won, self.history)

    def step(self, moves: Sequence[int]) -> None:
        # One move for each seat in `turn`, here for all seats: they play at once.
        cards = tuple(moves)
        best = min(cards) if self.options.low_wins else max(cards)
        self.won = tuple(won + (card == best) for won, card in zip(self.won, cards, strict=True))
        self.hands = tuple(
            tuple(kept for kept in hand if kept != card) for hand, card in zip(self.hands, cards, strict=True)
        )
        self.history = (*self.history, cards)
        if len(self.history) == HAND:
            self.turn = ()  # it is over

    def outcome(self) -> Outcome:
        return Outcome(competition_ranks(self.won), self.won)

    def redeal(self, seat: int, rng: Random) -> None:
        # Deal again all that this seat cannot know: the cards of the others, and the box.
        others = [other for other in range(len(self.hands)) if other != seat]
        unknown = [*self.box, *(card for other in others for card in self.hands[other])]
        rng.shuffle(unknown)
        hands = list(self.hands)
        for other in others:
            size = len(hands[other])
            hands[other], unknown = tuple(sorted(unknown[:size])), unknown[size:]
        self.hands, self.box = tuple(hands), tuple(unknown)


class Crown(Game):
    """The rules."""

    name: ClassVar[str] = "crown"
    title: ClassVar[str] = "Crown"
    player_counts: ClassVar[range] = range(2, 5)
    options_type = CrownOptions
    deal_type = CrownDeal
    view_type = CrownView
    options: CrownOptions

    def deal(self, rng: Random) -> CrownDeal:
        return CrownDeal(tuple(rng.sample(PACK, len(PACK))))

    def start(self, deal: CrownDeal) -> CrownState:
        return self._lay_out([HAND] * self.players, list(deal.cards))

    def imagine(self, view: CrownView, rng: Random) -> CrownState:
        # Put what the view shows in its place and the unknown anywhere, then let redeal mix it.
        gone = {*view.legal, *(card for trick in view.history for card in trick)}
        unseen = [card for card in PACK if card not in gone]
        sizes = [0 if seat == view.seat else HAND - len(view.history) for seat in range(self.players)]
        state = self._lay_out(sizes, unseen)
        state.hands = (*state.hands[: view.seat], view.legal, *state.hands[view.seat + 1 :])
        state.won, state.history = view.won, view.history
        state.redeal(view.seat, rng)
        return state

    def _lay_out(self, sizes: Sequence[int], cards: list[int]) -> CrownState:
        hands = []
        for size in sizes:
            hands.append(tuple(sorted(cards[:size])))
            cards = cards[size:]
        return CrownState(
            turn=tuple(range(self.players)),
            options=self.options,
            hands=tuple(hands),
            box=tuple(cards),
            won=(0,) * self.players,
        )

    def label(self, move: int, view: CrownView) -> str:
        return f"plays the {move}"

    def tell(self, before: CrownState, moves: Sequence[int], after: CrownState, names: Sequence[str]) -> list[str]:
        played = ", ".join(f"{name} plays the {card}" for name, card in zip(names, moves, strict=True))
        gains = [now - then for now, then in zip(after.won, before.won, strict=True)]
        return [f"Trick {len(after.history)}: {played}. {names[gains.index(1)]} takes it."]
