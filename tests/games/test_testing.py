"""The kit catches planted bugs, each with words that teach the author what to mend.

Bugs are planted in Crown, the game of the tutorial, by replacing one of its methods.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import pytest

from league.errors import OptionsError
from league.games.contract import Deal, Game, Options, Outcome, State, View, competition_ranks
from league.testing import ContractError, check_game, option_values, setups
from tests.tables import each

SPEC = spec_from_file_location("crown_to_spoil", Path(__file__).parents[2] / "examples" / "crown.py")
assert SPEC is not None
assert SPEC.loader is not None
crown: Any = module_from_spec(SPEC)
sys.modules[SPEC.name] = crown
SPEC.loader.exec_module(crown)
Crown, CrownState = crown.Crown, crown.CrownState
SECRETS = {"hands", "box"}


class Spoilt(CrownState):  # type: ignore[misc,valid-type]
    """A state with room for what it should not hold."""

    kept: Any = ()


class Shows(crown.CrownView, frozen=True, array_like=True, gc=False):  # type: ignore[call-arg,misc]
    """A view with room for what it should not show."""

    extra: tuple[int, ...] | None = None


def spoil(of_game: Mapping[str, Any] = MappingProxyType({}), /, **of_state: Any) -> type[Game]:
    """Crown with some methods of the game or of its state replaced."""
    state = type(CrownState)("Planted", (Spoilt,), of_state)

    def lay_out(self, sizes, cards):
        return state(*msgspec.structs.astuple(Crown._lay_out(self, sizes, cards)))

    return type("Planted", (Crown,), {"_lay_out": lay_out, **of_game})


def plant(**of_game: Any) -> type[Game]:
    return spoil(of_game)


def shows(extra: Callable[[Any, int], Any], imagine: Any = Crown.imagine, **of_state: Any) -> type[Game]:
    """Crown whose views show something more."""

    def view(self, seat):
        return Shows(*msgspec.structs.astuple(CrownState.view(self, seat)), extra(self, seat))

    return spoil({"view_type": Shows, "imagine": imagine}, view=view, **of_state)


def changed(**fields: Callable[[Any, Any], Any]) -> type[Game]:
    """Crown with other values in its views, made of the state and the view."""

    def view(self, seat):
        right = CrownState.view(self, seat)
        return msgspec.structs.replace(right, **{name: value(self, right) for name, value in fields.items()})

    return spoil(view=view)


def after(method: str, change: Callable[..., Any]) -> type[Game]:
    """Crown that does something more, when a method of its state has done its work."""
    original = getattr(CrownState, method)

    def spoilt(self, *arguments):
        result = original(self, *arguments)
        other = change(self, *arguments) if result is None else change(self, result, *arguments)
        return result if other is None else other

    return spoil(**{method: spoilt})


def put(name: str, value: Callable[..., Any]) -> Callable[..., None]:
    """Sets a field of a state."""
    return lambda state, *arguments: setattr(state, name, value(state, *arguments))


def all_cards(state: Any) -> list[int]:
    return sorted([*state.box, *(card for cards in (*state.hands, *state.history) for card in cards)])


def ranked(scores: tuple[int, ...]) -> Outcome:
    return Outcome(competition_ranks(scores), scores)


def with_card_of_box(state):
    return ranked((state.won[0] + state.box[0], *state.won[1:]))


def dense(state):
    places = sorted({*state.won}, reverse=True)
    return Outcome(tuple(map(places.index, state.won)), state.won)


def by_seat(state):
    order = sorted(range(len(state.won)), key=lambda seat: -state.won[seat])
    return Outcome(tuple(map(order.index, range(len(order)))), state.won)


def box_alone(state, seat, rng):
    state.box = tuple(rng.sample(state.box, len(state.box)))


def spares_seat_two(state, seat, rng):
    two = state.copy()
    two.hands = state.hands[:2]
    CrownState.redeal(two, seat, rng)
    state.hands, state.box = (*two.hands, *state.hands[2:]), two.box


def log_in_place(state, moves):
    state.kept = state.kept or []
    state.kept.append(moves[0])


def keep_the_moves(state, moves):
    CrownState.step(state, moves)
    state.kept = moves


def copy_with_moves(state):
    twin = CrownState.copy(state)
    twin.kept = type(state.kept)(state.kept)
    return twin


def raise_at_the_second(state, moves):
    if len(state.history) > 1:
        raise KeyError("nine")


def stops_early(state, rng):
    state.step([rng.choice(state.legal(seat)) for seat in state.turn])
    return state.outcome()


def better_of_two(state, rng):
    tried = [state.copy(), state.copy()]
    best = max(tried, key=lambda one: State.playout(one, rng).scores[0])
    for name in state.__struct_fields__:
        setattr(state, name, getattr(best, name))
    return state.outcome()


def loses_the_box(state, rng):
    outcome = State.playout(state, rng)
    state.box = ()
    return outcome


def told_otherwise(state, rng):
    outcome = State.playout(state, rng)
    return Outcome(outcome.ranks[::-1], outcome.scores[::-1])


def imagined(change: Callable[[Any], None]) -> Callable[..., Any]:
    """An `imagine` that spoils what it made."""

    def imagine(self, view, rng):
        state = Crown.imagine(self, view, rng)
        change(state)
        return state

    return imagine


def imagine_honestly(self, view, rng):
    """Does not rely on a planted redeal."""
    state = Crown.imagine(self, view, rng)
    CrownState.redeal(state, view.seat, rng)
    return state


def start_and_remember(self, deal):
    self.remembered = Crown.start(self, deal)
    return self.remembered


CANNOT_KNOW = r"view shows what seat \d cannot know: extra"
PLANTED: list[tuple[type[Game], dict[str, Any], str]] = [
    # Secrets
    (shows(lambda state, seat: state.hands[seat - 1]), {}, CANNOT_KNOW),
    (shows(lambda state, seat: state.box[:1]), {}, CANNOT_KNOW + " changed .* box"),
    (shows(lambda state, seat: () if state.turn else state.box[:1]), {}, CANNOT_KNOW + " changed .* box"),
    (
        spoil(outcome=with_card_of_box),
        {"seats_alike": False},
        r"the outcome depends on what seat \d cannot know: redeal\(\) made it Outcome.*show in the final view",
    ),
    (
        shows(lambda state, seat: state.hands[seat - 1], redeal=box_alone),
        {},
        r"imagine\(\) returned a state whose view differs.*extra",
    ),
    # Dealing again
    (
        spoil(redeal=lambda *_: None),
        {},
        r"imagine\(\) can give another state\.\S+, but redeal\(\) always leaves it alone",
    ),
    (spoil(redeal=State.redeal), {}, r"imagine\(\) can give another state\.\S+, but redeal\(\) is not written"),
    (spoil(redeal=box_alone), {"hides": SECRETS}, r"state\.hands"),
    (Crown, {"hides": ["box"]}, r"dealt state\.hands again.*add it to hides"),
    (
        spoil(redeal=lambda state, seat, rng: CrownState.redeal(state, seat, Random())),
        {},
        r"redeal\(\) depends on more than its rng",
    ),
    (after("redeal", put("turn", lambda state, *_: state.turn[:1])), {}, r"the view shows|whose turn it is"),
    (
        after("redeal", put("box", lambda state, *_: (*state.box[:-1], 0))),
        {"conserved": all_cards},
        r"conserved.*after redeal\(\)",
    ),
    # Ranks
    (spoil(outcome=dense), {}, r"not competition ranks.*use competition_ranks"),
    (
        spoil(outcome=by_seat),
        {"hides": SECRETS},
        r"the earlier seat was placed first.*seats_alike=False",
    ),
    (
        spoil(outcome=lambda state: Outcome((0,) * len(state.won), tuple(won / 2 for won in state.won))),
        {},
        r"outcome\(\)\.scores is \(.*tuple of \d ints",
    ),
    # Copies
    (after("step", log_in_place), {}, r"share state\.kept, a list that can be changed.*immutable"),
    (after("step", put("kept", lambda *_: ({},))), {}, r"share state\.kept\[0\], a dict"),
    (
        spoil(step=keep_the_moves, copy=copy_with_moves),
        {},
        r"kept the list of moves.*tuple\(moves\)",
    ),
    (
        after("copy", lambda state, twin: put("won", lambda it: (0,) * len(it.won))(twin)),
        {},
        r"a copy differs from its original",
    ),
    # Steps
    (spoil({"tell": lambda *_: []}, step=lambda *_: None), {"max_steps": 20}, r"not over after 20 steps.*max_steps"),
    (
        changed(legal=lambda state, view: () if len(state.history) == 1 and view.seat == 1 else view.legal),
        {},
        r"legal is \(\) while turn is \(0, 1\)",
    ),
    (
        spoil(legal=lambda state, seat: state.hands[0]),
        {},
        r"legal\(\) returned \(\d+,.*while view\.legal is \(\d+",
    ),
    (spoil(playout=stops_early), {}, r"turn is \(0, 1\) after playout\(\)"),
    (spoil(playout=told_otherwise), {}, r"playout\(\) returned .*, but outcome\(\) is"),
    (spoil(playout=loses_the_box), {"conserved": all_cards}, r"conserved.*after playout\(\)"),
    (spoil(playout=better_of_two), {}, r"score of seat 0 is .* by step\(\).*by playout\(\)"),
    (
        spoil(playout=lambda state, rng: State.playout(state, Random())),
        {},
        r"playout\(\) returned two different results",
    ),
    (changed(legal=lambda state, view: view.legal[::-1]), {}, r"legal is .*ascending order"),
    (changed(legal=lambda state, view: [*view.legal]), {}, r"legal is a list|view\.legal is a list"),
    (changed(legal=lambda state, view: view.legal if state.turn else (1,)), {}, r"any other seat has none"),
    (after("step", put("turn", lambda state, _: (*state.turn, 7) if state.turn else ())), {}, r"turn is \(0, 1, 7\)"),
    (after("step", raise_at_the_second), {}, r"step 1: the rules raised KeyError: 'nine'"),
    (after("step", lambda *_: random.random() and None), {}, r"used Python's global random"),
    (after("step", put("kept", lambda *_: Random().random())), {}, r"played again.*no clock"),
    # Views
    (shows(lambda *_: {1, 2}), {}, r"view\.extra is a set.*plain data"),
    (shows(lambda state, seat: state), {}, r"view\.extra is a Planted"),
    (
        shows(lambda *_: ((1, 2),)),
        {},
        r"written as JSON and read again is not the same: Expected `int`.*give the fields of Shows the types",
    ),
    (changed(seat=lambda *_: 0), {}, r"view\.seat is 0"),
    (
        after("view", lambda state, *_: put("kept", lambda it: (*it.kept, 1))(state)),
        {},
        r"view\(\) changed the state: kept",
    ),
    # The game
    (plant(counts="point"), {}, "counts is 'point'"),
    (plant(points_range=(0, 0)), {}, "points_range is"),
    (
        plant(imagine=imagined(put("hands", lambda state: (*state.hands[1:], state.hands[0])))),
        {},
        r"view differs from the one given: legal",
    ),
    (
        plant(imagine=imagined(put("box", lambda state: (*state.box[:-1], 99)))),
        {"conserved": all_cards},
        r"conserved.*after imagine\(\)",
    ),
    (plant(imagine=lambda self, *_: self.remembered.copy(), start=start_and_remember), {}, r"imagine|remember"),
    (
        plant(imagine=lambda self, view, rng: Crown.imagine(self, view, Random())),
        {},
        r"imagine\(\) depends on more than",
    ),
    (
        plant(deal=lambda self, rng: Crown.deal(self, Random(random.random()))),
        {},
        r"two different deals for the same rng",
    ),
    (plant(deal=lambda self, rng: crown.CrownDeal([*Crown.deal(self, rng).cards])), {}, r"deal\.cards is a list"),
    (plant(label=lambda self, move, view: " "), {}, r"label\(\d+\) is ' '"),
    (plant(label=lambda self, move, view: "plays"), {}, r"have the same label 'plays'"),
    (plant(tell=lambda self, *_: "They play."), {}, r"tell\(\) returned 'They play.'"),
    (plant(opening=lambda self, state, names: [""]), {}, r"opening\(\) returned \[''\]"),
    (plant(sketch=lambda self, view, names: None), {}, r"sketch\(\) returned None"),
    (plant(sketch=lambda self, view, names: ["a\nb"]), {}, r"sketch\(\) returned \["),
]


@each(("rules", "arguments", "message"), PLANTED)
def test_planted_bug_is_caught_with_a_teaching_message(rules, arguments, message):
    with pytest.raises(ContractError) as caught:
        check_game(rules, **arguments)
    told = str(caught.value)
    assert re.search(message, told, re.DOTALL), told
    assert re.match(r"crown, [234] players, options {'low_wins': (True|False)}, seed \d+", told)
    assert "\n  Fix: " in told


def test_a_correct_game_passes_and_is_reported():
    report = check_game(Crown, hides=SECRETS, conserved=all_cards, seats_alike=False)
    assert report.setups == 6
    assert report.hidden == SECRETS
    assert report.decisions > 0


def test_one_set_up_game_can_be_checked_alone():
    assert check_game(Crown(3, {"low_wins": True}), playings=1, endings=1).setups == 1


@each(("redeal", "players", "found"), [(box_alone, 2, r"hands\[\d\], but"), (spares_seat_two, 3, r"hands\[2\]")])
def test_a_redeal_that_spares_a_hand_is_caught_by_an_honest_imagine(redeal, players, found):
    rules = spoil({"imagine": imagine_honestly}, redeal=redeal)
    with pytest.raises(ContractError, match=rf"imagine\(\) can give another state\.{found}"):
        check_game(rules(players))


def test_a_leak_that_everything_takes_for_open_is_caught_once_the_secret_is_named():
    def imagine_from_leak(self, view, rng):
        state = Crown.imagine(self, view, rng)
        hands = [view.legal, view.extra]
        state.hands = tuple(hands if view.seat == 0 else reversed(hands))
        gone = {*view.legal, *view.extra, *(card for moves in view.history for card in moves)}
        state.box = tuple(rng.sample([card for card in crown.PACK if card not in gone], len(state.box)))
        return state

    rules = shows(lambda state, seat: state.hands[seat - 1], imagine_from_leak, redeal=box_alone)
    assert check_game(rules(2)).hidden == {"box"}
    with pytest.raises(ContractError, match=r"state\.hands is among `hides`, but redeal\(\) never"):
        check_game(rules(2), hides=SECRETS)


def test_an_imagine_that_peeks_at_the_deal_is_caught():
    class Fixed(Crown):
        """There is but one deal, so that an imagine that knows it is always right."""

        def deal(self, rng):
            return Crown.deal(self, Random(5))

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


def test_a_row_of_any_length_is_tried_with_none_and_one():
    class Free(Options, frozen=True):
        row: tuple[Annotated[int, msgspec.Meta(ge=0, le=5)], ...] = ()

    assert option_values(Free) == {"row": [(), (5,)]}


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


def test_defaults_that_are_refused_are_not_passed_over():
    class NeedsFlag(ManyOptions, frozen=True):
        def check(self, players: int) -> None:
            if not self.flag:
                raise ValueError("flag is needed.")

    with pytest.raises(OptionsError, match="flag is needed"):
        check_game(type("Broken", (Bid,), {"options_type": NeedsFlag}))
