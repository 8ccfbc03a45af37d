"""Which games of BraveRats can be solved, with which hands, and whether a solution is correct."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import partial
from typing import NamedTuple, TypeGuard

from league.errors import LeagueError
from league.extensions.solver.braverats.best_response import BestResponse
from league.extensions.solver.braverats.induction import Hands, OnProgress, Solution, ignore, solve
from league.games.braverats import BraveRats
from league.games.braverats.rules import (
    CLAN,
    MIME,
    NAMES,
    PRINCE,
    PRINCESS,
    BraveRatsDeal,
    BraveRatsOptions,
    Cards,
    StartingCards,
)
from league.games.contract import Game


class Exact(NamedTuple):
    """A game of BraveRats without chance or hidden cards."""

    game: BraveRats
    hands: Hands
    """Including the Mimes, if there are any."""
    deal: BraveRatsDeal


def exact(options: BraveRatsOptions, hands: Hands | None = None) -> Exact:
    """The game to solve, or a `LeagueError` that says why it cannot be solved."""
    if options.deck or options.deal == "draft":
        hidden = "deck" if options.deck else "deal: draft"
        raise LeagueError(f"braverats: {hidden} hides hands, so positions are not known to both and cannot be solved.")
    if options.emperor:
        raise LeagueError("braverats: an emperor plays up to three games; leave emperor out and solve one of them.")
    if hands is not None and options.deal == "princess_attack":
        raise LeagueError("braverats: --hands and deal: princess_attack both say what is dealt; leave one out.")
    if hands:
        _check(hands)
        options = BraveRatsOptions(deal="random", quick=options.quick, mime=options.mime)
    elif options.deal == "random" or options.traitor:
        chance = "traitor" if options.traitor else "deal: random"
        raise LeagueError(f"braverats: with {chance} every deal is another game; choose one with --hands.")
    elif options.deal == "princess_attack":
        hands = _exchanged(PRINCESS, PRINCE), _exchanged(PRINCE, PRINCESS)
    game = BraveRats(options=options)
    deal = BraveRatsDeal((StartingCards(hands=hands or (CLAN, CLAN)),))
    return Exact(game, game.start(deal).hands, deal)


def is_open(rules: Game) -> TypeGuard[BraveRats]:
    """Whether both players know every position of a game, and it always begins in the same way."""
    if isinstance(rules, BraveRats):
        with suppress(LeagueError):
            return bool(exact(rules.options))
    return False


def solution_of(exact_game: Exact, on_size: OnProgress = ignore, on_progress: OnProgress = ignore) -> Solution:
    """Its solution."""
    return solve(exact_game.hands, exact_game.game.options.target, on_size, on_progress)


def gains(exact_game: Exact, solution: Solution) -> tuple[float, float]:
    """What the best response gains against the perfect player at seat 0 and at seat 1: only rounding errors."""
    first, second = (
        BestResponse(exact_game.game, exact_game.deal, seat, partial(solution.mixes, seat=seat)).value
        for seat in (0, 1)
    )
    return first + solution.value, second - solution.value


def read_hand(text: str) -> Cards:
    """Parse a hand that is written as the digits of its cards, such as 01234567."""
    if not text.isdecimal() or not text.isascii() or any(int(digit) >= MIME for digit in text):
        raise LeagueError(f"A hand is written as the values of its cards, such as 01234567, not {text!r}.")
    return tuple(sorted(map(int, text)))


def _check(hands: Hands) -> None:
    first, second = map(len, hands)
    if first != second or not 1 <= first <= len(CLAN):
        raise LeagueError(f"Both hands must hold the same number of cards, 1 to {len(CLAN)}, not {first} and {second}.")
    for card, count in sorted(Counter(hands[0] + hands[1]).items()):
        if count > 2:
            raise LeagueError(f"There are two cards {card} ({NAMES[card]}) in the game, but {count} in these hands.")


def _exchanged(gone: int, instead: int) -> Cards:
    return tuple(sorted([*(card for card in CLAN if card != gone), instead]))
