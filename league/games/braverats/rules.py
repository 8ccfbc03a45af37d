"""BraveRats: two clans of rats fight for the crown, one card against one card. By Seiji Kanai, 2 players.

Both have the same eight characters and play one at once. The higher value wins the round, unless a power says
otherwise; four rounds won win the game. `docs/rules/braverats.md` describes all of it, with all seven variants.

A card is its value, 0 to 7, and the Mime is 8; a move is the card that is played or, in the draft, taken.
Two equal cards, one of each clan, are the same card: a hand shows both, `legal` holds the value once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from random import Random
from typing import ClassVar, Literal

import msgspec

from league.games.contract import (
    Bounded,
    Deal,
    Encoding,
    Every,
    Game,
    Options,
    Outcome,
    Shape,
    State,
    UpTo,
    View,
    competition_ranks,
    each,
)

Cards = tuple[int, ...]
Pair = tuple[int, int]
Both = tuple[Cards, Cards]
Draft = tuple[tuple[Cards, ...], Cards]
"""The packets of a draft as dealt, and the cards taken so far, in order."""

MUSICIAN, PRINCESS, SPY, ASSASSIN, AMBASSADOR, WIZARD, GENERAL, PRINCE, MIME = range(9)
NAMES = ("Musician", "Princess", "Spy", "Assassin", "Ambassador", "Wizard", "General", "Prince", "Mime")
VALUES = (0, 1, 2, 3, 4, 5, 6, 7, 5)
"""By card; a Mime with nothing to copy is a 5 without power."""
CLAN = tuple(range(8))
BOTH_CLANS = tuple(sorted(CLAN * 2))
GENERAL_BONUS = 2
HAND = 3
"""Cards in hand with `deck`."""
PACKET = 4
"""Cards in a packet of the draft."""
EMPEROR_GAMES = 3
NOBODY = -1
NO_CARD = -1
NONE: Pair = (NO_CARD, NO_CARD)


class BraveRatsOptions(Options, frozen=True):
    """The choices of a game of BraveRats."""

    deal: Literal["standard", "random", "draft", "princess_attack"] = "standard"
    """Everybody their clan; all 16 cards dealt at random; drafted; or one Prince changed for the other's Princess."""
    traitor: bool = False
    """After the deal each gives the other one card at random."""
    deck: bool = False
    """Everybody shuffles their cards into a pile, holds three, and draws one after playing one."""
    quick: bool = False
    """Three rounds won win the game, instead of four."""
    emperor: bool = False
    """Up to three games; most games won."""
    mime: bool = False
    """Each hand gets a Mime as its ninth card."""

    def check(self, players: int) -> None:
        if self.traitor and self.deal == "draft":
            raise ValueError(
                "traitor cannot go with deal: draft, since a card given away at random would undo what was chosen; "
                "take one of the two."
            )

    @property
    def target(self) -> int:
        """Rounds that win a game."""
        return 3 if self.quick else 4


class StartingCards(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The chance of one game; what the options do not use is empty."""

    hands: tuple[Cards, ...] = ()
    """What each seat is dealt, before a traitor and without the Mime; empty with a draft."""
    gives: Cards = ()
    """With a traitor: the card that each seat gives the other."""
    packets: tuple[Cards, ...] = ()
    """With a draft: four packets of four cards; packet k is opened by seat k mod 2."""
    orders: tuple[Cards, ...] = ()
    """With decks: for each seat, which of its cards in ascending order (0 is the first) lies where, from the top."""


class BraveRatsDeal(Deal, frozen=True):
    """The chance of a playing of BraveRats."""

    games: tuple[StartingCards, ...]
    """One game, or three with an emperor (the third may not be needed)."""


class BraveRatsRound(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One round that is over."""

    cards: Pair
    """What each seat played."""
    acted: Pair
    """The same, but a Mime is the card that it copied (and stays a Mime if there was none)."""
    winner: int
    """The seat that won the round, or -1 if it was put on hold."""
    crowns: int
    """Rounds that the winner was credited with: 0 if it was put on hold."""


class Packet(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One packet of the draft, as one seat knows it."""

    opener: int
    """The seat that took the first and the third card; the other took the second and the fourth."""
    cards: Cards
    """What it held when this seat first saw it: 4 for the opener, 3 for the other, none before it was passed."""
    takes: Cards
    """The cards taken so far, in order; -1 for the one that this seat could not see."""


class PastGame(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One game of an emperor's three that is over."""

    cards: Both
    """What each seat began with."""
    gave: Pair
    """What each seat gave to the other as a traitor, or -1."""
    packets: tuple[Packet, ...]
    """Its draft, packet by packet, as this seat knows it."""
    history: tuple[BraveRatsRound, ...]
    winner: int
    """-1 for a draw."""


class BraveRatsView(View, frozen=True, array_like=True, gc=False):
    """What one seat sees of a game of BraveRats. Seat by seat means (seat 0, seat 1)."""

    hand: Cards
    """Own cards in ascending order; an equal pair shows twice. In the draft: what was taken so far."""
    scores: Pair
    """Rounds won in this game, seat by seat."""
    on_hold: int
    """Rounds on hold: they go to the winner of the next round that is won."""
    bonus: Pair
    """What is added to the value of the next card, seat by seat: 2 after a General, else 0."""
    spy: int
    """The seat whose Spy makes the other choose first in this round, or -1."""
    shown: int
    """The card that the other had to show to the spy, or -1 if none is shown."""
    history: tuple[BraveRatsRound, ...]
    """Every round of this game so far."""
    piles: Pair
    """Cards in each seat's own draw pile (0 without `deck`)."""
    cards: Both
    """What each seat began this game with, in ascending order: all know it. Empty while the draft is under way."""
    gave: Pair
    """With a traitor: the card that each seat gave to the other, else -1."""
    packets: tuple[Packet, ...]
    """The draft of this game so far, packet by packet, as this seat knows it."""
    games_won: Pair
    """Games won so far, seat by seat, this one included when it is over."""
    earlier: tuple[PastGame, ...]
    """With an emperor: the games before this one."""

    @property
    def opponent(self) -> int:
        """The other seat."""
        return 1 - self.seat

    @property
    def drafting(self) -> bool:
        """Whether the draft is still under way, so that a move takes a card."""
        return not self.cards[0]

    @property
    def game(self) -> int:
        """Number of this game, from 1."""
        return len(self.earlier) + 1

    @property
    def remaining(self) -> Both:
        """The cards that each seat has not played yet, in hand and pile together: all know them."""
        return remaining(self.cards, self.history, self.spy, self.shown)

    @property
    def opponent_cards(self) -> Cards:
        """The cards that the opponent has not played yet: exactly its hand, unless some are still in its pile."""
        return self.remaining[1 - self.seat]

    @property
    def pile(self) -> Cards:
        """The cards in this seat's pile, in ascending order: known, but not when they come."""
        return _minus(self.remaining[self.seat], self.hand)

    @property
    def given(self) -> int:
        """The card given away as a traitor, or -1."""
        return self.gave[self.seat]

    @property
    def got(self) -> int:
        """The card that the other's traitor brought, or -1."""
        return self.gave[1 - self.seat]

    @property
    def packet(self) -> Cards:
        """The packet of the draft on the table as this seat knows it: to take from, or with the opponent now."""
        last = self.packets[-1] if self.packets else Packet(NOBODY, (), ())
        return _minus(last.cards, [card for card in last.takes if card != NO_CARD])


class Bout(msgspec.Struct, frozen=True, gc=False):
    """A round that was fought, and what follows from it."""

    past: BraveRatsRound
    gains: Pair
    """Rounds that each seat is credited with."""
    on_hold: int
    """Rounds on hold after it."""
    wins_game: bool = False
    bonus: Pair = (0, 0)
    """For the next card of each seat."""
    spy: int = NOBODY
    """Who spies in the next round."""

    @property
    def winner(self) -> int:
        """-1: the round is put on hold."""
        return self.past.winner


@cache  # there are few different ones, and all games are made of them
def fight(cards: Pair, bonus: Pair = (0, 0), on_hold: int = 0, acted: Pair | None = None) -> Bout:
    """A round with these cards, after a General's bonus and with some rounds on hold; with a Mime, as they acted."""
    acted = acted or cards
    values = VALUES[acted[0]] + bonus[0], VALUES[acted[1]] + bonus[1]
    # A Wizard cancels the power opposite; two of them cancel each other.
    powers = [NO_CARD if acted[1 - seat] == WIZARD else acted[seat] for seat in (0, 1)]
    wins_game = PRINCESS in powers and PRINCE in powers
    if MUSICIAN in powers:
        # A Musician puts the round on hold and overrides the power opposite.
        return Bout(BraveRatsRound(cards, acted, NOBODY, 0), (0, 0), on_hold + 1)
    if wins_game:
        # A Princess against a Prince wins the game.
        winner = powers.index(PRINCESS)
    elif powers.count(PRINCE) == 1:
        # A Prince wins the round against anything else; two of them compare values.
        winner = powers.index(PRINCE)
    elif values[0] == values[1]:
        winner = NOBODY
    else:
        # The higher value wins; with an Assassin, the lower.
        winner = int((values[1] > values[0]) != (ASSASSIN in powers))
    crowns = 0 if winner == NOBODY else on_hold + (2 if powers[winner] == AMBASSADOR else 1)
    return Bout(
        past=BraveRatsRound(cards, acted, winner, crowns),
        gains=(crowns, 0) if winner == 0 else (0, crowns),
        on_hold=on_hold + 1 if winner == NOBODY else 0,
        wins_game=wins_game,
        bonus=(GENERAL_BONUS * (powers[0] == GENERAL), GENERAL_BONUS * (powers[1] == GENERAL)),
        spy=powers.index(SPY) if powers.count(SPY) == 1 else NOBODY,
    )


def unmask(cards: Pair, history: Sequence[BraveRatsRound]) -> Pair:
    """The cards, each Mime become what the opponent's card was in the round before: itself, if there was none."""
    if MIME not in cards or not history:
        return cards
    before = history[-1].acted
    return before[1] if cards[0] == MIME else cards[0], before[0] if cards[1] == MIME else cards[1]


def remaining(cards: Both, history: Sequence[BraveRatsRound], spy: int, shown: int) -> Both:
    """What is left of the cards that both began with."""
    played = [[past.cards[seat] for past in history] for seat in (0, 1)]
    if shown != NO_CARD:
        played[1 - spy].append(shown)
    return _minus(cards[0], played[0]), _minus(cards[1], played[1])


def draw_setup(options: BraveRatsOptions, rng: Random) -> StartingCards:
    """Draw the chance of one game."""
    hands: tuple[Cards, ...] = (CLAN, CLAN)
    packets: tuple[Cards, ...] = ()
    if options.deal in ("random", "draft"):
        cards = _shuffled(BOTH_CLANS, rng)
        if options.deal == "random":
            hands = tuple(sorted(cards[:8])), tuple(sorted(cards[8:]))
        else:
            hands, packets = (), tuple(cards[first : first + PACKET] for first in range(0, len(cards), PACKET))
    elif options.deal == "princess_attack":
        princes = (*_minus(CLAN, (PRINCESS,)), PRINCE)
        princesses = tuple(sorted((*_minus(CLAN, (PRINCE,)), PRINCESS)))
        hands = (princes, princesses) if rng.random() < 0.5 else (princesses, princes)
    gives = tuple(rng.choice(hand) for hand in hands) if options.traitor else ()
    size = len(CLAN) + options.mime
    orders = tuple(_shuffled(tuple(range(size)), rng) for _ in (0, 1)) if options.deck else ()
    return StartingCards(hands, gives, packets, orders)


def taker(take: int) -> int:
    """The seat that makes a take of the draft, counted from 0."""
    return (take // PACKET + take) % 2


def seen_packets(seat: int, packets: Sequence[Cards], takes: Cards) -> tuple[Packet, ...]:
    """What one seat knows of the draft so far."""
    seen = []
    for number, cards in enumerate(packets[: len(takes) // PACKET + 1]):
        opener = number % 2
        taken = takes[number * PACKET : (number + 1) * PACKET]
        if opener == seat:
            seen.append(Packet(opener, tuple(sorted(cards)), taken))
        elif taken:
            seen.append(Packet(opener, _minus(sorted(cards), taken[:1]), (NO_CARD, *taken[1:])))
        else:
            seen.append(Packet(opener, (), ()))
    return tuple(seen)


def redeal_draft(seat: int, packets: Sequence[Cards], takes: Cards, rng: Random) -> Draft:
    """Change the cards of a draft that a seat has not seen among each other."""
    dealt = [list(packet) for packet in packets]
    drawn = list(takes)
    hidden = []
    for number, packet in enumerate(dealt):
        first = number * PACKET
        if len(drawn) < first or (len(drawn) == first and number % 2 != seat):
            hidden += [(number, position) for position in range(PACKET)]
        elif number % 2 != seat:
            hidden.append((number, packet.index(drawn[first])))
    cards = _shuffled(tuple(dealt[number][position] for number, position in hidden), rng)
    for (number, position), card in zip(hidden, cards, strict=True):
        dealt[number][position] = card
        if number % 2 != seat and number * PACKET < len(drawn):
            drawn[number * PACKET] = card
    return tuple(tuple(packet) for packet in dealt), tuple(drawn)


def _with_drafts(seat: int, games: Sequence[PastGame], drafts: Sequence[Draft]) -> tuple[PastGame, ...]:
    """The games as a seat knows them if they had these drafts."""
    return tuple(
        [
            msgspec.structs.replace(game, packets=seen_packets(seat, *draft))
            for game, draft in zip(games, drafts, strict=True)
        ]
    )


class BraveRatsState(State):
    """A game of BraveRats under way."""

    options: BraveRatsOptions
    single: bool
    """Whether no hand can hold two equal cards, nor be drafted, so that all of a hand is legal as it is."""
    to_come: tuple[StartingCards, ...]
    """The chance of the emperor's games after this one."""
    orders: tuple[Cards, ...] = ()
    """The orders of the decks, until the draft is over."""
    packets: tuple[Cards, ...] = ()
    """The packets of the draft, as dealt."""
    takes: Cards = ()
    """The cards taken in the draft, in order."""
    seen: tuple[tuple[Packet, ...], tuple[Packet, ...]] = ((), ())
    """What each seat knows of the draft."""
    cards: Both = ((), ())
    gave: Pair = NONE
    hands: Both = ((), ())
    piles: Both = ((), ())
    """Top first."""
    scores: Pair = (0, 0)
    on_hold: int = 0
    bonus: Pair = (0, 0)
    spy: int = NOBODY
    shown: int = NO_CARD
    history: tuple[BraveRatsRound, ...] = ()
    games_won: Pair = (0, 0)
    drafts: tuple[Draft, ...] = ()
    """The drafts of the emperor's games before this one."""
    earlier: tuple[tuple[PastGame, ...], tuple[PastGame, ...]] = ((), ())
    """What each seat knows of those games."""

    def view(self, seat: int) -> BraveRatsView:
        hand, piles = self.hands[seat], self.piles
        return BraveRatsView(
            seat,
            hand if self.single and seat in self.turn else self.legal(seat),
            hand,
            self.scores,
            self.on_hold,
            self.bonus,
            self.spy,
            self.shown,
            self.history,
            (len(piles[0]), len(piles[1])),
            self.cards,
            self.gave,
            self.seen[seat],
            self.games_won,
            self.earlier[seat],
        )

    def legal(self, seat: int) -> Cards:
        if seat not in self.turn:
            return ()
        if self.single:
            return self.hands[seat]
        return tuple(sorted({*(self.hands[seat] if self.cards[0] else self._packet())}))

    def step(self, moves: Sequence[int]) -> None:
        spy = self.spy
        if not self.cards[0]:
            self._take(moves[0])
        elif spy == NOBODY:
            one, two = moves
            first, second = self.hands
            self.hands = _without(first, one), _without(second, two)
            if self.options.deck:
                self._draw(0)
                self._draw(1)
            self._fight((one, two))
        elif self.shown == NO_CARD:
            self._lay(1 - spy, moves[0])
            self.shown = moves[0]
            self.turn = (spy,)
        else:
            self._lay(spy, moves[0])
            self._fight((moves[0], self.shown) if spy == 0 else (self.shown, moves[0]))

    def outcome(self) -> Outcome:
        games_won = self.games_won
        return Outcome(_ranks(games_won), games_won if self.options.emperor else self.scores)

    def playout(self, rng: Random) -> Outcome:
        draw = rng.random
        while turn := self.turn:
            if turn == (0, 1) and not self.options.deck:
                self._fight_on(draw)
            else:
                choices = [self.legal(seat) for seat in turn]
                self.step([legal[int(draw() * len(legal))] for legal in choices])
        return self.outcome()

    def _fight_on(self, draw: Callable[[], float]) -> None:
        """Play this game to its end at random. Who spies does not matter: nobody looks at what is shown."""
        first, second = [*self.hands[0]], [*self.hands[1]]
        history, bonus, on_hold = [*self.history], self.bonus, self.on_hold
        crowns, others = self.scores
        single, target = self.single, self.options.target
        wins_game = False
        while first and not wins_game:
            if single:
                cards = first.pop(int(draw() * len(first))), second.pop(int(draw() * len(second)))
            else:  # each different card is as likely as the others
                cards = _pop_any(first, draw), _pop_any(second, draw)
            if MIME in cards:
                bout = fight(cards, bonus, on_hold, unmask(cards, history))
            else:
                bout = fight(cards, bonus, on_hold)
            history.append(bout.past)
            on_hold, bonus = bout.on_hold, bout.bonus
            one, two = bout.gains
            crowns += one
            others += two
            wins_game = bout.wins_game or crowns >= target or others >= target
        self.hands, self.history = (tuple(first), tuple(second)), tuple(history)
        self.scores, self.on_hold, self.bonus = (crowns, others), on_hold, bonus
        self.spy = bout.spy
        self._end_game(bout.winner if wins_game else NOBODY)

    def redeal(self, seat: int, rng: Random) -> None:
        self.to_come = tuple([draw_setup(self.options, rng) for _ in self.to_come])
        if self.packets:
            self.packets, self.takes = redeal_draft(seat, self.packets, self.takes, rng)
            self.seen = seen_packets(0, self.packets, self.takes), seen_packets(1, self.packets, self.takes)
            if not self.cards[0]:
                self.hands = taken(self.takes)
        if self.drafts:
            self.drafts = tuple([redeal_draft(seat, *draft, rng) for draft in self.drafts])
            first, second = self.earlier
            self.earlier = _with_drafts(0, first, self.drafts), _with_drafts(1, second, self.drafts)
        self.orders = tuple([_shuffled(order, rng) for order in self.orders])
        if self.options.deck and self.cards[0]:
            size = len(self.hands[1 - seat])
            unknown = _shuffled(self.hands[1 - seat] + self.piles[1 - seat], rng)
            hand, pile = tuple(sorted(unknown[:size])), unknown[size:]
            own = _shuffled(self.piles[seat], rng)
            self.hands = (self.hands[0], hand) if seat == 0 else (hand, self.hands[1])
            self.piles = (own, pile) if seat == 0 else (pile, own)

    def begin(self, setup: StartingCards) -> None:
        """Begin a game."""
        self.orders, self.packets, self.takes = setup.orders, setup.packets, ()
        self.gave = (setup.gives[0], setup.gives[1]) if setup.gives else NONE
        self.scores = self.bonus = (0, 0)
        self.on_hold, self.spy, self.shown, self.history = 0, NOBODY, NO_CARD, ()
        self.cards = self.hands = self.piles = ((), ())
        self.seen = ((), ())
        if setup.packets:
            self.seen = seen_packets(0, setup.packets, ()), seen_packets(1, setup.packets, ())
            self.turn = (taker(0),)
            return
        first, second = setup.hands
        if setup.gives:
            first, second = (
                _minus(first, setup.gives[:1]) + setup.gives[1:],
                _minus(second, setup.gives[1:]) + setup.gives[:1],
            )
        self._take_up(first, second)

    def _take_up(self, first: Cards, second: Cards) -> None:
        """Begin to play with these cards."""
        mime = (MIME,) if self.options.mime else ()
        self.cards = self.hands = tuple(sorted(first + mime)), tuple(sorted(second + mime))
        if self.orders:
            decks = [
                tuple([cards[place] for place in order]) for cards, order in zip(self.cards, self.orders, strict=True)
            ]
            self.hands = tuple(sorted(decks[0][:HAND])), tuple(sorted(decks[1][:HAND]))
            self.piles = decks[0][HAND:], decks[1][HAND:]
            self.orders = ()
        self.turn = (0, 1)

    def _packet(self) -> Cards:
        """What is left of the packet on the table."""
        number = len(self.takes) // PACKET
        return _minus(self.packets[number], self.takes[number * PACKET :])

    def _take(self, card: int) -> None:
        """Take a card of the draft."""
        self.takes = takes = (*self.takes, card)
        self.seen = seen_packets(0, self.packets, takes), seen_packets(1, self.packets, takes)
        self.hands = taken(takes)
        if len(takes) == len(BOTH_CLANS):
            self._take_up(*self.hands)
        else:
            self.turn = (taker(len(takes)),)

    def _lay(self, seat: int, card: int) -> None:
        """Lay one card on the table, alone."""
        first, second = self.hands
        self.hands = (_without(first, card), second) if seat == 0 else (first, _without(second, card))
        if self.options.deck:
            self._draw(seat)

    def _draw(self, seat: int) -> None:
        """Draw a card, while the own pile lasts."""
        hands, piles = list(self.hands), list(self.piles)
        hands[seat] = tuple(sorted(hands[seat] + piles[seat][:1]))
        piles[seat] = piles[seat][1:]
        self.hands, self.piles = (hands[0], hands[1]), (piles[0], piles[1])

    def _fight(self, cards: Pair) -> None:
        """Resolve the round in which these cards lie on the table."""
        history = self.history
        if MIME in cards:
            bout = fight(cards, self.bonus, self.on_hold, unmask(cards, history))
        else:
            bout = fight(cards, self.bonus, self.on_hold)
        self.history = (*history, bout.past)
        self.on_hold, self.bonus = bout.on_hold, bout.bonus
        winner, spy = bout.winner, bout.spy
        if winner != NOBODY:
            scores, gains = self.scores, bout.gains
            self.scores = scores[0] + gains[0], scores[1] + gains[1]
        if spy != NOBODY or self.spy != NOBODY:
            self.spy, self.shown = spy, NO_CARD
            self.turn = (0, 1) if spy == NOBODY else (1 - spy,)
        if bout.wins_game or (winner != NOBODY and self.scores[winner] >= self.options.target):
            self._end_game(winner)
        elif not self.hands[0]:
            self._end_game(NOBODY)

    def _end_game(self, winner: int) -> None:
        """Count the game, and begin the emperor's next one unless he is found."""
        if winner != NOBODY:
            first, second = self.games_won
            self.games_won = (first + (winner == 0), second + (winner == 1))
        if self.to_come and max(self.games_won) <= EMPEROR_GAMES // 2:
            past = [PastGame(self.cards, self.gave, seen, self.history, winner) for seen in self.seen]
            self.earlier = (*self.earlier[0], past[0]), (*self.earlier[1], past[1])
            if self.packets:
                self.drafts = (*self.drafts, (self.packets, self.takes))
            setup, *to_come = self.to_come
            self.to_come = tuple(to_come)
            self.begin(setup)
        else:
            self.turn = ()


_ranks = cache(competition_ranks)


def taken(takes: Cards) -> Both:
    """What each seat has from these takes of a draft."""
    hands: tuple[list[int], list[int]] = ([], [])
    for number, card in enumerate(takes):
        hands[taker(number)].append(card)
    return tuple(sorted(hands[0])), tuple(sorted(hands[1]))


@cache  # there are few different hands, and every card played asks for it
def _without(hand: Cards, card: int) -> Cards:
    position = hand.index(card)
    return hand[:position] + hand[position + 1 :]


def _pop_any(hand: list[int], draw: Callable[[], float]) -> int:
    """Take one of the different cards of a hand."""
    different = sorted({*hand})
    card = different[int(draw() * len(different))]
    hand.remove(card)
    return card


def _shuffled(cards: Cards, rng: Random) -> Cards:
    return tuple(rng.sample(cards, len(cards)))


def _minus(cards: Iterable[int], gone: Iterable[int]) -> Cards:
    """The cards in their order, without those that are gone."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return tuple(left)


class BraveRatsRules(Game):
    """The rules of BraveRats."""

    name: ClassVar[str] = "braverats"
    title: ClassVar[str] = "BraveRats"
    player_counts: ClassVar[range] = range(2, 3)
    options_type = BraveRatsOptions
    deal_type = BraveRatsDeal
    view_type = BraveRatsView
    options: BraveRatsOptions

    def deal(self, rng: Random) -> BraveRatsDeal:
        games = EMPEROR_GAMES if self.options.emperor else 1
        return BraveRatsDeal(tuple(draw_setup(self.options, rng) for _ in range(games)))

    def start(self, deal: BraveRatsDeal) -> BraveRatsState:
        state = BraveRatsState(turn=(), options=self.options, single=self._single, to_come=deal.games[1:])
        state.begin(deal.games[0])
        return state

    def imagine(self, view: BraveRatsView, rng: Random) -> BraveRatsState:
        options = self.options
        games = EMPEROR_GAMES if options.emperor else 1
        drafted = options.deal == "draft"
        packets, takes = _complete(view.packets) if drafted else ((), ())
        size = len(CLAN) + options.mime
        left = view.remaining
        hidden = view.piles
        state = BraveRatsState(
            turn=seats_to_decide(view, left),
            options=options,
            single=self._single,
            to_come=(StartingCards(),) * (games - view.game),  # `redeal` draws them
            orders=(tuple(range(size)),) * 2 if options.deck and view.drafting else (),
            packets=packets,
            takes=takes,
            cards=view.cards,
            gave=view.gave,
            scores=view.scores,
            on_hold=view.on_hold,
            bonus=view.bonus,
            spy=view.spy,
            shown=view.shown,
            history=view.history,
            games_won=view.games_won,
            drafts=tuple([_complete(past.packets) for past in view.earlier]) if drafted else (),
            earlier=(view.earlier, view.earlier),  # `redeal` finds out what the other knows of the drafts
        )
        if not view.drafting:
            other = left[view.opponent]
            cut = len(other) - hidden[view.opponent]
            hands, piles = (view.hand, other[:cut]), (view.pile, other[cut:])
            state.hands, state.piles = (hands, piles) if view.seat == 0 else (hands[::-1], piles[::-1])
        state.redeal(view.seat, rng)
        return state

    def encoding(self) -> Encoding:
        seat, card, cards = Bounded(1), Bounded(MIME), UpTo(MIME + 1, Bounded(MIME))
        pair, both, rounds = each(2, card), each(2, cards), Bounded(MIME + 1)
        history = UpTo(MIME + 1, Every((pair, pair, seat, Bounded(MIME + 1))))
        packets = UpTo(PACKET, Every((seat, UpTo(PACKET, card), UpTo(PACKET, card))))
        fields: dict[str, Shape] = {
            "seat": seat,
            "hand": cards,
            "scores": each(2, rounds),
            "on_hold": rounds,
            "bonus": each(2, Bounded(GENERAL_BONUS)),
            "spy": seat,
            "shown": card,
            "history": history,
            "piles": each(2, rounds),
            "cards": both,
            "gave": pair,
            "packets": packets,
            "games_won": each(2, Bounded(EMPEROR_GAMES)),
            "earlier": UpTo(EMPEROR_GAMES - 1, Every((both, pair, packets, history, seat))),
        }
        longest = EMPEROR_GAMES * (2 * (MIME + 1) + PACKET * PACKET)
        return Encoding(tuple(range(MIME + 1)), fields, longest)

    @property
    def _single(self) -> bool:
        return self.options.deal == "standard" and not self.options.traitor


def seats_to_decide(view: BraveRatsView, left: Both) -> tuple[int, ...]:
    """Who decides now, from public information."""
    if view.drafting:
        return (taker(sum(len(packet.takes) for packet in view.packets)),)
    decided = sum(view.games_won) > sum(past.winner != NOBODY for past in view.earlier)
    if decided or not any(left):
        return ()
    if view.spy == NOBODY:
        return (0, 1)
    return (1 - view.spy,) if view.shown == NO_CARD else (view.spy,)


def _complete(seen: Sequence[Packet]) -> Draft:
    """The packets and takes of a draft that would be seen like this: some that could be, not yet shuffled."""
    unseen = list(_minus(BOTH_CLANS, [card for packet in seen for card in packet.cards]))
    packets = []
    takes: list[int] = []
    for packet in seen:
        added = [unseen.pop() for _ in range(PACKET - len(packet.cards))]
        packets.append((*packet.cards, *added))
        takes += [added[0] if card == NO_CARD else card for card in packet.takes]
    packets += [tuple(unseen[first : first + PACKET]) for first in range(0, len(unseen), PACKET)]
    return tuple(packets), tuple(takes)
