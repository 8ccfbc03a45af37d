"""Magilla't, competitive mode: guess which of your cards the storyteller will use. 3 to 6 players.

In every turn one player tells a story, the others guess. Each guesser has three story cards and secretly marks one;
then the storyteller weaves one card of each guesser into the story. A guesser who marked that card keeps it as a
point, else the storyteller gets it. Everybody tells once. `docs/rules/magillat.md` describes all of it.

A card is `100 * family + number`: 307 is number 7 of family 3. A move is 0, 1 or 2: which of the three cards is
marked (by a guesser) or named (by the storyteller), counted from the left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import product, repeat
from operator import floordiv, itemgetter
from random import Random
from typing import Annotated, Any, ClassVar

import msgspec

from league.games.contract import (
    Bounded,
    Coded,
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
    shuffled,
)

CHOICES = (0, 1, 2)
NONE = -1
FAMILY = 100
FAMILY_NAMES = (
    *("Dragon", "Castle", "Forest", "Moon", "Witch", "Wolf", "Crown", "Ship", "Ghost", "Thief"),
    *("Clock", "Storm", "Mirror", "Giant", "Feast", "Road", "Bell", "Bee", "Desert", "Dream"),
)
"""What families are called when a game is told; the first is family 1."""
FROM_LEFT: tuple[tuple[tuple[int, ...], ...], ...] = tuple(
    tuple((*range(seat + 1, players), *range(seat)) for seat in range(players)) for players in range(7)
)
"""By number of players and seat: the other seats in turn order, from the left of that one."""
GUESSERS = tuple(tuple(tuple(sorted(others)) for others in row) for row in FROM_LEFT)
"""By number of players and storyteller: everybody else, in ascending order."""


GUESSES = tuple(
    tuple(
        tuple((*some[:storyteller], NONE, *some[storyteller:]) for some in product(CHOICES, repeat=players - 1))
        for storyteller in range(players)
    )
    for players in range(7)
)
"""By number of players and storyteller: all marks that can be set in a turn, which are also all picks."""


def _three_each(players: int, storyteller: int) -> itemgetter[Any]:
    threes = [slice(3 * guesser, 3 * guesser + 3) for guesser in range(players - 1)]
    own = players - 1 - storyteller
    by_seat = [*threes[own:], slice(0), *threes[:own]]
    return itemgetter(*by_seat)


THREE_EACH = [[_three_each(players, storyteller) for storyteller in range(players)] for players in range(7)]
"""By number of players and storyteller: deals story cards, from the storyteller's left, to all seats."""
_OTHER_TWO = itemgetter(1, 2), itemgetter(0, 2), itemgetter(0, 1)
"""By choice: the cards that were not chosen."""


def family_of(card: int) -> int:
    """The family of a card, from 1; 3 for the card 307."""
    return card // FAMILY


def number_of(card: int) -> int:
    """The number of a card within its family, from 1; 7 for the card 307."""
    return card % FAMILY


def card_name(card: int) -> str:
    """A card as people call it; 'Forest 7' for the card 307."""
    return f"{FAMILY_NAMES[family_of(card) - 1]} {number_of(card)}"


def most_turns(players: int, tie_break_turns: int) -> int:
    """How many turns there are at most: one for each player, and one more for each if all are tied."""
    return players * (1 + tie_break_turns)


def cards_needed(players: int, tie_break_turns: int) -> int:
    """The smallest deck that lasts: the last turn's cards on the table, and the point cards taken before it."""
    guessers = players - 1
    on_table = 6 * guessers + 2
    return on_table + guessers * (most_turns(players, tie_break_turns) - 1)


class MagillatOptions(Options, frozen=True):
    """The choices of a game of Magilla't."""

    families: Annotated[int, msgspec.Meta(ge=1, le=20)] = 8
    """How many families of cards there are."""
    cards_per_family: Annotated[int, msgspec.Meta(ge=1, le=50)] = 12
    """How many cards each family has."""
    tie_break_turns: Annotated[int, msgspec.Meta(ge=0, le=1)] = 1
    """How often those who share the first place tell once more to settle it: once, or not at all."""

    def check(self, players: int) -> None:
        there = self.families * self.cards_per_family
        needed = cards_needed(players, self.tie_break_turns)
        if there >= needed:
            return
        message = (
            f"{players} players may need {needed} cards, but families {self.families} times cards_per_family "
            f"{self.cards_per_family} gives only {there}; raise one of them"
        )
        without = cards_needed(players, 0)
        if there >= without:
            message += f", or set tie_break_turns to 0, for which {without} cards are enough"
        raise ValueError(f"{message}.")


class MagillatDeal(Deal, frozen=True):
    """The chance of a game of Magilla't."""

    first: int
    """The seat that tells first."""
    deck: tuple[int, ...]
    """All cards, from the top of the deck to the bottom."""
    shuffles: tuple[tuple[int, ...], ...]
    """For every turn that may be played: the order in which the turn's leftover cards go under the deck.

    Number i of `Turn.leftovers` is written as i; the first of a shuffle lies on top of the others.
    """


class Turn(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One turn that is over, with everything shown. What is by seat holds -1 or () for the storyteller."""

    storyteller: int
    """The seat that told."""
    centre: tuple[int, ...]
    """The cards with which the story began and ended."""
    stories: tuple[tuple[int, ...], ...]
    """The three story cards of each seat, from the left."""
    marks: tuple[int, ...]
    """Which of them each seat marked: 0, 1 or 2."""
    picks: tuple[int, ...]
    """Which of them the storyteller named: 0, 1 or 2."""

    @property
    def guessers(self) -> tuple[int, ...]:
        """The seats that guessed, from the left of the storyteller."""
        return FROM_LEFT[len(self.picks)][self.storyteller]

    @property
    def awards(self) -> tuple[tuple[int, int], ...]:
        """Who took which card, in the order of the story: pairs of seat and card."""
        awards = []
        for seat in self.guessers:
            pick = self.picks[seat]
            awards.append((seat if pick == self.marks[seat] else self.storyteller, self.stories[seat][pick]))
        return tuple(awards)

    @property
    def leftovers(self) -> tuple[int, ...]:
        """The cards that went under the deck: two of each guesser in the order of the story, then the centre."""
        stories, picks = self.stories, self.picks
        cards: list[int] = []
        for seat in FROM_LEFT[len(picks)][self.storyteller]:
            cards += _OTHER_TWO[picks[seat]](stories[seat])
        cards += self.centre
        return tuple(cards)


class MagillatView(View, frozen=True, array_like=True, gc=False):
    """What one seat sees of a game of Magilla't."""

    storyteller: int
    """The seat that tells in this turn, -1 when the game is over."""
    centre: tuple[int, ...]
    """The cards with which the story begins and ends; () when the game is over."""
    stories: tuple[tuple[int, ...], ...]
    """The three story cards of each seat, from the left; () for the storyteller."""
    mark: int
    """Which of its own story cards this seat has marked in this turn: 0, 1 or 2; -1 if none (yet)."""
    picks: tuple[int, ...]
    """By seat, which story card the storyteller has named in this turn: 0, 1 or 2; -1 if none (yet)."""
    deck_size: int
    """How many cards are left in the deck."""
    history: tuple[Turn, ...]
    """Every turn that is over."""

    @property
    def phase(self) -> str:
        """'mark' while the guessers choose, then 'tell' while the storyteller names cards, at last 'over'."""
        if self.storyteller == NONE:
            return "over"
        telling = bool(self.legal) if self.seat == self.storyteller else self.mark != NONE
        return "tell" if telling else "mark"

    @property
    def listener(self) -> int:
        """The seat whose card must be named now; -1 unless the phase is 'tell'."""
        if self.phase != "tell":
            return NONE
        return next(seat for seat in FROM_LEFT[len(self.picks)][self.storyteller] if self.picks[seat] == NONE)

    @property
    def points(self) -> tuple[tuple[int, ...], ...]:
        """The point cards of each seat, in the order in which they were taken."""
        return point_cards(self.history, len(self.picks))

    @property
    def scores(self) -> tuple[int, ...]:
        """How many point cards each seat has."""
        return tuple(map(len, self.points))

    @property
    def families(self) -> tuple[int, ...]:
        """How many different families each seat has among its point cards."""
        return tuple(families for _, families in standing(self.points))

    @property
    def tied(self) -> tuple[int, ...]:
        """Those who share the first place and tell once more, in that order; () before that, and if none do."""
        players = len(self.picks)
        if len(self.history) + (self.storyteller != NONE) <= players:
            return ()
        return tied_for_first(places_of(self.history, players), self.history[players - 1].storyteller)


class MagillatState(State):
    """A game of Magilla't under way."""

    options: MagillatOptions
    storyteller: int
    to_tell: tuple[int, ...]
    """Who tells after this turn, in this order."""
    deck: tuple[int, ...]
    markers: tuple[int, ...]
    """The cards that lie face down, three for each guesser from the storyteller's left, as drawn from the deck."""
    centre: tuple[int, ...]
    stories: tuple[tuple[int, ...], ...]
    marks: tuple[int, ...]
    """By seat; all -1 while the guessers choose."""
    picks: tuple[int, ...]
    listener: int
    """The seat whose card must be named now; -1 while the guessers choose."""
    shuffles: tuple[tuple[int, ...], ...]
    """The shuffles of this turn and of those that may follow."""
    points: tuple[tuple[int, ...], ...]
    """The point cards of each seat, in the order in which they were taken."""
    places: tuple[int, ...] = ()
    """Everybody's rank after all have told once; () before that."""
    history: tuple[Turn, ...] = ()

    def view(self, seat: int) -> MagillatView:
        return MagillatView(
            seat,
            CHOICES if seat in self.turn else (),
            self.storyteller,
            self.centre,
            self.stories,
            self.marks[seat],
            self.picks,
            len(self.deck),
            self.history,
        )

    def step(self, moves: Sequence[int]) -> None:
        listener = self.listener
        storyteller = self.storyteller
        if listener == NONE:
            marks = [*moves]
            marks.insert(storyteller, NONE)
            self.marks = tuple(marks)
            self.turn = (storyteller,)
            listener = storyteller
        else:
            picks = self.picks
            self.picks = (*picks[:listener], moves[0], *picks[listener + 1 :])
        listener += 1
        if listener == len(self.picks):
            listener = 0
        self.listener = listener
        if listener == storyteller:
            self._end_turn()

    def legal(self, seat: int) -> tuple[int, ...]:
        return CHOICES if seat in self.turn else ()

    def outcome(self) -> Outcome:
        points, places = self.points, self.places
        if len(self.history) > len(points):  # the turns after everybody's settle the first place, and move nobody else
            tied = [seat for seat, place in enumerate(places) if place == 0]
            again = competition_ranks(standing([points[seat] for seat in tied]))
            settled = dict(zip(tied, again, strict=True))
            places = tuple([settled.get(seat, place) for seat, place in enumerate(places)])
        return Outcome(places, tuple(map(len, points)))

    def playout(self, rng: Random) -> Outcome:
        draw = rng.random
        while self.listener != NONE:
            self.step((int(draw() * len(CHOICES)),))
        if self.turn:
            self._tell_on(draw)
        return self.outcome()

    def _tell_on(self, draw: Callable[[], float]) -> None:
        """Play all turns to come at random: a whole turn at once, and the deck a list that is read from `top` on."""
        players = len(self.picks)
        storyteller, to_tell = self.storyteller, self.to_tell
        centre, stories, markers = self.centre, self.stories, self.markers
        deck, top, drawn = [*self.deck], 0, len(markers)
        points, history = [[*cards] for cards in self.points], [*self.history]
        for shuffle in self.shuffles:
            choices = GUESSES[players][storyteller]
            marks, picks = choices[int(draw() * len(choices))], choices[int(draw() * len(choices))]
            history.append(Turn(storyteller, centre, stories, marks, picks))
            leftovers: list[int] = []
            for seat in FROM_LEFT[players][storyteller]:
                pick, three = picks[seat], stories[seat]
                points[seat if pick == marks[seat] else storyteller].append(three[pick])
                leftovers += _OTHER_TWO[pick](three)
            leftovers += centre
            deck += itemgetter(*shuffle)(leftovers)
            if len(history) == players:
                self.places = competition_ranks(standing(points))
                to_tell = tied_for_first(self.places, storyteller) if self.options.tie_break_turns else ()
            if not to_tell:
                break
            storyteller, to_tell = to_tell[0], to_tell[1:]
            stories = THREE_EACH[players][storyteller](markers)
            centre, markers = (deck[top], deck[top + 1]), tuple(deck[top + 2 : top + 2 + drawn])
            top += 2 + drawn
        self.deck, self.markers = tuple(deck[top:]), markers
        self.points, self.history = tuple([tuple(cards) for cards in points]), tuple(history)
        self._end()

    def redeal(self, seat: int, rng: Random) -> None:
        # The deck is drawn from the top and grows at the bottom, and all saw which cards went under it in each turn.
        # So what nobody knows is the order within the rest of the first deck, and within the leftovers of each turn.
        hidden = self.markers + self.deck
        leftovers = 2 * len(self.picks)
        ends = range(len(hidden) - leftovers * len(self.history), len(hidden) + 1, leftovers)
        start = 0
        dealt: list[int] = []
        for end in ends:
            if end > start:
                dealt += shuffled(hidden[start:end], rng)
                start = end
        drawn = len(self.markers)
        self.markers, self.deck = tuple(dealt[:drawn]), tuple(dealt[drawn:])
        self.shuffles = tuple([shuffled(range(leftovers), rng) for _ in self.shuffles])
        if self.listener != NONE:
            known = (seat, self.storyteller)
            self.marks = tuple([mark if s in known else rng.randrange(3) for s, mark in enumerate(self.marks)])

    def begin_turn(self, storyteller: int, story_cards: tuple[int, ...]) -> None:
        """Lay out a turn: `story_cards` three by three from the storyteller's left, then the centre and the markers."""
        players = len(self.picks)
        self.storyteller = storyteller
        self.stories = THREE_EACH[players][storyteller](story_cards)
        self.turn = GUESSERS[players][storyteller]
        self.listener = NONE
        self.marks = self.picks = (NONE,) * players
        deck, drawn = self.deck, 2 + len(story_cards)
        self.centre, self.markers, self.deck = deck[:2], deck[2:drawn], deck[drawn:]

    def _end_turn(self) -> None:
        past = Turn(self.storyteller, self.centre, self.stories, self.marks, self.picks)
        self.history = history = (*self.history, past)
        self.deck += itemgetter(*self.shuffles[0])(past.leftovers)
        self.shuffles = self.shuffles[1:]
        self.points = points = with_awards(self.points, past)
        players = len(points)
        if len(history) == players:
            self.places = places = competition_ranks(standing(points))
            if self.options.tie_break_turns:
                self.to_tell = tied_for_first(places, past.storyteller)
        if self.to_tell:
            # Markers move left together with the storyteller's role, so counted from there they stay where they are.
            storyteller = self.to_tell[0]
            self.to_tell = self.to_tell[1:]
            self.begin_turn(storyteller, self.markers)
            return
        self._end()

    def _end(self) -> None:
        """Clear the table when all stories are told."""
        players = len(self.picks)
        self.turn = self.centre = self.shuffles = self.to_tell = ()
        self.stories = ((),) * players
        self.marks = self.picks = (NONE,) * players
        self.storyteller = self.listener = NONE


PointCards = tuple[tuple[int, ...], ...]
"""Point cards by seat, in the order in which they were taken."""


def point_cards(history: Iterable[Turn], players: int) -> PointCards:
    """The point cards that each seat took in these turns."""
    points: PointCards = ((),) * players
    for past in history:
        points = with_awards(points, past)
    return points


def with_awards(points: PointCards, past: Turn) -> PointCards:
    """The point cards of each seat after one more turn."""
    taken = [*points]
    for seat, card in past.awards:
        taken[seat] += (card,)
    return tuple(taken)


def standing(points: Iterable[Sequence[int]]) -> list[tuple[int, int]]:
    """What places go by, for each seat: point cards, then different families among them."""
    return [(len(cards), len({*map(floordiv, cards, repeat(FAMILY))})) for cards in points]


def tied_for_first(places: Sequence[int], last: int) -> tuple[int, ...]:
    """Those who share the first place, from the left of the last storyteller; () if one leads."""
    tied = [seat for seat in (*FROM_LEFT[len(places)][last], last) if places[seat] == 0]
    return tuple(tied) if len(tied) > 1 else ()


def places_of(history: Sequence[Turn], players: int) -> tuple[int, ...]:
    """Everybody's rank after all have told once; () before that."""
    return competition_ranks(standing(point_cards(history[:players], players))) if len(history) >= players else ()


@cache
def whole_deck(families: int, cards_per_family: int) -> tuple[int, ...]:
    """Every card, in ascending order."""
    numbers = range(1, cards_per_family + 1)
    return tuple([FAMILY * family + number for family in range(1, families + 1) for number in numbers])


class MagillatRules(Game):
    """The rules of Magilla't."""

    name: ClassVar[str] = "magillat"
    title: ClassVar[str] = "Magilla't"
    player_counts: ClassVar[range] = range(3, 7)
    options_type = MagillatOptions
    deal_type = MagillatDeal
    view_type = MagillatView
    options: MagillatOptions

    @property
    def cards(self) -> tuple[int, ...]:
        """Every card of the deck, in ascending order."""
        return whole_deck(self.options.families, self.options.cards_per_family)

    def deal(self, rng: Random) -> MagillatDeal:
        turns = most_turns(self.players, self.options.tie_break_turns)
        return MagillatDeal(
            first=rng.randrange(self.players),
            deck=shuffled(self.cards, rng),
            shuffles=tuple([shuffled(range(2 * self.players), rng) for _ in range(turns)]),
        )

    def start(self, deal: MagillatDeal) -> MagillatState:
        players = self.players
        dealt = 3 * (players - 1)
        state = self._empty_table()
        state.to_tell = FROM_LEFT[players][deal.first]
        state.deck = deal.deck[dealt:]
        state.shuffles = deal.shuffles
        state.begin_turn(deal.first, deal.deck[:dealt])
        return state

    def imagine(self, view: MagillatView, rng: Random) -> MagillatState:
        players = self.players
        storyteller, history, phase = view.storyteller, view.history, view.phase
        state = self._empty_table()
        state.storyteller, state.history, state.centre = storyteller, history, view.centre
        state.stories, state.picks, state.listener = view.stories, view.picks, view.listener
        state.points, state.places = view.points, places_of(history, players)
        hidden = self._hidden(view)
        drawn = 3 * (players - 1)
        state.markers, state.deck = hidden[:drawn], hidden[drawn:]
        if phase != "over":
            if view.tied:
                state.to_tell = view.tied[len(history) + 1 - players :]
            else:
                state.to_tell = FROM_LEFT[players][storyteller][: players - 1 - len(history)]
            state.shuffles = ((),) * (most_turns(players, self.options.tie_break_turns) - len(history))
            state.turn = GUESSERS[players][storyteller] if phase == "mark" else (storyteller,)
        if phase == "tell":
            state.marks = tuple(view.mark if seat == view.seat else NONE for seat in range(players))
        state.redeal(view.seat, rng)
        return state

    def _hidden(self, view: MagillatView) -> tuple[int, ...]:
        """The cards that lie face down, in the order in which they are drawn as far as all know it."""
        went_under = dict.fromkeys(self.cards, 0)
        for number, past in enumerate(view.history, start=1):
            went_under.update(dict.fromkeys(past.leftovers, number))
        for shown in (view.centre, *view.stories, *view.points):
            for card in shown:
                del went_under[card]
        return tuple(sorted(went_under, key=went_under.__getitem__))

    def encoding(self) -> Encoding:
        options, players = self.options, self.players
        turns = most_turns(players, options.tie_break_turns)
        seat, choice = Bounded(players), Bounded(CHOICES[-1])
        card = Coded((FAMILY,), (options.families, options.cards_per_family))
        stories, centre, choices = each(players, UpTo(len(CHOICES), card)), UpTo(2, card), each(players, choice)
        fields: dict[str, Shape] = {
            "seat": seat,
            "storyteller": seat,
            "centre": centre,
            "stories": stories,
            "mark": choice,
            "picks": choices,
            "deck_size": Bounded(options.families * options.cards_per_family),
            "history": UpTo(turns, Every((seat, centre, stories, choices, choices))),
        }
        return Encoding(CHOICES, fields, longest=turns * 2 * (players - 1))

    def _empty_table(self) -> MagillatState:
        none = (NONE,) * self.players
        return MagillatState(
            turn=(),
            options=self.options,
            storyteller=NONE,
            to_tell=(),
            deck=(),
            markers=(),
            centre=(),
            stories=((),) * self.players,
            marks=none,
            picks=none,
            listener=NONE,
            shuffles=(),
            points=((),) * self.players,
        )
