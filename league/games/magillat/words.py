"""Magilla't in words: moves, the story and the table, for people."""

from __future__ import annotations

from collections.abc import Sequence

from league.games.magillat.rules import (
    FROM_LEFT,
    NONE,
    MagillatRules,
    MagillatState,
    MagillatView,
    Turn,
    card_name,
    standing,
)
from league.tools.text import listed, table

BRIDGES = (
    "who never slept again because of",
    "and behind the next door waited",
    "which is why nobody ever spoke of",
    "until, out of nowhere, came",
    "and all the way home they followed",
)
"""How a story goes on from one card to the next."""


class Magillat(MagillatRules):
    """Magilla't: the rules, with words for people."""

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
        lines = [_last_turn(view.history[-1], names)] if view.history else []
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
        return [*lines, *table(("", "story cards", "named", "points", "point cards"), rows, ("points",)).splitlines()]

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


def _verdict(after: MagillatState, names: Sequence[str]) -> list[str]:
    """How a turn ended, and what comes next."""
    past = after.history[-1]
    teller = names[past.storyteller]
    lines = [f"“… and it all came to an end at {card_name(past.centre[1])}.”"]
    for seat, (taker, card) in zip(past.guessers, past.awards, strict=True):
        if taker == seat:
            lines.append(f"{names[seat]} saw it coming and keeps {card_name(card)}.")
        else:
            marked = card_name(past.stories[seat][past.marks[seat]])
            lines.append(f"{names[seat]} had hoped for {marked}: {teller} takes {card_name(card)}.")
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


def _last_turn(past: Turn, names: Sequence[str]) -> str:
    fates = []
    for seat, (taker, card) in zip(past.guessers, past.awards, strict=True):
        if taker == seat:
            fates.append(f"{names[seat]} kept {card_name(card)}")
        else:
            marked = card_name(past.stories[seat][past.marks[seat]])
            fates.append(f"{names[seat]} hoped for {marked} and lost {card_name(card)}")
    return f"Last turn, told by {names[past.storyteller]}: {'; '.join(fates)}."


def _table(state: MagillatState, names: Sequence[str]) -> list[str]:
    first, last = map(card_name, state.centre)
    guessers = FROM_LEFT[len(state.picks)][state.storyteller]
    shown = [f"{names[seat]} shows {listed([card_name(card) for card in state.stories[seat]])}." for seat in guessers]
    return [f"Turn {len(state.history) + 1}: the story is to lead from {first} to {last}.", *shown]
