"""What a seat cannot know: dealt again by `redeal`, sampled by `imagine`, and never in a view."""

from __future__ import annotations

from collections.abc import Collection
from random import Random

import msgspec

from league.games.contract import Game, State, View
from league.testing.checks import Place, differing_fields, differing_places

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
        for where in sorted({*self.imagined} - {*self.redealt}):
            state, seat = self.imagined[where]
            place.seat = seat
            place.check(
                _ever_differs(state, where, [_redealt(state, seat, rng) for _ in range(LONG_ENOUGH)]),
                f"imagine() can give another state.{where}, but redeal() always leaves it alone.",
                "deal again in redeal() all that the seat cannot know; or let imagine() take it from the view.",
            )
        for where in sorted({*self.redealt} - {*self.imagined}):
            state, seat = self.redealt[where]
            if seat not in state.turn:
                continue
            place.seat = seat
            view = state.view(seat)
            place.check(
                _ever_differs(state, where, [self.twin.imagine(view, rng) for _ in range(LONG_ENOUGH)]),
                f"redeal() deals state.{where} again, but imagine() always returns the true value.",
                "sample in imagine() all that the seat cannot know; the game must not remember playings.",
            )


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


def _ever_differs(state: State, where: str, samples: list[State]) -> bool:
    return any(where in differing_places(state, sample) for sample in samples)


def _fields(state: msgspec.Struct, other: msgspec.Struct) -> str:
    return ", ".join(differing_fields(state, other))
