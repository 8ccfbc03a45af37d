"""Scenes of Magilla't: the story so far, everybody's three cards, the secret guesses and the points."""

from __future__ import annotations

from collections.abc import Sequence

from league.games.magillat.rules import (
    FAMILY_NAMES,
    FROM_LEFT,
    NONE,
    MagillatState,
    MagillatView,
    family_of,
    number_of,
)
from league.games.magillat.rules import MagillatRules as Rules
from league.games.scenes import Card, Mark, Pick, Scene, Seat, Zone, zone_number

GOLDEN_ANGLE = 137.5
"""Degrees on the colour wheel from one family to the next: neighbours differ, and no two are alike."""


ICONS = {"Thief": "mask"}
"""Pictures of families that are not called like them."""


def draw(game: Rules, states: Sequence[MagillatState], moves: Sequence[Sequence[int]]) -> list[list[Scene]]:
    """A scene after each step; two where a turn ends and the next is laid out."""
    tables = [[state.view(seat) for seat in range(game.players)] for state in states]
    scenes = [[_scene(tables[0], states[0].turn)]]
    for before, after, state in zip(tables, tables[1:], states[1:], strict=False):
        if len(after[0].history) == len(before[0].history):
            scenes.append([_scene(after, state.turn)])
        else:
            scenes.append([_verdict(after[0]), *([_scene(after, state.turn)] if state.turn else [])])
    return scenes


def _scene(views: Sequence[MagillatView], turn: tuple[int, ...]) -> Scene:
    """A turn under way."""
    view = views[0]
    seats = []
    for seat, (three, pick, own) in enumerate(zip(view.stories, view.picks, views, strict=True)):
        zones = [_story_cards(three, pick)]
        if own.mark != NONE:
            zones.append(Zone("Guess", (_card(three[own.mark], known=(seat,)),)))
        seats.append(_seat(view, seat, view.storyteller, zones))
    around = FROM_LEFT[len(views)][view.storyteller]
    told = [view.stories[seat][view.picks[seat]] for seat in around if view.picks[seat] != NONE]
    return Scene(f"Turn {len(view.history) + 1}", tuple(seats), (_story(view.centre, told, len(around)),), turn)


def _verdict(view: MagillatView) -> Scene:
    """The turn that has just ended, with the guesses shown."""
    past = view.history[-1]
    seats = []
    for seat, (three, pick, mark) in enumerate(zip(past.stories, past.picks, past.marks, strict=True)):
        zones = [_story_cards(three, pick)]
        if seat != past.storyteller:
            zones.append(Zone("Guess", (_card(three[mark], marks=("won" if mark == pick else "gone",)),)))
        seats.append(_seat(view, seat, past.storyteller, zones))
    told = [past.stories[seat][past.picks[seat]] for seat in past.guessers]
    return Scene(f"End of turn {len(view.history)}", tuple(seats), (_story(past.centre, told, len(told)),))


def _seat(view: MagillatView, seat: int, storyteller: int, zones: Sequence[Zone]) -> Seat:
    points = Zone("Points", tuple(map(_card, view.points[seat])), look="small")
    role = "storyteller" if seat == storyteller else ""
    return Seat(str(view.scores[seat]), role, tuple(zone for zone in (*zones, points) if zone.cards))


def _story(centre: Sequence[int], told: Sequence[int], guessers: int) -> Zone:
    first, last = centre
    between = [_card(card, marks=("chosen",)) for card in told]
    return Zone("The story", (_card(first), *between, *(None,) * (guessers - len(told)), _card(last)))


def _story_cards(cards: Sequence[int], pick: int) -> Zone:
    return Zone(
        "Story cards", tuple(_card(card, ("chosen",) if index == pick else ()) for index, card in enumerate(cards))
    )


def _card(card: int, marks: tuple[Mark, ...] = (), known: tuple[int, ...] | None = None) -> Card:
    family = family_of(card)
    hue = int(family * GOLDEN_ANGLE) % 360
    name = FAMILY_NAMES[family - 1]
    return Card(str(number_of(card)), name, ICONS.get(name, name.lower()), hue=hue, marks=marks, known=known)


def picks(view: MagillatView, scene: Scene) -> dict[int, tuple[Pick, ...]]:
    """The own story card that is marked, or that of the listener which the storyteller names."""
    seat = view.listener if view.seat == view.storyteller else view.seat
    cards = zone_number(scene.seats[seat].zones, "Story cards")
    return {move: ((seat, cards, move),) for move in view.legal}
