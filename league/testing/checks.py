"""Checks of one state, one deal or one outcome, and how the kit reports a mistake: where, what, and how to fix it.

The last part checks what a seat cannot know: dealt again by `redeal`, sampled by `imagine`, and never in a view.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from random import Random
from typing import Any, NoReturn

import msgspec

from league.games.contract import Game, Outcome, State, View, competition_ranks, plain

PLAIN = {int, str, bool, type(None)}
IMMUTABLE = PLAIN | {float, bytes}


class ContractError(AssertionError):
    """A game breaks the contract of `league.games.contract`."""


class Place:
    """Where the kit is at work: the game and its setup, the seed of the playing, the step, and the seat."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.seed = seed
        self.step: int | None = None
        self.seat: int | None = None

    def __str__(self) -> str:
        parts = [self.game.name, f"{self.game.players} players", f"options {plain(self.game.options)}"]
        parts.append(f"seed {self.seed}")
        parts += [f"step {self.step}"] * (self.step is not None)
        parts += [f"seat {self.seat}"] * (self.seat is not None)
        return ", ".join(parts)

    def fail(self, what: str, fix: str) -> NoReturn:
        """Raise `ContractError`: what is wrong here, and how to fix it."""
        raise ContractError(f"{self}: {what}\n  Fix: {fix}")

    def check(self, holds: bool, what: str, fix: str) -> None:
        """Fail unless it holds."""
        if not holds:
            self.fail(what, fix)


def check_deal(place: Place, twin: Game) -> Any:
    """Draw the deal of the place's seed: it follows from the rng alone, and is plain data."""
    kind = place.game.deal_type
    deal = place.game.deal(Random(place.seed))
    place.check(isinstance(deal, kind), f"deal() returned a {type(deal).__name__}.", f"return a {kind.__name__}.")
    place.check(
        twin.deal(Random(place.seed)) == deal,
        "deal() returned two different deals for the same rng.",
        "use nothing but the rng that is given: no clock, no global random, no order of sets, no memory.",
    )
    for path, value in not_plain(deal):
        place.fail(f"deal.{path} is a {type(value).__name__}.", "use ints, strings, tuples and frozen structs only.")
    _check_reread(place, "deal", deal, kind)
    return deal


def _check_reread(place: Place, word: str, value: Any, kind: type) -> None:
    """A value can be written and read again, as replays and hosts do."""
    for name, codec in (("JSON", msgspec.json), ("msgpack", msgspec.msgpack)):
        try:
            again = codec.decode(codec.encode(value), type=kind)
        except msgspec.ValidationError as error:
            again = error
        place.check(
            again == value,
            f"the {word} written as {name} and read again is not the same: {again}.",
            f"give the fields of {kind.__name__} the types of what they hold.",
        )


def check_views(place: Place, state: State) -> list[View]:
    """Whose turn it is and what each seat sees are coherent, and looking changes nothing."""
    players, turn = place.game.players, state.turn
    place.check(
        type(turn) is tuple and len({*turn}) == len(turn) and {*turn} <= {*range(players)},
        f"turn is {turn!r}.",
        f"turn must be a tuple of different seats from 0 to {players - 1}.",
    )
    before = snapshot(state)
    views = []
    for place.seat in range(players):
        views.append(_check_view(place, state, place.seat))
    place.seat = None
    place.check(
        not (changed := changed_since(before, state)),
        f"view() changed the state: {', '.join(changed)}.",
        "a view must not change anything; do all work in step().",
    )
    return views


def _check_view(place: Place, state: State, seat: int) -> View:
    kind = place.game.view_type
    view = state.view(seat)
    place.check(type(view) is kind, f"view() returned a {type(view).__name__}.", f"return a {kind.__name__}.")
    place.check(view.seat == seat, f"view.seat is {view.seat!r}.", "it must be the seat whose view it is.")
    for path, value in not_plain(view):
        place.fail(
            f"view.{path} is a {type(value).__name__}.",
            "a view is plain data: ints, strings, booleans, None, tuples and frozen structs.",
        )
    legal = view.legal
    place.check(
        type(legal) is tuple and all(type(move) is int for move in legal) and [*legal] == sorted({*legal}),
        f"view.legal is {legal!r}.",
        "it must be a tuple of different ints in ascending order.",
    )
    place.check(
        bool(legal) == (seat in state.turn),
        f"view.legal is {legal!r} while turn is {state.turn!r}.",
        "a seat in turn has at least one legal move, any other seat has none.",
    )
    place.check(
        state.legal(seat) == legal,
        f"legal() returned {state.legal(seat)!r} while view.legal is {legal!r}.",
        "both must be the same; leave legal() out unless it is faster than a view.",
    )
    _check_reread(place, "view", view, kind)
    place.check(state.view(seat) == view, "view() differs between two calls.", "look at the state alone.")
    return view


def check_copy(place: Place, state: State, rng: Random) -> None:
    """A copy is equal, shares nothing that can be changed, and playing it leaves the original alone."""
    twin = state.copy()
    place.check(twin == state, "a copy differs from its original.", "let copy() take over every field.")
    originals = {id(value) for _, value in mutable_parts(state)}
    for path, value in mutable_parts(twin):
        if id(value) in originals:
            place.fail(
                f"a state and its copy share state.{path}, a {type(value).__name__} that can be changed.",
                "hold immutable values only (tuples, frozensets, frozen structs); let step() set fields to new ones.",
            )
    before = snapshot(state)
    if twin.turn:
        twin.step(random_moves(place, twin, rng))
    place.check(
        not (changed := changed_since(before, state)),
        f"playing a copy changed its original: {', '.join(changed)}.",
        "hold immutable values only, and let step() set fields to new ones.",
    )


def check_outcome(place: Place, state: State) -> Outcome:
    """Ranks are competition ranks, scores are ints, one for each seat."""
    players = place.game.players
    outcome = state.outcome()
    place.check(type(outcome) is Outcome, "outcome() did not return an Outcome.", "return Outcome(ranks, scores).")
    for name, values in (("ranks", outcome.ranks), ("scores", outcome.scores)):
        place.check(
            type(values) is tuple and len(values) == players and all(type(value) is int for value in values),
            f"outcome().{name} is {values!r}.",
            f"it must be a tuple of {players} ints.",
        )
    wanted = competition_ranks([-rank for rank in outcome.ranks])
    place.check(
        outcome.ranks == wanted,
        f"outcome().ranks is {outcome.ranks}, which are not competition ranks.",
        f"a rank is the number of players who did better, so this should be {wanted}: use competition_ranks().",
    )
    counts, bounds = place.game.counts, place.game.points_range
    place.check(counts in ("places", "points"), f"counts is {counts!r}.", "it must be 'places' or 'points'.")
    low, high = bounds or (min(outcome.scores), max(outcome.scores))
    place.check(
        low <= min(outcome.scores) and max(outcome.scores) <= high,
        f"outcome().scores is {outcome.scores} while points_range is {bounds}.",
        "points_range holds the fewest and the most points that a seat can get, or is None.",
    )
    return outcome


def check_shown(place: Place, state: State, redealt: State) -> None:
    """The final view shows all that decides the outcome: dealing again what a seat cannot know does not change it."""
    outcome, other = state.outcome(), redealt.outcome()
    place.check(
        outcome == other,
        f"it is over, and the outcome depends on what seat {place.seat} cannot know: redeal() made it {other}.",
        "show in the final view what decided the playing, as people at a table would, and leave it alone in redeal().",
    )


def check_labels(place: Place, view: View) -> None:
    """Every legal move has a label of its own."""
    labels: dict[str, int] = {}
    for move in view.legal:
        label = place.game.label(move, view)
        place.check(
            type(label) is str and bool(label.strip()) and "\n" not in label,
            f"label({move}) is {label!r}.",
            "give a few words in one line.",
        )
        place.check(
            label not in labels,
            f"the moves {labels.get(label)} and {move} have the same label {label!r}.",
            "people choose by the label: give each legal move another one.",
        )
        labels[label] = move


def check_lines(place: Place, source: str, lines: list[str]) -> None:
    """Text for people is a list of sentences."""
    place.check(
        type(lines) is list and all(type(line) is str and line.strip() and "\n" not in line for line in lines),
        f"{source}() returned {lines!r}.",
        "give a list of sentences, a line each, none empty.",
    )


def random_moves(place: Place, state: State, rng: Random) -> list[int]:
    """One legal move for each seat in turn."""
    moves = []
    for seat in state.turn:
        legal = state.view(seat).legal
        if not legal:
            place.fail(f"seat {seat} is in turn and has no legal move.", "skip it, or give it a move to pass.")
        moves.append(rng.choice(legal))
    return moves


def is_frozen(value: Any) -> bool:
    """Whether a value is a struct whose fields cannot be set."""
    return isinstance(value, msgspec.Struct) and value.__struct_config__.frozen


def mutable_parts(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Everything in a state that could be changed in place, with the path that leads there."""
    if type(value) in IMMUTABLE:
        return
    if isinstance(value, tuple | frozenset):
        if {*map(type, value)} <= IMMUTABLE:  # long decks are common
            return
        for index, item in enumerate(value):
            yield from mutable_parts(item, f"{path}[{index}]")
        return
    if isinstance(value, msgspec.Struct):
        if path and not is_frozen(value):
            yield path, value
        for name in value.__struct_fields__:
            yield from mutable_parts(getattr(value, name), f"{path}.{name}" if path else name)
        return
    yield path, value


def not_plain(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Everything in a view or a deal that is more than ints, strings, booleans, None, tuples and frozen structs."""
    if type(value) in PLAIN or (type(value) is tuple and {*map(type, value)} <= PLAIN):
        return
    if type(value) is tuple:
        for index, item in enumerate(value):
            yield from not_plain(item, f"{path}[{index}]")
    elif is_frozen(value):
        for name in value.__struct_fields__:
            yield from not_plain(getattr(value, name), f"{path}.{name}" if path else name)
    else:
        yield path, value


def snapshot(state: msgspec.Struct) -> dict[str, str]:
    """What a state holds now, field by field: shows later whether it was changed in place."""
    return {name: repr(getattr(state, name)) for name in state.__struct_fields__}


def changed_since(before: dict[str, str], state: msgspec.Struct) -> list[str]:
    """The fields that differ from a snapshot."""
    return [name for name, text in snapshot(state).items() if text != before[name]]


def differing_fields(state: msgspec.Struct, other: msgspec.Struct) -> list[str]:
    """The names of the fields in which two structs of one kind differ."""
    return [name for name in state.__struct_fields__ if getattr(state, name) != getattr(other, name)]


def differing_places(state: msgspec.Struct, other: msgspec.Struct) -> set[str]:
    """Where two states differ: fields, and items of fields that hold tuples, such as 'hands[1]'.

    The order of the cards in such an item is not looked at: one keeps a hand sorted, another as it was drawn.
    """
    places = set()
    for name in differing_fields(state, other):
        left, right = getattr(state, name), getattr(other, name)
        if _is_nested(left) and _is_nested(right) and len(left) == len(right):
            pairs = enumerate(zip(left, right, strict=True))
            places |= {f"{name}[{index}]" for index, (mine, yours) in pairs if _unordered(mine) != _unordered(yours)}
        else:
            places.add(name)
    return places


def _is_nested(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and all(isinstance(item, tuple) for item in value)


def _unordered(cards: tuple[Any, ...]) -> list[str]:
    return sorted(map(repr, cards))


LONG_ENOUGH = 100
"""How often a deal that should differ is tried again before the kit says that it never does."""


class Secrets:
    """Checks the secrets of one game, and remembers where they were found."""

    def __init__(self, twin: Game) -> None:
        self.twin = twin
        """Another instance of the game, which has seen no playing."""
        self.fields: set[str] = set()
        """The fields of the state that `redeal` dealt again."""
        self.redealt: dict[str, tuple[State, int]] = {}
        """What `redeal` dealt again, with the first state and seat for which it did."""
        self.imagined: dict[str, tuple[State, int]] = {}
        """What `imagine` set to another value, likewise."""

    def check_redeal(self, place: Place, state: State, view: View, seed: float) -> State:
        """Dealing again what a seat cannot know does not change its view. Returns the new state."""
        other = _redealt(state, view.seat, Random(seed))
        shown = other.view(view.seat)
        place.check(
            shown == view,
            f"the view shows what seat {view.seat} cannot know: {_fields(view, shown)} changed when redeal() dealt "
            f"{_fields(state, other)} again.",
            "leave that out of view(); or, if the seat may know it, leave it alone in redeal().",
        )
        place.check(other.turn == state.turn, "redeal() changed whose turn it is.", "deal again secrets only.")
        place.check(
            _redealt(state, view.seat, Random(seed)) == other,
            "redeal() depends on more than its rng.",
            "use nothing but the rng that is given.",
        )
        self.fields.update(differing_fields(state, other))
        for where in differing_places(state, other):
            self.redealt.setdefault(where, (state.copy(), view.seat))
        return other

    def check_imagine(self, place: Place, state: State, view: View, seed: float) -> State:
        """A state imagined from a view gives the same view at that seat. Returns that state."""
        alone = msgspec.msgpack.decode(msgspec.msgpack.encode(view), type=place.game.view_type)
        other = self.twin.imagine(alone, Random(seed))
        shown = other.view(view.seat)
        place.check(
            shown == view,
            f"imagine() returned a state whose view differs from the one given: {_fields(view, shown)}.",
            "build the state so that this seat sees in it just what it saw. If that cannot be done from the view, "
            "then the view shows something that this seat should not see, or lacks something that it should.",
        )
        place.check(
            place.game.imagine(alone, Random(seed)) == other,
            "imagine() depends on more than the view and its rng.",
            "use nothing but the view and the rng that are given; the game must not remember playings.",
        )
        for where in differing_places(state, other):
            self.imagined.setdefault(where, (state.copy(), view.seat))
        return other

    def check_agreement(self, place: Place, rng: Random) -> None:
        """What `imagine` treats as unknown, `redeal` must too, and vice versa."""
        for where in sorted({*self.imagined} ^ {*self.redealt}):
            is_imagined = where in self.imagined
            state, place.seat = self.imagined[where] if is_imagined else self.redealt[where]
            seat, view = place.seat, state.view(place.seat)
            if is_imagined:
                leaves = "always leaves it alone" if type(state).redeal is not State.redeal else "is not written"
                what = f"imagine() can give another state.{where}, but redeal() {leaves}."
                fix = "deal again in redeal() all that the seat cannot know; or let imagine() take it from the view."
                samples = (_redealt(state, seat, rng) for _ in range(LONG_ENOUGH))
            elif seat in state.turn:
                what = f"redeal() deals state.{where} again, but imagine() always returns the true value."
                fix = "sample in imagine() all that the seat cannot know; the game must not remember playings."
                samples = (self.twin.imagine(view, rng) for _ in range(LONG_ENOUGH))
            else:
                continue
            place.check(any(where in differing_places(state, sample) for sample in samples), what, fix)


def check_hidden(place: Place, fields: set[str], hides: Collection[str] | None, chance: bool) -> None:
    """The fields that were dealt again are those which the author says hide something; at least one, by default."""
    if hides is None:
        place.check(
            bool(fields) or not chance,
            "deals differ, but redeal() never changed anything for any seat.",
            "let redeal() deal again what a seat cannot know; if all is open, use check_game(…, hides=()).",
        )
        return
    for field in sorted({*hides} - fields):
        place.fail(
            f"state.{field} is among `hides`, but redeal() never dealt it again for any seat.",
            "deal it again in redeal(), given what the seat knows, and make sure that view() does not show it.",
        )
    for field in sorted(fields - {*hides}):
        place.fail(
            f"redeal() dealt state.{field} again, which is not among `hides`: {sorted(hides)}.",
            "leave it alone in redeal() if all know it; otherwise add it to hides.",
        )


def _redealt(state: State, seat: int, rng: Random) -> State:
    other = state.copy()
    other.redeal(seat, rng)
    return other


def _fields(state: msgspec.Struct, other: msgspec.Struct) -> str:
    return ", ".join(differing_fields(state, other))
