"""Magilla't for people: moves, the story and the table in words, and as scenes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from league.games.magillat.rules import (
    FAMILY_NAMES,
    FROM_LEFT,
    NONE,
    MagillatRules,
    MagillatState,
    MagillatView,
    Turn,
    card_name,
    family_of,
    number_of,
    standing,
)
from league.games.scenes import Card, Mark, Pick, Scene, Seat, Zone, laid, zone_number
from league.tools.table import Table
from league.tools.text import listed

BRIDGES = (
    "who never slept again because of",
    "and behind the next door waited",
    "which is why nobody ever spoke of",
    "until, out of nowhere, came",
    "and all the way home they followed",
)
"""How a story goes on from one card to the next."""
GOLDEN_ANGLE = 137.5
"""Degrees on the colour wheel from one family to the next: neighbours differ, and no two are alike."""
ICONS = {"Thief": "mask"}
"""Pictures of families that are not called like them."""


class Magillat(MagillatRules):
    """The rules, with words and pictures for people."""

    def label(self, move: int, view: MagillatView) -> str:
        """The card that is marked or named."""
        if view.seat != view.storyteller:
            return f"marks {card_name(view.stories[view.seat][move])}"
        return f"names {card_name(view.stories[view.listener][move])} of seat {view.listener + 1}"

    def opening(self, state: MagillatState, names: Sequence[str]) -> list[str]:
        """Who tells first, and what lies on the table."""
        return [f"{names[state.storyteller]} draws the storyteller's card and tells first.", *_table(state, names)]

    def sketch(self, view: MagillatView, names: Sequence[str]) -> list[str]:
        """The last turn, how far this one is, and everybody's story cards and points from the storyteller on."""
        players, teller, listener = len(names), view.storyteller, view.listener
        lines = [" ".join(["Last turn:", *_awards(view.history[-1], names)])] if view.history else []
        if teller != NONE:
            first, last = map(card_name, view.centre)
            lines.append(f"Turn {len(view.history) + 1}: {names[teller]} to tell, from {first} to {last}.")
            if view.mark != NONE:
                lines.append(f"You marked {card_name(view.stories[view.seat][view.mark])}.")
            if listener != NONE:
                lines.append(f"Next in the story, at seat {listener + 1}: a card of {names[listener]}.")
        rows = []
        for seat in range(players) if teller == NONE else (teller, *FROM_LEFT[players][teller]):
            story, pick = view.stories[seat], view.picks[seat]
            shown = "tells" if seat == teller else ", ".join(map(card_name, story))
            named = "" if pick == NONE else card_name(story[pick])
            points = view.points[seat]
            rows.append((names[seat], shown, named, len(points), ", ".join(map(card_name, points))))
        header = ("", "story cards", "named", "points", "point cards")
        return [*lines, *Table.of(header, rows, ("points",)).text().splitlines()]

    def tell(
        self, before: MagillatState, moves: Sequence[int], after: MagillatState, names: Sequence[str]
    ) -> list[str]:
        """That the guessers have marked, or how the story goes on; and when it is told, who was right."""
        if before.listener == NONE:
            return [f"{listed([names[seat] for seat in before.turn])} each turn one marker, and nobody sees which."]
        storyteller, seat = before.storyteller, before.listener
        named = f"{names[seat]}'s {card_name(before.stories[seat][moves[0]])}"
        told = sum(pick != NONE for pick in before.picks)
        if told == 0:
            begin = card_name(before.centre[0])
            lines = [f"{names[storyteller]} begins: “Once upon a time, at {begin}, there was {named} …”"]
        else:
            bridge = BRIDGES[(told + len(before.history)) % len(BRIDGES)]
            lines = [f"“… {bridge} {named} …”"]
        if len(after.history) > len(before.history):
            lines += _verdict(after, names)
        return lines

    def scenes(self, states: Sequence[MagillatState], moves: Sequence[Sequence[int]]) -> list[list[Scene]]:
        """A scene after each step; two where a turn ends and the next is laid out."""
        tables = [[state.view(seat) for seat in range(self.players)] for state in states]
        scenes = [[_scene(tables[0], states[0].turn)]]
        for before, after, state in zip(tables, tables[1:], states[1:], strict=False):
            if len(after[0].history) == len(before[0].history):
                scenes.append([_scene(after, state.turn)])
            else:
                scenes.append([_end_of_turn(after[0]), *([_scene(after, state.turn)] if state.turn else [])])
        return scenes

    def picks(self, view: MagillatView, scene: Scene) -> dict[int, tuple[Pick, ...]]:
        """The own story card that is marked, or that of the listener which the storyteller names."""
        seat = view.listener if view.seat == view.storyteller else view.seat
        cards = zone_number(scene.seats[seat].zones, "Story cards")
        return {move: ((seat, cards, move),) for move in view.legal}


def _verdict(after: MagillatState, names: Sequence[str]) -> list[str]:
    """How a turn ended, and what comes next."""
    past = after.history[-1]
    lines = [f"“… and it all came to an end at {card_name(past.centre[1])}.”"]
    lines += _awards(past, names)
    keys = standing(after.points)
    scores = [f"{name} {points}" for name, (points, _) in zip(names, keys, strict=True)]
    lines.append(f"Point cards: {listed(scores)}.")
    if after.turn:
        return lines + _next_turn(after, names)
    ranks = after.outcome().ranks
    winners = listed([name for name, rank in zip(names, ranks, strict=True) if rank == 0])
    verb = "wins" if ranks.count(0) == 1 else "share the first place"
    return [*lines, f"All stories are told: {winners} {verb}."]


def _next_turn(state: MagillatState, names: Sequence[str]) -> list[str]:
    lines = []
    if len(state.history) == len(state.picks):
        tied = [names[seat] for seat in (state.storyteller, *state.to_tell)]
        lines.append(f"{listed(tied)} share the first place, by points and by families: each tells once more.")
    return [*lines, f"The storyteller's card goes to {names[state.storyteller]}.", *_table(state, names)]


def _awards(past: Turn, names: Sequence[str]) -> Iterator[str]:
    """Who had guessed right, and who got which card."""
    for seat, (taker, card) in zip(past.guessers, past.awards, strict=True):
        if taker == seat:
            yield f"{names[seat]} saw it coming and kept {card_name(card)}."
        else:
            marked = card_name(past.stories[seat][past.marks[seat]])
            yield f"{names[seat]} had hoped for {marked}: {names[taker]} took {card_name(card)}."


def _table(state: MagillatState, names: Sequence[str]) -> list[str]:
    first, last = map(card_name, state.centre)
    guessers = FROM_LEFT[len(state.picks)][state.storyteller]
    shown = [f"{names[seat]} shows {listed([card_name(card) for card in state.stories[seat]])}." for seat in guessers]
    return [f"Turn {len(state.history) + 1}: the story is to lead from {first} to {last}.", *shown]


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


def _end_of_turn(view: MagillatView) -> Scene:
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
    return Seat(str(view.scores[seat]), role, laid(*zones, points))


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
