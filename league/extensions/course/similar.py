"""Which bots decide alike: all are asked in the same positions with the same random numbers.

A renamed variable, another order of methods or another language does not change what a bot decides. Two bots with the
same idea decide alike too, so this names pairs to be read side by side, and proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import log2
from random import Random

import msgspec
import numpy as np

from league.errors import LeagueError
from league.games.contract import Game, View
from league.hosts import Begin, Tick
from league.hosts.factory import HostFactory
from league.plan.seating import dealt
from league.results.recorded import load_rules, recorded_steps, rules_of
from league.results.store import Store
from league.setup.roster import Bot
from league.tools.seeds import seed_for
from league.values.settings import Contest, Isolation

GAMES = 40
"""Games of each contest, in whose positions all bots are asked."""
NOISE = 0.05
"""How often a copy is taken to differ, when pairs are ranked."""
NO_ANSWER = -1

Answers = np.ndarray[tuple[int, int], np.dtype[np.int64]]
"""A row for each bot, a column for each position; `NO_ANSWER` where a bot was at fault."""
_Part = tuple[int, int, float, int, int, float]
"""A pair in one contest: positions, equal ones, bits, alone together, and of the other pairs: positions, equal ones."""


class AlikePair(msgspec.Struct, frozen=True):
    """How alike two bots decide."""

    a: str
    b: str
    positions: int
    """In which both were asked and had a choice."""
    equal: float
    """The share of them in which they decided the same."""
    usual: float
    """The same share for the other pairs of the field, on average."""
    alone: int
    """Positions in which the two decided the same and all others differently."""
    bits: float
    """How much more probable the decisions are if one is a copy, as a power of two; pairs are ranked by it."""


def similar(
    store: Store, isolation: Isolation, games: int = GAMES, asked: Callable[[int], None] = lambda _: None
) -> list[AlikePair]:
    """All pairs of bots that play a contest in common, the most alike first; `asked` counts bots and contests."""
    load_rules(store)
    bots = sorted(store.with_files(store.bots()), key=lambda bot: bot.name)
    parts: dict[tuple[str, str], list[_Part]] = {}
    with HostFactory(isolation, store.settings().limits, private=[store.folder]) as factory:
        for contest in store.settings().contests():
            playing = [bot for bot in bots if bot.takes_part(contest)]
            tables = list(_tables(store, contest, games))
            if len(playing) < 2 or not tables:
                continue
            rows = []
            for bot in playing:
                rows.append(_answers(factory, bot, rules_of(contest), tables))
                asked(1)
            for pair, part in _compared([bot.name for bot in playing], np.array(rows, dtype=np.int64)):
                parts.setdefault(pair, []).append(part)
    if not parts:
        raise LeagueError("No moves were kept of games between bots that can be asked: play with `moves: all`.")
    pairs = [_pair(names, compared) for names, compared in parts.items()]
    return sorted(pairs, key=lambda pair: (-pair.bits, pair.a, pair.b))


def questions(store: Store) -> int:
    """How many times `asked` is called."""
    bots = store.bots()
    return sum(sum(bot.takes_part(contest) for bot in bots) for contest in store.settings().contests())


def _tables(store: Store, contest: Contest, games: int) -> Iterator[tuple[int, list[View]]]:
    """A seat, and all that it saw in one game, for the seats of some games."""
    rng = Random(seed_for(0, "similar", contest.key))
    played = [(series, deals) for series, deals in store.played_series() if series.contest.key == contest.key]
    rules = rules_of(contest)
    for series, deals in [rng.choice(played) for _ in range(games if played else 0)]:
        first, deal = deals
        steps = None
        while steps is None and deal > first:  # of a league that is not finished, the first deals have been played
            deal = rng.randrange(first, deal)
            steps = recorded_steps(store, series, deal)
        if steps is None:
            continue
        state = rules.start(dealt(series, deal))
        views: list[list[View]] = [[] for _ in range(contest.players)]
        for moves in steps:
            for seat in state.turn:
                views[seat].append(state.view(seat))
            state.step(moves)
        yield from enumerate(views)


def _answers(factory: HostFactory, bot: Bot, rules: Game, tables: Sequence[tuple[int, list[View]]]) -> list[int]:
    """What a bot decides in every position with a choice."""
    given = [[NO_ANSWER] * len(views) for _, views in tables]
    host = factory.open(bot, rules)
    begins = [Begin(slot, seat, seed_for(0, "similar", slot), True) for slot, (seat, _) in enumerate(tables)]
    out: set[int] = set()
    try:
        for step in range(max(len(views) for _, views in tables)):
            slots = [slot for slot, (_, views) in enumerate(tables) if step < len(views) and slot not in out]
            host.send(Tick((), begins if step == 0 else (), slots, [tables[slot][1][step] for slot in slots]))
            reply = host.receive()
            out |= {trouble.slot for trouble in reply.troubles} | {*reply.unavailable}
            for slot, move in zip(slots, reply.moves, strict=True):
                if slot not in out and move in tables[slot][1][step].legal:
                    given[slot][step] = move
    finally:
        host.close()
    chosen = zip(given, tables, strict=True)
    return [
        move for moves, (_, views) in chosen for move, view in zip(moves, views, strict=True) if len(view.legal) > 1
    ]


def _compared(names: Sequence[str], answers: Answers) -> Iterator[tuple[tuple[str, str], _Part]]:
    """For each pair, how they decided in one contest."""
    known = answers != NO_ANSWER
    same = {}
    for a, b in combinations(range(len(names)), 2):
        both = known[a] & known[b]
        same[a, b] = (both, both & (answers[a] == answers[b]))
    all_positions = sum(int(both.sum()) for both, _ in same.values())
    all_equal = sum(int(equal.sum()) for _, equal in same.values())
    shares = np.eye(len(names))
    for (a, b), (both, equal) in same.items():
        shares[a, b] = shares[b, a] = equal.sum() / max(1, both.sum())
    for (a, b), (both, equal) in same.items():
        others = [row for row in range(len(names)) if row not in (a, b)]
        strangers = [row for row in others if max(shares[a, row], shares[b, row]) < 1 - NOISE] or others
        shared = (answers[strangers] == answers[b]).sum(axis=0)
        agree = (answers[others] == answers[b]).sum(axis=0)
        present = known[others].sum(axis=0)
        chance = (shared + 1) / (known[strangers].sum(axis=0) + 2)  # other copies make no decision usual
        bits = float(np.log2((1 - NOISE) / chance[equal] + NOISE).sum() + (both & ~equal).sum() * log2(2 * NOISE))
        alone = int((equal & (agree == 0) & (present > 0)).sum())
        counts = (int(both.sum()), int(equal.sum()), bits, alone)
        usual = (all_positions - counts[0], float(all_equal - counts[1]))
        yield (names[a], names[b]), (*counts, *usual)


def _pair(names: tuple[str, str], parts: list[_Part]) -> AlikePair:
    positions, equal, bits, alone, other_positions, other_equal = (sum(column) for column in zip(*parts, strict=True))
    return AlikePair(
        a=names[0],
        b=names[1],
        positions=int(positions),
        equal=equal / max(1, positions),
        usual=other_equal / max(1, other_positions),
        alone=int(alone),
        bits=bits,
    )
