"""Raj in words: moves, rounds and the table, for people."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from league.games.raj.rules import NOBODY, ROUNDS, RajRules, RajState, RajView
from league.tools.text import listed, table


class Raj(RajRules):
    """Raj: the rules, with words for people."""

    def label(self, move: int, view: RajView) -> str:
        """A bid in a few words."""
        return f"bids {move}"

    def sketch(self, view: RajView, names: Sequence[str]) -> list[str]:
        """The last round, what is at stake now, and everybody's points and cards."""
        lines = []
        if view.history:
            past = view.history[-1]
            bids = listed([f"{name} bid {bid}" for name, bid in zip(names, past.bids, strict=True)])
            verdict = "no bid stood alone" if past.winner == NOBODY else f"{names[past.winner]} took {_taken(view):+d}"
            lines.append(f"Last round, {_animal(past.shown)}: {bids}; {verdict}.")
        if view.legal:
            worth = f", {view.prize:+d} together" if len(view.pile) > 1 else ""
            wanted = "highest" if view.prize >= 0 else "lowest"
            lines.append(
                f"Round {len(view.history) + 1} of {ROUNDS}: {listed([_animal(prize) for prize in view.pile])}{worth}."
                f" It goes to the {wanted} bid that stands alone."
            )
        hands = [" ".join(map(str, hand)) for hand in view.hands]
        rows = zip(names, [f"{score:+d}" for score in view.scores], hands, strict=True)
        return [*lines, *table(("", "points", "cards"), [*rows], right=("points",)).splitlines()]

    def tell(self, before: RajState, moves: Sequence[int], after: RajState, names: Sequence[str]) -> list[str]:
        """One round in one line: the prize, the bids, who takes it. At the end, how a shared top score is settled."""
        past = after.history[-1]
        stake = before.prize
        leftover = before.pile[:-1]
        shown = f"Round {len(after.history)}: {_animal(past.shown)}"
        if leftover:
            shown += f" joins {listed([_animal(prize) for prize in leftover])} ({stake:+d} together)"
        bids = listed([f"{name} bids {bid}" for name, bid in zip(names, moves, strict=True)])
        if past.winner == NOBODY:
            verdict = "No bid stands alone, so nobody takes it."
        else:
            verdict = f"{names[past.winner]} takes {stake:+d} and has {after.scores[past.winner]:+d}."
        return [f"{shown}. {bids}. {verdict}", *(() if after.turn else self._tie(after, names))]

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


def _animal(prize: int) -> str:
    return f"a mouse ({prize:+d})" if prize > 0 else f"a vulture ({prize:+d})"


def _taken(view: RajView) -> int:
    """What the last round was about: its prize, and those left over from the rounds before that nobody won."""
    left_over = takewhile(lambda past: past.winner == NOBODY, reversed(view.history[:-1]))
    return view.history[-1].shown + sum(past.shown for past in left_over)
