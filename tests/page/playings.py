"""Games played at random, to be looked at."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from league import games
from league.games.replay import Replay, record
from league.results.recorded import Shown

NAMES = ("ann", "bob", "cid", "dora", "emil", "fay")
SETUPS: tuple[tuple[str, int, dict[str, object]], ...] = (
    ("raj", 2, {}),
    ("raj", 5, {"tie_break": "highest_mouse"}),
    ("braverats", 2, {}),
    ("braverats", 2, {"deal": "draft", "mime": True}),
    ("braverats", 2, {"emperor": True, "deck": True, "traitor": True, "quick": True}),
    ("cheese_rescue", 2, {"surface": "centred"}),
    ("cheese_rescue", 3, {}),
    ("cheese_rescue", 4, {}),
    ("magillat", 3, {}),
    ("magillat", 6, {"cards_per_family": 20}),
)


def played(name: str, players: int, options: Mapping[str, object] | None = None, seed: int = 1) -> Replay:
    """A playing in which everybody moves at random."""
    game = games.make(name, players, options)
    rng = Random(seed)
    deal = game.deal(rng)
    state = game.start(deal)
    moves = []
    while state.turn:
        moves.append([rng.choice(state.view(seat).legal) for seat in state.turn])
        state.step(moves[-1])
    return record(game, deal, moves, NAMES[:players])


def shown(name: str, players: int, options: Mapping[str, object] | None = None, seed: int = 1) -> Shown:
    """The same, as a game of a league that was played again."""
    return Shown(played(name, players, options, seed))
