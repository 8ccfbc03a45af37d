"""Scenes of Raj: the prize and the bids of the round just over, and the hands that are left."""

from __future__ import annotations

from collections.abc import Sequence

from league.games.raj.rules import CARDS, NOBODY, RajState, RajView
from league.games.raj.rules import RajRules as Rules
from league.games.scenes import Card, Mark, Pick, Scene, Seat, Zone, zone_number


def draw(game: Rules, states: Sequence[RajState], moves: Sequence[Sequence[int]]) -> list[list[Scene]]:
    """A scene before the first round, and one after each."""
    views = [state.view(0) for state in states]  # any seat's will do: all that is in it is known to everybody
    opening = Scene(
        title="Before the first round",
        seats=tuple(Seat("0", zones=(_hand(views[0], seat),)) for seat in range(game.players)),
        table=(_prizes("At stake", views[0].pile), _to_come(views[0])),
        turn=states[0].turn,
    )
    rounds = zip(views, views[1:], states[1:], strict=False)
    return [[opening], *([_after(before, after, state.turn)] for before, after, state in rounds)]


def _after(before: RajView, after: RajView, turn: tuple[int, ...]) -> Scene:
    past = after.history[-1]
    table = [_prizes("At stake", before.pile)]
    if turn:
        table += [_prizes("Next", after.pile), _to_come(after)]
    seats = []
    for seat, bid in enumerate(past.bids):
        marks: tuple[Mark, ...] = ("won",) if seat == past.winner else ("gone",) if past.bids.count(bid) > 1 else ()
        bid_zone = Zone("Bid", (Card(str(bid), seat=seat, marks=marks),))
        zones = [bid_zone, _hand(after, seat), _prizes("Taken", _taken(after, seat), small=True)]
        role = "takes it" if seat == past.winner else ""
        seats.append(Seat(str(after.scores[seat]), role, tuple(zone for zone in zones if zone.cards)))
    return Scene(f"Round {len(after.history)} of {len(CARDS)}", tuple(seats), tuple(z for z in table if z.cards), turn)


def _hand(view: RajView, seat: int) -> Zone:
    return Zone("Hand", tuple(Card(str(card), seat=seat, known=(seat,)) for card in view.hands[seat]), "small")


def _prizes(label: str, prizes: Sequence[int], *, small: bool = False) -> Zone:
    return Zone(label, tuple(map(_prize, prizes)), look="small" if small else "row")


def _prize(prize: int) -> Card:
    name, hue = ("Mouse", 145) if prize > 0 else ("Vulture", 20)
    return Card(f"{prize:+d}", name, name.lower(), hue=hue)


def _to_come(view: RajView) -> Zone:
    return _prizes("Still to come", view.unseen, small=True)


def _taken(view: RajView, seat: int) -> list[int]:
    """The prizes that a seat has taken so far."""
    taken: list[int] = []
    table: list[int] = []
    for past in view.history:
        table.append(past.shown)
        if past.winner == seat:
            taken += table
        if past.winner != NOBODY:
            table = []
    return sorted(taken)


def picks(view: RajView, scene: Scene) -> dict[int, tuple[Pick, ...]]:
    """The card of the own hand that a bid is."""
    hand = zone_number(scene.seats[view.seat].zones, "Hand")
    return {bid: ((view.seat, hand, view.hands[view.seat].index(bid)),) for bid in view.legal}
