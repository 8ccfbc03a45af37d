"""What a perfect player of BraveRats plays, as a small file for a bot: `bots/rats_perfect/` reads it.

`python -m benchmarks.pack FILE` writes it, and prints what the best response gains against it.

It has only positions that the player itself can reach, with more than four cards left: the bot solves the rest
itself. The file is a zlib stream of: the number of positions (4 bytes), their keys in ascending order as
differences (4 bytes each, plane by plane), a byte each for the set of cards that are played, and for all of these cards
but the last one the frequency in units of 2**-24 (3 bytes each). All numbers are little-endian.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from league.errors import LeagueError
from league.extensions.solver.branches import Mix
from league.extensions.solver.braverats.best_response import BestResponse
from league.extensions.solver.braverats.induction import Solution
from league.extensions.solver.studies import solve
from league.games.braverats import BraveRats
from league.games.braverats.rules import MIME, BraveRatsDeal, BraveRatsState

UNIT = 1 << 24
SOLVED_BY_THE_BOT = 4
"""With this number of cards or fewer, the bot needs no table."""


def packed(solution: Solution, game: BraveRats, deal: BraveRatsDeal) -> tuple[bytes, float]:
    """The content of the file, and what the best response gains against it."""
    for hand in solution.hands:
        if len(set(hand)) < len(hand) or MIME in hand:
            raise LeagueError("Only games without equal cards in one hand and without the Mime can be packed.")
    if solution.hands[0] != solution.hands[1]:
        raise LeagueError("Only games in which both begin with the same cards can be packed.")
    entries: dict[int, dict[int, int]] = {}

    def ask(states: Sequence[BraveRatsState]) -> list[Mix]:
        mixes = solution.mixes(states, 0)
        for index, state in enumerate(states):
            if len(state.hands[0]) > SOLVED_BY_THE_BOT:
                shares = _rounded(mixes[index])
                entries[key_of(state)] = shares
                mixes[index] = {card: share / UNIT for card, share in shares.items()}
        return mixes

    gain = BestResponse(game, deal, 0, ask).value + solution.value
    return _written(entries), gain


def key_of(state: BraveRatsState) -> int:
    """A position as seat 0 sees it, in 32 bits."""
    key = sum(1 << card for card in state.hands[0]) | sum(1 << 8 + card for card in state.hands[1])
    key |= state.scores[0] << 16 | state.scores[1] << 18 | state.on_hold << 20
    key |= bool(state.bonus[0]) << 24 | bool(state.bonus[1]) << 25 | state.spy + 1 << 26
    return key | state.shown + 1 << 28


def _rounded(mix: Mix) -> dict[int, int]:
    """Frequencies as whole units with the right sum; the last card takes the rest."""
    shares = {card: max(1, round(often * UNIT)) for card, often in sorted(mix.items()) if often * UNIT >= 0.5}
    last = max(shares)
    shares[last] += UNIT - sum(shares.values())
    if shares[last] < 1:  # rounding may leave nothing for the last card
        del shares[last]
        most = max(shares, key=lambda card: shares[card])
        shares[most] += UNIT - sum(shares.values())
    return shares


def _written(entries: dict[int, dict[int, int]]) -> bytes:
    keys = np.array(sorted(entries), dtype=np.uint32)
    steps = np.diff(keys, prepend=np.uint32(0)).astype("<u4")
    planes = np.ascontiguousarray(steps.view(np.uint8).reshape(-1, 4).T)
    masks = bytes(sum(1 << card for card in entries[key]) for key in keys.tolist())
    shares = [list(entries[key].values())[:-1] for key in keys.tolist()]
    fractions = np.array([share for mix in shares for share in mix], dtype="<u4").view(np.uint8).reshape(-1, 4)[:, :3]
    body = [len(keys).to_bytes(4, "little"), planes.tobytes(), masks, fractions.tobytes()]
    return zlib.compress(b"".join(body), 9)


if __name__ == "__main__":
    solved = solve("braverats")
    content, gained = packed(solved.solution, solved.exact.game, solved.exact.deal)
    Path(sys.argv[1]).write_bytes(content)
    print(f"{sys.argv[1]} has {len(content):,} bytes; its best response gains {gained:.0e}.")
