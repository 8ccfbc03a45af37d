"""Scenes of BraveRats: every round as a pair of cards, the hands, and the draft if there is one."""

from __future__ import annotations

from collections.abc import Sequence

from league.games.braverats.rules import (
    MIME,
    NAMES,
    NO_CARD,
    NOBODY,
    VALUES,
    BraveRatsRound,
    BraveRatsState,
    BraveRatsView,
)
from league.games.braverats.rules import BraveRatsRules as Rules
from league.games.scenes import Card, Mark, Pick, Scene, Seat, Zone, zone_number

ICONS = ("lute", "tiara", "eye", "dagger", "scroll", "wand", "shield", "crown", "mask")
"""By card."""

Views = tuple[BraveRatsView, BraveRatsView]


def draw(game: Rules, states: Sequence[BraveRatsState], moves: Sequence[Sequence[int]]) -> list[list[Scene]]:
    """A scene after each step; two where one game of an emperor's ends and the next begins."""
    views = [(state.view(0), state.view(1)) for state in states]
    scenes = [[_scene(game, views[0], states[0].turn)]]
    for before, after, state in zip(views, views[1:], states[1:], strict=False):
        ended = [_last_round(before, after)] if after[0].game > before[0].game else []
        scenes.append([*ended, _scene(game, after, state.turn)])
    return scenes


def _scene(game: Rules, views: Views, turn: tuple[int, ...]) -> Scene:
    view = views[0]
    if view.drafting:
        return _drafting(views, turn)
    seats = []
    for seat in (0, 1):
        zones = [_rounds(view.history, seat)]
        if view.shown != NO_CARD and seat == 1 - view.spy:
            zones.append(Zone("Shown to the Spy", (_card(view.shown, seat, marks=("new",)),)))
        zones += [
            _hand(views[seat]),
            Zone("Draw pile", (Card(seat=seat, known=()),) * view.piles[seat], "pile"),
        ]
        roles = [f"games won: {view.games_won[seat]}"] if game.options.emperor else []
        roles += ["spies"] if seat == view.spy else []
        roles += [f"General: +{view.bonus[seat]} next"] if view.bonus[seat] else []
        seats.append(_seat(str(view.scores[seat]), " · ".join(roles), zones))
    return Scene(_title(game, view), tuple(seats), _on_hold(view), turn)


def _last_round(before: Views, after: Views) -> Scene:
    """The end of a game that is not the last: the views have gone on to the next one already."""
    past = after[0].earlier[-1]
    number = len(after[0].earlier)
    seats = []
    for seat in (0, 1):
        crowns = sum(bout.crowns for bout in past.history if bout.winner == seat)
        role = f"wins game {number}" if past.winner == seat else ""
        seats.append(_seat(str(crowns), role, [_rounds(past.history, seat)]))
    return Scene(f"End of game {number}", tuple(seats))


def _drafting(views: Views, turn: tuple[int, ...]) -> Scene:
    (seat,) = turn
    packets = views[seat].packets
    taken = len(packets[-1].takes)
    known = None if taken else turn
    packet = Zone("Packet", tuple(_card(card, known=known) for card in views[seat].packet))
    number = sum(len(past.takes) for past in packets)
    hands = tuple(_seat("0", "", [_hand(view)]) for view in views)
    return Scene(f"Draft, after {number} takes" if number else "The draft", hands, (packet,), turn)


def _rounds(history: Sequence[BraveRatsRound], seat: int) -> Zone:
    cards = []
    for number, past in enumerate(history, start=1):
        card, acted = past.cards[seat], past.acted[seat]
        marks: list[Mark] = ["held" if past.winner == NOBODY else "won" if past.winner == seat else "lost"]
        if number == len(history):
            marks.append("new")
        name = f"as {NAMES[acted]}" if card == MIME and acted != MIME else NAMES[card]
        badge = f"+{past.crowns}" if past.winner == seat else ""
        cards.append(Card(str(VALUES[acted]), name, ICONS[acted], seat, badge=badge, marks=tuple(marks)))
    return Zone("Rounds", tuple(cards))


def _seat(score: str, role: str, zones: Sequence[Zone]) -> Seat:
    return Seat(score, role, tuple(zone for zone in zones if zone.cards))


def _hand(view: BraveRatsView) -> Zone:
    return Zone("Hand", tuple(_card(card, view.seat, (view.seat,)) for card in view.hand))


def _card(card: int, seat: int = -1, known: tuple[int, ...] | None = None, marks: tuple[Mark, ...] = ()) -> Card:
    return Card(str(VALUES[card]), NAMES[card], ICONS[card], seat, marks=marks, known=known)


def _on_hold(view: BraveRatsView) -> tuple[Zone, ...]:
    if not view.on_hold:
        return ()
    return (Zone("Rounds on hold", (Card("1", icon="crown", hue=45),) * view.on_hold, look="small"),)


def _title(game: Rules, view: BraveRatsView) -> str:
    played = f"round {len(view.history)}" if view.history else "before the first round"
    title = f"Game {view.game}, {played}" if game.options.emperor else played
    return title[0].upper() + title[1:]


def picks(view: BraveRatsView, scene: Scene) -> dict[int, tuple[Pick, ...]]:
    """The card of the own hand that is played, or that of the packet that is taken."""
    if view.drafting:
        return {card: ((-1, 0, view.packet.index(card)),) for card in view.legal}
    hand = zone_number(scene.seats[view.seat].zones, "Hand")
    return {card: ((view.seat, hand, view.hand.index(card)),) for card in view.legal}
