"""Raj for people: moves, rounds and the table in words, and as scenes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from msgspec.structs import replace

from league.games.raj.rules import CARDS, NOBODY, ROUNDS, RajRound, RajRules, RajState, RajView
from league.games.scenes import Card, Look, Mark, Pick, Scene, Seat, Zone, laid, zone_number
from league.tools.table import Table
from league.tools.text import listed


class Raj(RajRules):
    """The rules, with words and pictures for people."""

    def label(self, move: int, view: RajView) -> str:
        """A bid in a few words."""
        return f"bids {move}"

    def sketch(self, view: RajView, names: Sequence[str]) -> list[str]:
        """The last round, what is at stake now, and everybody's points and cards."""
        lines = []
        if view.history:
            past = view.history[-1]
            bids = listed([f"{name} bid {bid}" for name, bid in zip(names, past.bids, strict=True)])
            took = past.winner != NOBODY and f"{names[past.winner]} took {_taken(view):+d}"
            lines.append(f"Last round, {_animal(past.shown)}: {bids}. {_why(past.bids, took)}")
        if view.legal:
            worth = f", {view.prize:+d} together" if len(view.pile) > 1 else ""
            wanted = "highest" if view.prize >= 0 else "lowest"
            lines.append(
                f"Round {len(view.history) + 1} of {ROUNDS}: {listed([_animal(prize) for prize in view.pile])}{worth}."
                f" It goes to the {wanted} bid that stands alone."
            )
        hands = [" ".join(map(str, hand)) for hand in view.hands]
        rows = zip(names, [f"{score:+d}" for score in view.scores], hands, strict=True)
        return [*lines, *Table.of(("", "points", "cards"), [*rows], ("points",)).text().splitlines()]

    def tell(self, before: RajState, moves: Sequence[int], after: RajState, names: Sequence[str]) -> list[str]:
        """One round in one line: the prize, the bids, who takes it. At the end, how a shared top score is settled."""
        past = after.history[-1]
        stake = before.prize
        leftover = before.pile[:-1]
        shown = f"Round {len(after.history)}: {_animal(past.shown)}"
        if leftover:
            shown += f" joins {listed([_animal(prize) for prize in leftover])} ({stake:+d} together)"
        bids = listed([f"{name} bids {bid}" for name, bid in zip(names, moves, strict=True)])
        takes = (
            past.winner != NOBODY and f"{names[past.winner]} takes {stake:+d} and has {after.scores[past.winner]:+d}"
        )
        return [f"{shown}. {bids}. {_why(moves, takes)}", *(() if after.turn else self._tie(after, names))]

    def _tie(self, end: RajState, names: Sequence[str]) -> list[str]:
        """Why somebody else, or only one of them, wins when several have the most points."""
        top = [seat for seat, score in enumerate(end.scores) if score == max(end.scores)]
        first = [seat for seat, rank in enumerate(end.outcome().ranks) if rank == 0]
        if len(top) == 1 or len(first) > 1:
            return []
        shared = f"{listed([names[seat] for seat in top])} share the top score"
        if first[0] in top:
            return [f"{shared}, and {names[first[0]]} took the more valuable mouse."]
        return [f"{shared} and so cancel each other: the best score that stands alone wins."]

    def scenes(self, states: Sequence[RajState], moves: Sequence[Sequence[int]]) -> list[list[Scene]]:
        """A scene before the first round, and one after each."""
        views = [state.view(0) for state in states]  # any seat's will do: all that is in it is known to everybody
        opening = Scene(
            title="Before the first round",
            seats=tuple(Seat("0", zones=(_hand(views[0], seat),)) for seat in range(self.players)),
            table=(_prizes("At stake", views[0].pile), _to_come(views[0])),
            turn=states[0].turn,
        )
        rounds = zip(views, views[1:], states[1:], strict=False)
        return [[opening], *([_after(before, after, state.turn)] for before, after, state in rounds)]

    def now(self, view: RajView, scene: Scene) -> Scene:
        """What is bid for now, beside the bids of the last round."""
        table = [_prizes("At stake now", view.pile if view.legal else ()), _to_come(view)]
        if view.history:
            past = view.history[-1]
            table.insert(1, Zone("Last round", (_prize(past.shown), *_bids(past)), "small"))
        seats = []
        for seat in range(self.players):
            zones = (_hand(view, seat, "row"), _prizes("Taken", _prizes_of(view, seat), small=True))
            seats.append(Seat(str(view.scores[seat]), zones=laid(*zones)))
        return replace(scene, seats=tuple(seats), table=laid(*table))

    def picks(self, view: RajView, scene: Scene) -> dict[int, tuple[Pick, ...]]:
        """The card of the own hand that a bid is."""
        hand = zone_number(scene.seats[view.seat].zones, "Hand")
        return {bid: ((view.seat, hand, view.hands[view.seat].index(bid)),) for bid in view.legal}


def _animal(prize: int) -> str:
    return f"a mouse ({prize:+d})" if prize > 0 else f"a vulture ({prize:+d})"


def _taken(view: RajView) -> int:
    """What the last round was about: its prize, and those left over from the rounds before that nobody won."""
    left_over = takewhile(lambda past: past.winner == NOBODY, reversed(view.history[:-1]))
    return view.history[-1].shown + sum(past.shown for past in left_over)


def _why(bids: Sequence[int], taken: str | bool) -> str:
    """Which bids cancel each other, and what that leads to."""
    equal = [
        f"both {bid}s" if bids.count(bid) == 2 else f"all {bid}s" for bid in sorted({*bids}) if bids.count(bid) > 1
    ]
    if not equal:
        return f"{taken}."
    cancelled = listed(equal).capitalize()
    return f"{cancelled} cancel, so {taken or 'nobody takes it'}."


def _bids(past: RajRound) -> list[Card]:
    """The bids of a round: which one took it, and which cancelled each other."""
    cards = []
    for seat, bid in enumerate(past.bids):
        marks: tuple[Mark, ...] = ("won",) if seat == past.winner else ("gone",) if past.bids.count(bid) > 1 else ()
        cards.append(Card(str(bid), seat=seat, marks=marks))
    return cards


def _after(before: RajView, after: RajView, turn: tuple[int, ...]) -> Scene:
    past = after.history[-1]
    table = [_prizes("At stake", before.pile)]
    if turn:
        table += [_prizes("Next", after.pile), _to_come(after)]
    seats = []
    for seat, bid in enumerate(_bids(past)):
        zones = [Zone("Bid", (bid,)), _hand(after, seat), _prizes("Taken", _prizes_of(after, seat), small=True)]
        role = "takes it" if seat == past.winner else ""
        seats.append(Seat(str(after.scores[seat]), role, laid(*zones)))
    return Scene(f"Round {len(after.history)} of {len(CARDS)}", tuple(seats), laid(*table), turn)


def _hand(view: RajView, seat: int, look: Look = "small") -> Zone:
    return Zone("Hand", tuple(Card(str(card), seat=seat, known=(seat,)) for card in view.hands[seat]), look)


def _prizes(label: str, prizes: Sequence[int], *, small: bool = False) -> Zone:
    return Zone(label, tuple(map(_prize, prizes)), look="small" if small else "row")


def _prize(prize: int) -> Card:
    name, hue = ("Mouse", 145) if prize > 0 else ("Vulture", 20)
    return Card(f"{prize:+d}", name, name.lower(), hue=hue)


def _to_come(view: RajView) -> Zone:
    return _prizes("Still to come", view.unseen, small=True)


def _prizes_of(view: RajView, seat: int) -> list[int]:
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
