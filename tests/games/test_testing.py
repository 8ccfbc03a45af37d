"""The kit catches planted bugs, each with words that teach the author what to mend."""

from __future__ import annotations

import random
import re
from random import Random
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import pytest

from league.errors import OptionsError
from league.games.contract import Deal, Game, Options, Outcome, State, View, competition_ranks
from league.testing import ContractError, changed_alone, check_game, option_values, setups
from tests.tables import each

ROUNDS = 2


class DuelOptions(Options, frozen=True):
    """A small game needs few choices."""

    reverse: bool = False


class DuelDeal(Deal, frozen=True):
    hands: tuple[tuple[int, ...], ...]
    deck: tuple[int, ...]


class DuelView(View, frozen=True, array_like=True, gc=False):
    scores: tuple[int, ...]
    deck_size: int
    history: tuple[tuple[int, ...], ...]
    extra: tuple[int, ...] | None = None
    """Where planted views show what they should not."""


class DuelState(State):
    """Two or three players hold three secret cards; twice all play one of them at once, and the highest scores."""

    options: DuelOptions
    hands: tuple[tuple[int, ...], ...]
    deck: tuple[int, ...]
    scores: tuple[int, ...]
    history: tuple[tuple[int, ...], ...] = ()

    def extra(self, seat: int) -> Any:
        return None

    def view(self, seat: int) -> DuelView:
        legal = self.hands[seat] if seat in self.turn else ()
        # Own cards of before are in the history; after the end, nobody needs the hand.
        return DuelView(seat, legal, self.scores, len(self.deck), self.history, self.extra(seat))

    def step(self, moves) -> None:
        best = (min if self.options.reverse else max)(moves)
        self.scores = tuple(score + (move == best) for score, move in zip(self.scores, moves, strict=True))
        self.hands = tuple(tuple({*hand} - {move}) for hand, move in zip(self.hands, moves, strict=True))
        self.hands = tuple(tuple(sorted(hand)) for hand in self.hands)
        self.history = (*self.history, tuple(moves))
        if len(self.history) == ROUNDS:
            self.turn = ()

    def outcome(self) -> Outcome:
        return Outcome(competition_ranks(self.scores), self.scores)

    def redeal(self, seat: int, rng: Random) -> None:
        others = [other for other in range(len(self.hands)) if other != seat]
        hidden = [*self.deck, *(card for other in others for card in self.hands[other])]
        rng.shuffle(hidden)
        hands = list(self.hands)
        for other in others:
            size = len(hands[other])
            hands[other], hidden = tuple(sorted(hidden[:size])), hidden[size:]
        self.hands, self.deck = tuple(hands), tuple(hidden)


class Duel(Game):
    """A small, correct game to plant bugs in."""

    name: ClassVar[str] = "duel"
    title: ClassVar[str] = "Duel"
    player_counts: ClassVar[range] = range(2, 4)
    options: DuelOptions
    options_type = DuelOptions
    deal_type = DuelDeal
    view_type = DuelView
    state_type: ClassVar[type[DuelState]] = DuelState

    def deal(self, rng: Random) -> DuelDeal:
        cards = rng.sample(range(12), 12)
        hands = tuple(tuple(sorted(cards[3 * seat : 3 * seat + 3])) for seat in range(self.players))
        return DuelDeal(hands, tuple(cards[3 * self.players :]))

    def start(self, deal: DuelDeal) -> DuelState:
        seats = tuple(range(self.players))
        return self.state_type(seats, self.options, deal.hands, deal.deck, (0,) * self.players)

    def imagine(self, view: DuelView, rng: Random) -> DuelState:
        size = 3 - len(view.history)
        seen = {*view.legal, *(card for moves in view.history for card in moves)}
        rest = [card for card in range(12) if card not in seen]
        hands = []
        for seat in range(self.players):
            hands.append(view.legal if seat == view.seat else tuple(rest[:size]))
            rest = rest if seat == view.seat else rest[size:]
        seats = tuple(range(self.players))
        state = self.state_type(seats, self.options, tuple(hands), tuple(rest), view.scores, view.history)
        state.redeal(view.seat, rng)
        return state

    def label(self, move: int, view: DuelView) -> str:
        return f"plays {move}"

    def tell(self, before, moves, after, names) -> list[str]:
        return [f"They play {moves}."]


def all_cards(state: DuelState) -> list[int]:
    return sorted(
        [
            *state.deck,
            *(card for hand in state.hands for card in hand),
            *(card for past in state.history for card in past),
        ]
    )


def duel(state: type[DuelState] = DuelState, **overrides: Any) -> type[Duel]:
    """The duel with some of its methods, or its state, replaced by planted ones."""
    return type("Planted", (Duel,), {"state_type": state, **overrides})


@pytest.mark.parametrize(
    ("planted", "told"), [({"counts": "point"}, "counts is 'point'"), ({"points_range": (0, 0)}, "points_range is")]
)
def test_what_counts_and_the_range_of_points_are_checked(planted, told):
    with pytest.raises(ContractError, match=told):
        check_game(duel(**planted))


def test_a_correct_game_passes_and_is_reported():
    report = check_game(Duel, hides={"hands", "deck"}, conserved=all_cards, seats_alike=False)
    assert report.setups == 4
    assert report.hidden == {"hands", "deck"}
    assert report.decisions > 0


def test_one_set_up_game_can_be_checked_alone():
    assert check_game(Duel(3, {"reverse": True}), playings=1, endings=1).setups == 1


class ShowsOpponentsHand(DuelState):
    def extra(self, seat):
        return self.hands[1 - seat if seat < 2 else 0]


class ShowsDeck(DuelState):
    def extra(self, seat):
        return self.deck[:1]


class ShowsDeckAtTheEnd(DuelState):
    def extra(self, seat):
        return () if self.turn else self.deck[:1]


class DeckDecides(DuelState):
    """What nobody ever sees is worth points."""

    def outcome(self):
        scores = (self.scores[0] + self.deck[0], *self.scores[1:])
        return Outcome(competition_ranks(scores), scores)


class LeaksAndLooksAway(ShowsOpponentsHand):
    """The view shows a hand, and redeal leaves just that hand alone: only imagine() can tell."""

    def redeal(self, seat, rng):
        self.deck = tuple(rng.sample(self.deck, len(self.deck)))


class LazyRedeal(DuelState):
    def redeal(self, seat, rng):
        self.deck = tuple(rng.sample(self.deck, len(self.deck)))


class NoRedeal(DuelState):
    def redeal(self, seat, rng):
        pass


class RedealForgetsSeatTwo(DuelState):
    def redeal(self, seat, rng):
        kept = self.hands[2:]
        DuelState.redeal(self, seat, rng)
        if kept and seat != 2:
            swapped = [card for card in self.hands[2] if card not in kept[0]]
            wanted = [card for card in kept[0] if card not in self.hands[2]]
            change = dict(zip(wanted, swapped, strict=True))
            self.deck = tuple(change.get(card, card) for card in self.deck)
            self.hands = (
                *(tuple(sorted(change.get(card, card) for card in hand)) for hand in self.hands[:2]),
                kept[0],
            )


class UnsteadyRedeal(DuelState):
    def redeal(self, seat, rng):
        DuelState.redeal(self, seat, Random())


class RedealLosesCards(DuelState):
    def redeal(self, seat, rng):
        DuelState.redeal(self, seat, rng)
        self.deck = (*self.deck[:-1], 0)


class RedealTurns(DuelState):
    def redeal(self, seat, rng):
        DuelState.redeal(self, seat, rng)
        self.turn = self.turn[:1]


class DenseRanks(DuelState):
    def outcome(self):
        places = sorted({*self.scores}, reverse=True)
        return Outcome(tuple(places.index(score) for score in self.scores), self.scores)


class TieBySeat(DuelState):
    def outcome(self):
        order = sorted(range(len(self.scores)), key=lambda seat: -self.scores[seat])
        return Outcome(tuple(order.index(seat) for seat in range(len(order))), self.scores)


class FloatScores(DuelState):
    def outcome(self):
        return Outcome((0,) * len(self.scores), tuple(score / 2 for score in self.scores))


class ListOfHands(DuelState):
    """Holds a list and changes it in place: every copy shares it."""

    log: list[int] = msgspec.field(default_factory=list)

    def step(self, moves):
        self.log.append(moves[0])
        DuelState.step(self, moves)


class HiddenBehindTuple(DuelState):
    log: tuple[dict[int, int], ...] = msgspec.field(default_factory=lambda: ({},))


class KeepsMoves(DuelState):
    last: Any = ()

    def step(self, moves):
        DuelState.step(self, moves)
        self.last = moves

    def copy(self):
        twin = DuelState.copy(self)
        twin.last = type(self.last)(self.last)
        return twin


class Forgetful(DuelState):
    def copy(self):
        twin = DuelState.copy(self)
        twin.scores = (0,) * len(twin.scores)
        return twin


class NeverEnds(DuelState):
    def step(self, moves):
        pass


class StuckSeat(DuelState):
    def view(self, seat):
        view = DuelState.view(self, seat)
        return msgspec.structs.replace(view, legal=()) if len(self.history) == 1 and seat == 1 else view


class Unsorted(DuelState):
    def view(self, seat):
        view = DuelState.view(self, seat)
        return msgspec.structs.replace(view, legal=view.legal[::-1])


class ListLegal(DuelState):
    def view(self, seat):
        view = DuelState.view(self, seat)
        return msgspec.structs.replace(view, legal=[*view.legal])


class LegalOutOfTurn(DuelState):
    def view(self, seat):
        view = DuelState.view(self, seat)
        return msgspec.structs.replace(view, legal=(1,)) if not self.turn else view


class SetInView(DuelState):
    def extra(self, seat):
        return {1, 2}


class StateInView(DuelState):
    def extra(self, seat):
        return self


class WrongFieldType(DuelState):
    def extra(self, seat):
        return ((1, 2),)


class WrongSeat(DuelState):
    def view(self, seat):
        return msgspec.structs.replace(DuelState.view(self, seat), seat=0)


class CountsLooks(DuelState):
    looks: int = 0

    def view(self, seat):
        self.looks += 1
        return DuelState.view(self, seat)


class WildTurn(DuelState):
    def step(self, moves):
        DuelState.step(self, moves)
        self.turn = (*self.turn, 7) if self.turn else ()


class Crashes(DuelState):
    def step(self, moves):
        if self.history:
            raise KeyError("nine")
        DuelState.step(self, moves)


class GlobalRandomStep(DuelState):
    def step(self, moves):
        random.random()
        DuelState.step(self, moves)


class RandomOfItsOwn(DuelState):
    luck: float = 0.0

    def step(self, moves):
        self.luck = Random().random()
        DuelState.step(self, moves)


def imagine_honestly(self, view, rng):
    """Does not rely on the planted redeal."""
    state = Duel.imagine(self, view, rng)
    DuelState.redeal(state, view.seat, rng)
    return state


def imagine_other_hand(self, view, rng):
    state = Duel.imagine(self, view, rng)
    state.hands = (*state.hands[1:], state.hands[0])
    return state


def imagine_impossible(self, view, rng):
    state = Duel.imagine(self, view, rng)
    state.deck = (*state.deck[:-1], 99)
    return state


def imagine_by_memory(self, view, rng):
    return self.remembered.copy()


def start_and_remember(self, deal):
    self.remembered = Duel.start(self, deal)
    return self.remembered


def imagine_without_rng(self, view, rng):
    return Duel.imagine(self, view, Random())


def deal_from_global(self, rng):
    return Duel.deal(self, random.Random(random.random()))


def deal_lists(self, rng):
    deal = Duel.deal(self, rng)
    return DuelDeal(deal.hands, [*deal.deck])


class OtherLegal(DuelState):
    def legal(self, seat):
        return self.hands[seat]


class StopsEarly(DuelState):
    def playout(self, rng):
        self.step([rng.choice(self.legal(seat)) for seat in self.turn])
        return self.outcome()


class TellsOtherwise(DuelState):
    def playout(self, rng):
        outcome = State.playout(self, rng)
        return Outcome(outcome.ranks[::-1], outcome.scores[::-1])


class LosesCards(DuelState):
    def playout(self, rng):
        outcome = State.playout(self, rng)
        self.deck = ()
        return outcome


class BestFirst(DuelState):
    def playout(self, rng):
        best = min if self.options.reverse else max
        while self.turn:
            self.step([best(self.legal(seat)) if seat == 0 else rng.choice(self.legal(seat)) for seat in self.turn])
        return self.outcome()


class OwnRandom(DuelState):
    def playout(self, rng):
        return State.playout(self, Random())


PLANTED: list[tuple[str, type[Game], dict[str, Any], str]] = [
    ("opponent's hand in the view", duel(ShowsOpponentsHand), {}, r"view shows what seat \d cannot know: extra"),
    ("deck in the view", duel(ShowsDeck), {}, r"view shows what seat \d cannot know: extra changed .* deck"),
    (
        "deck in the final view",
        duel(ShowsDeckAtTheEnd),
        {},
        r"view shows what seat \d cannot know: extra changed .* deck",
    ),
    (
        "outcome from what is hidden",
        duel(DeckDecides),
        {"seats_alike": False},
        r"the outcome depends on what seat \d cannot know: redeal\(\) made it Outcome.*show in the final view",
    ),
    ("leak that redeal spares", duel(LeaksAndLooksAway), {}, r"imagine\(\) returned a state whose view differs.*extra"),
    (
        "no redeal",
        duel(NoRedeal),
        {},
        r"imagine\(\) can give another state\.\S+, but redeal\(\) always leaves it alone",
    ),
    ("lazy redeal, named secrets", duel(LazyRedeal), {"hides": ["hands", "deck"]}, r"state\.hands"),
    ("more dealt again than hides", Duel, {"hides": ["deck"]}, r"dealt state\.hands again.*add it to hides"),
    ("redeal without its rng", duel(UnsteadyRedeal), {}, r"redeal\(\) depends on more than its rng"),
    ("redeal changes turn", duel(RedealTurns), {}, r"the view shows|whose turn it is"),
    ("redeal loses a card", duel(RedealLosesCards), {"conserved": all_cards}, r"conserved.*after redeal\(\)"),
    ("dense ranks", duel(DenseRanks), {}, r"not competition ranks.*use competition_ranks"),
    (
        "tie broken by seat",
        duel(TieBySeat),
        {"hides": ["hands", "deck"]},
        r"the earlier seat was placed first.*seats_alike=False",
    ),
    ("points that are no ints", duel(FloatScores), {}, r"outcome\(\)\.scores is \(.*tuple of \d ints"),
    ("shared list", duel(ListOfHands), {}, r"share state\.log, a list that can be changed.*immutable"),
    ("shared dict in a tuple", duel(HiddenBehindTuple), {}, r"share state\.log\[0\], a dict"),
    ("moves kept by reference", duel(KeepsMoves), {}, r"kept the list of moves.*tuple\(moves\)"),
    ("incomplete copy", duel(Forgetful), {}, r"a copy differs from its original"),
    ("deadlock", duel(NeverEnds), {"max_steps": 20}, r"not over after 20 steps.*max_steps"),
    ("seat without a move", duel(StuckSeat), {}, r"legal is \(\) while turn is \(0, 1\)"),
    ("legal() differs", duel(OtherLegal), {}, r"legal\(\) returned \(\d+,.*while view\.legal is \(\)"),
    ("playout stops early", duel(StopsEarly), {}, r"turn is \(0, 1\) after playout\(\)"),
    ("playout tells otherwise", duel(TellsOtherwise), {}, r"playout\(\) returned .*, but outcome\(\) is"),
    ("playout loses a card", duel(LosesCards), {"conserved": all_cards}, r"conserved.*after playout\(\)"),
    ("playout is not even", duel(BestFirst), {}, r"score of seat 0 is .* by step\(\).*by playout\(\)"),
    ("playout without its rng", duel(OwnRandom), {}, r"playout\(\) returned two different results"),
    ("unsorted legal", duel(Unsorted), {}, r"legal is .*ascending order"),
    ("legal as a list", duel(ListLegal), {}, r"legal is a list|view\.legal is a list"),
    ("legal out of turn", duel(LegalOutOfTurn), {}, r"any other seat has none"),
    ("a set in the view", duel(SetInView), {}, r"view\.extra is a set.*plain data"),
    ("the state in the view", duel(StateInView), {}, r"view\.extra is a StateInView"),
    (
        "untyped view field",
        duel(WrongFieldType),
        {},
        r"written as JSON and read again is not the same: Expected `int`.*give the fields of DuelView the types",
    ),
    ("wrong seat in the view", duel(WrongSeat), {}, r"view\.seat is 0"),
    ("view changes the state", duel(CountsLooks), {}, r"view\(\) changed the state: looks"),
    ("a seat that is not there", duel(WildTurn), {}, r"turn is \(0, 1, 7\)"),
    ("an exception", duel(Crashes), {}, r"step 1: the rules raised KeyError: 'nine'"),
    ("global random", duel(GlobalRandomStep), {}, r"used Python's global random"),
    ("a random of its own", duel(RandomOfItsOwn), {}, r"played again.*no clock"),
    ("imagine gives another hand", duel(imagine=imagine_other_hand), {}, r"view differs from the one given: legal"),
    ("imagine invents", duel(imagine=imagine_impossible), {"conserved": all_cards}, r"conserved.*after imagine\(\)"),
    ("imagine remembers", duel(imagine=imagine_by_memory, start=start_and_remember), {}, r"imagine|remember"),
    ("imagine without its rng", duel(imagine=imagine_without_rng), {}, r"imagine\(\) depends on more than"),
    ("deal without its rng", duel(deal=deal_from_global), {}, r"two different deals for the same rng"),
    ("deal with lists", duel(deal=deal_lists), {}, r"deal\.deck is a list"),
    ("empty label", duel(label=lambda self, move, view: " "), {}, r"label\(\d+\) is ' '"),
    ("equal labels", duel(label=lambda self, move, view: "plays"), {}, r"have the same label 'plays'"),
    ("tell gives a string", duel(tell=lambda self, *_: "They play."), {}, r"tell\(\) returned 'They play.'"),
    ("empty opening", duel(opening=lambda self, state, names: [""]), {}, r"opening\(\) returned \[''\]"),
    ("no sketch", duel(sketch=lambda self, view, names: None), {}, r"sketch\(\) returned None"),
    ("sketch in one piece", duel(sketch=lambda self, view, names: ["a\nb"]), {}, r"sketch\(\) returned \["),
]


@each(("rules", "arguments", "message"), [row[1:] for row in PLANTED])
def test_planted_bug_is_caught_with_a_teaching_message(rules, arguments, message):
    with pytest.raises(ContractError) as caught:
        check_game(rules, **arguments)
    told = str(caught.value)
    assert re.search(message, told, re.DOTALL), told
    assert re.match(r"duel, [23] players, options {'reverse': (True|False)}, seed \d+", told)
    assert "\n  Fix: " in told


def test_a_lazy_redeal_is_caught_by_an_honest_imagine():
    with pytest.raises(
        ContractError, match=r"imagine\(\) can give another state\.hands\[\d\], but redeal\(\) always leaves"
    ):
        check_game(duel(LazyRedeal, imagine=imagine_honestly))


def test_a_redeal_that_spares_one_hand_is_caught():
    with pytest.raises(ContractError, match=r"imagine\(\) can give another state\.hands\[2\]"):
        check_game(duel(RedealForgetsSeatTwo, imagine=imagine_honestly)(3))


def test_a_leak_that_everything_takes_for_open_is_caught_once_the_secret_is_named():
    def imagine_from_leak(self, view, rng):
        state = Duel.imagine(self, view, rng)
        hands = [view.legal, view.extra]
        state.hands = tuple(hands if view.seat == 0 else reversed(hands))
        gone = {*view.legal, *view.extra, *(card for moves in view.history for card in moves)}
        state.deck = tuple(rng.sample([card for card in range(12) if card not in gone], len(state.deck)))
        return state

    open_hands = duel(LeaksAndLooksAway, imagine=imagine_from_leak)(2)
    assert check_game(open_hands).hidden == {"deck"}
    with pytest.raises(ContractError, match=r"state\.hands is among `hides`, but redeal\(\) never"):
        check_game(open_hands, hides={"hands", "deck"})


def test_an_imagine_that_peeks_at_the_deal_is_caught():
    class Fixed(Duel):
        """There is but one deal, so that an imagine that knows it is always right."""

        def deal(self, rng):
            return Duel.deal(self, Random(5))

        def imagine(self, view, rng):
            state = self.start(self.deal(rng))
            for moves in view.history:
                state.step(moves)
            return state

    found = r"redeal\(\) deals state\.\S+ again, but imagine\(\) always returns the true value"
    with pytest.raises(ContractError, match=found):
        check_game(Fixed)


class BidState(State):
    """All bid once at once; seats are alike."""

    bids: tuple[int, ...] = ()

    def view(self, seat: int) -> View:
        return View(seat, (1, 2, 3) if self.turn else ())

    def step(self, moves) -> None:
        self.bids = tuple(moves)
        self.turn = ()

    def outcome(self) -> Outcome:
        return Outcome(competition_ranks(self.bids), self.bids)

    def redeal(self, seat: int, rng: Random) -> None:
        pass


class EarlierSeatWins(BidState):
    def outcome(self) -> Outcome:
        return Outcome(competition_ranks([(bid, -seat) for seat, bid in enumerate(self.bids)]), self.bids)


class Bid(Game):
    name: ClassVar[str] = "bid"
    title: ClassVar[str] = "Bid"
    player_counts: ClassVar[range] = range(2, 4)
    deal_type = Deal
    view_type = View
    state_type: ClassVar[type[BidState]] = BidState

    def deal(self, rng: Random) -> Deal:
        return Deal()

    def start(self, deal: Deal) -> BidState:
        return self.state_type(tuple(range(self.players)))

    def imagine(self, view: View, rng: Random) -> BidState:
        return self.start(Deal())

    def label(self, move: int, view: View) -> str:
        return f"bids {move}"

    def tell(self, before, moves, after, names) -> list[str]:
        return []


class CoinDeal(Deal, frozen=True):
    coin: int


class Coin(Bid):
    """Deals differ, and nothing in the state tells: as if all were open."""

    deal_type = CoinDeal

    def deal(self, rng: Random) -> CoinDeal:
        return CoinDeal(rng.randrange(2))


def test_chance_that_is_never_dealt_again_must_be_said_to_be_open():
    with pytest.raises(ContractError, match=r"(?s)redeal\(\) never changed anything.*hides=\(\)"):
        check_game(Coin)
    check_game(Coin, hides=())


def test_a_game_without_chance_needs_no_redeal():
    assert check_game(Bid).hidden == set()


def test_tie_broken_by_seat_is_caught_in_symmetric_games():
    unfair = type("Unfair", (Bid,), {"state_type": EarlierSeatWins})
    with pytest.raises(ContractError, match="places depend on the seat"):
        check_game(unfair)
    check_game(unfair, seats_alike=False)


def test_declared_symmetric_seats_are_checked():
    class SeatBonus(BidState):
        def outcome(self) -> Outcome:
            points = tuple(bid + seat for seat, bid in enumerate(self.bids))
            return Outcome(competition_ranks(points), points)

    favoured = type("Favoured", (Bid,), {"state_type": SeatBonus})
    check_game(favoured)
    with pytest.raises(ContractError, match="points do not follow the players"):
        check_game(favoured, seats_alike=True)


def test_global_random_is_left_as_it_was():
    before = random.getstate()
    check_game(Bid(2))
    assert random.getstate() == before


class ManyOptions(Options, frozen=True):
    flag: bool = False
    mode: Literal["a", "b", "c"] = "b"
    size: Annotated[int, msgspec.Meta(ge=1, le=9)] = 4
    points: tuple[Annotated[int, msgspec.Meta(ge=0, le=5)], Annotated[int, msgspec.Meta(ge=0, le=5)]] = (1, 2)
    row: Annotated[tuple[Annotated[int, msgspec.Meta(ge=0, le=5)], ...], msgspec.Meta(min_length=1, max_length=3)] = (
        1,
    )

    def check(self, players: int) -> None:
        if self.flag and self.mode == "c":
            raise ValueError("flag cannot go with mode c.")


class ManyBid(Bid):
    options_type = ManyOptions


def test_option_values_begin_with_the_default_and_hold_every_choice_and_bound():
    assert option_values(ManyOptions) == {
        "flag": [False, True],
        "mode": ["b", "a", "c"],
        "size": [4, 1, 9],
        "points": [(1, 2), (0, 0), (5, 5)],
        "row": [(1,), (0,), (5, 5, 5)],
    }


def test_setups_hold_all_combinations_but_those_refused():
    every = list(setups(ManyBid, limit=10_000))
    combinations = 2 * 3 * 3 * 3 * 3
    refused = 3 * 3 * 3
    assert len(every) == len(ManyBid.player_counts) * (combinations - refused)
    assert len({(game.players, repr(game.options)) for game in every}) == len(every)


def test_setups_keep_each_single_change_when_sampled():
    limit = 12
    sampled = [game.options for game in setups(ManyBid, limit) if game.players == 2]
    assert len(sampled) == limit
    assert sampled[0] == ManyOptions()
    for name, values in option_values(ManyOptions).items():
        for value in values[1:]:
            assert ManyOptions(**{name: value}) in sampled


class Deck(Options, frozen=True):
    cards: Annotated[int, msgspec.Meta(ge=1, le=100)] = 40

    def check(self, players: int) -> None:
        if not 7 * players <= self.cards <= 90:
            raise ValueError("too few or too many cards.")


def test_a_bound_that_is_refused_gives_way_to_the_nearest_number_that_is_not():
    rules = type("DeckBid", (Bid,), {"options_type": Deck})
    for players in rules.player_counts:
        assert [(name, value) for name, value, _ in changed_alone(rules, players)] == [
            ("cards", 7 * players),
            ("cards", 90),
        ]
        assert [game.options.cards for game in setups(rules) if game.players == players] == [40, 7 * players, 90]


def test_defaults_that_are_refused_are_not_passed_over():
    class NeedsFlag(ManyOptions, frozen=True):
        def check(self, players: int) -> None:
            if not self.flag:
                raise ValueError("flag is needed.")

    with pytest.raises(OptionsError, match="flag is needed"):
        check_game(type("Broken", (Bid,), {"options_type": NeedsFlag}))
