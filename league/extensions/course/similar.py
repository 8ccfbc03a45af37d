"""Which bots decide alike: all are asked in the same positions with the same random numbers.

A renamed variable, another order of methods or another language does not change what a bot decides. Two bots with the
same idea decide alike too, so this names pairs to be read side by side, and proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from league.tools.table import Column, Table
from league.values.settings import Contest, Isolation

GAMES = 40
"""Games of each contest, in whose positions all bots are asked."""
NOISE = 0.05
"""How often a copy is taken to differ, when pairs are ranked."""
NO_ANSWER = -1

Answers = np.ndarray[tuple[int, int], np.dtype[np.int64]]
"""A row for each bot, a column for each position; `NO_ANSWER` where a bot was at fault."""


class AlikePair(msgspec.Struct, frozen=True):
    """How alike two bots decide."""

    a: str
    b: str
    positions: int
    """In which both were asked and had a choice."""
    equal: float
    """The share of them in which they decided the same."""
    usual: float
    """The share of equal decisions in these positions for all other pairs."""
    alone: int
    """Positions in which the two decided the same and all others differently."""
    bits: float
    """How much more probable the decisions are if one is a copy, as a power of two; pairs are ranked by it."""


def pair_table(pairs: Sequence[AlikePair], names: Mapping[str, str] | None = None) -> Table:
    """Pairs in a file and in a terminal, where bots may have other names."""
    shown = names or {}
    return Table(
        [
            Column("a", shown=lambda pair: shown.get(pair.a, pair.a)),
            Column("b", shown=lambda pair: shown.get(pair.b, pair.b)),
            Column("equal", spec=".1%", title="alike"),
            Column("usual", spec=".1%"),
            Column("alone", spec=",", title="only they"),
            Column("positions", spec=","),
            Column("bits", where=("csv", "json")),
        ],
        pairs,
    )


def similar(
    store: Store, isolation: Isolation, games: int = GAMES, asked: Callable[[int], None] = lambda _: None
) -> list[AlikePair]:
    """All pairs of bots that play a contest in common, the most alike first; `asked` counts bots and contests."""
    load_rules(store)
    bots = sorted(store.with_files(store.bots()), key=lambda bot: bot.name)
    columns = []
    with HostFactory(isolation, store.settings().limits, private=[store.folder]) as factory:
        for contest in store.settings().contests():
            tables = list(_tables(store, contest, games))
            none = [NO_ANSWER] * sum(len(view.legal) > 1 for _, views in tables for view in views)
            rows = []
            for bot in bots:
                if tables and bot.takes_part(contest):
                    rows.append(_answers(factory, bot, rules_of(contest), tables))
                    asked(1)
                else:
                    rows.append(none)
            columns.append(np.array(rows, dtype=np.int64))
    pairs = list(_compared([bot.name for bot in bots], np.concatenate(columns, axis=1)))
    if not pairs:
        raise LeagueError("No moves were kept of games between bots that can be asked: play with `moves: all`.")
    return sorted(pairs, key=lambda pair: (-pair.bits, pair.a, pair.b))


def questions(store: Store) -> int:
    """How many times `asked` is called."""
    bots = store.bots()
    return sum(sum(bot.takes_part(contest) for bot in bots) for contest in store.settings().contests())


def _tables(store: Store, contest: Contest, games: int) -> Iterator[tuple[int, list[View]]]:
    """A seat, and all that it saw in one game, for the seats of some games."""
    rng = Random(seed_for(0, "similar", contest.key))
    played = [(series, deals) for series, deals in store.coverage().played() if series.contest.key == contest.key]
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


def _compared(names: Sequence[str], answers: Answers) -> Iterator[AlikePair]:
    """How alike any two bots decided that were asked in common."""
    known = answers != NO_ANSWER
    shares = np.eye(len(names))
    asked, equal = np.zeros((2, answers.shape[1]))
    compared = {}
    for a, b in combinations(range(len(names)), 2):
        both = known[a] & known[b]
        agree = both & (answers[a] == answers[b])
        if both.any():
            compared[a, b] = both, agree
            shares[a, b] = shares[b, a] = agree.sum() / both.sum()
            asked += both
            equal += agree
    for (a, b), (both, agree) in compared.items():
        positions = int(both.sum())
        others = [row for row in range(len(names)) if row not in (a, b)]
        strangers = [row for row in others if max(shares[a, row], shares[b, row]) < 1 - NOISE] or others
        shared = (answers[strangers] == answers[b]).sum(axis=0)
        chance = (shared + 1) / (known[strangers].sum(axis=0) + 2)  # other copies make no decision usual
        bits = np.log2((1 - NOISE) / chance[agree] + NOISE).sum() + (both & ~agree).sum() * log2(2 * NOISE)
        alone = agree & known[others].any(axis=0) & ~(answers[others] == answers[b]).any(axis=0)
        yield AlikePair(
            a=names[a],
            b=names[b],
            positions=positions,
            equal=float(shares[a, b]),
            usual=float((equal[both].sum() - agree.sum()) / max(1, asked[both].sum() - positions)),
            alone=int(alone.sum()),
            bits=float(bits),
        )
