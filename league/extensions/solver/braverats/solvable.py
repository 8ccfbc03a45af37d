"""Which games of BraveRats can be solved, with which hands, their solutions in the cache, and whether one is correct.

The name of a file in the cache holds a hash of hands, target and everything that the rules say about a round, so a
change of the rules finds no old solution.
"""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, TypeGuard

import numpy as np

from league.errors import LeagueError, StoreError
from league.extensions.solver.braverats.best_response import BestResponse
from league.extensions.solver.braverats.induction import Hands, Level, OnProgress, Solution, ignore, solve
from league.extensions.solver.braverats.positions import verdicts
from league.extensions.solver.matrix import Ints
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
from league.tools.files import cache_folder, write_bytes

PROVEN = 1e-6
"""The most that the best response may gain against a solution."""


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
    if not isinstance(rules, BraveRats):
        return False
    options = rules.options
    return options.deal in ("standard", "princess_attack") and not (options.traitor or options.deck or options.emperor)


def solution_of(exact_game: Exact, on_size: OnProgress = ignore, on_progress: OnProgress = ignore) -> Solution:
    """The solution from the cache, or a new one, which is cached."""
    target = exact_game.game.options.target
    solution = load_solution(exact_game.hands, target)
    if solution is None:
        solution = solve(exact_game.hands, target, on_size, on_progress)
        with suppress(OSError, StoreError):  # without a cache it is solved again next time
            save_solution(solution)
    return solution


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


FORMAT = 1
"""The version of the file format."""


def solution_file(hands: Hands, target: int) -> Path:
    """The file for the solution of a game."""
    content = blake2b(digest_size=12)
    content.update(repr((FORMAT, BraveRats.version, hands, target)).encode())
    for column in verdicts():
        content.update(column.tobytes())
    return cache_folder() / "solve" / f"braverats-{content.hexdigest()}.npz"


def save_solution(solution: Solution) -> Path:
    """Save a solution; returns its file."""
    path = solution_file(solution.hands, solution.target)
    arrays: dict[str, Ints] = {}
    for number, level in enumerate(solution.levels):
        arrays[f"positions{number}"] = level.positions
        arrays[f"values{number}"] = level.values.view(np.int64)
    written = io.BytesIO()
    np.savez(written, **arrays)  # type: ignore[arg-type] # its other argument is a bool
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, written.getvalue())
    return path


def load_solution(hands: Hands, target: int) -> Solution | None:
    """The solution of a game, if it was saved and can be read."""
    try:
        with np.load(io.BytesIO(solution_file(hands, target).read_bytes()), allow_pickle=False) as arrays:
            count = len(arrays.files) // 2
            levels = [
                Level(arrays[f"positions{number}"], arrays[f"values{number}"].view(np.float64))
                for number in range(count)
            ]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    return Solution(hands, target, tuple(levels)) if levels else None
