"""Real games of real bots to draw leagues from: every lineup of a small field plays a great many deals.

A league that is drawn from a bank plays deals of it at random, each as often as it comes up. So what the whole bank
says is exactly what such a league would find if it went on forever: the truth that its standings are judged by.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from league import games
from league.games.contract import Deal, Game, Outcome
from league.hosts.bot import BotTable
from league.rating.fit import fit
from league.rating.table import Floats, Ints
from league.results.tallies import Counts, Tallies
from league.tools.seeds import Seeds
from league.values.block import DEAL_GROUPS
from league.values.settings import Contest, Rating

SWAPS = 60
BOTS = Path(__file__).parent.parent / "bots"
GRADED = """
class Bot:
    games = ("raj",)

    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        if self.rng.random() >= {skill}:
            return self.rng.choice(view.legal)
        return min(view.legal, key=lambda card: abs(card - 1.5 * abs(view.prize)))
"""
"""A bidder that knows what it does in a part of its moves."""


class Field(NamedTuple):
    """Bots of one contest."""

    name: str
    game: str
    players: int
    bots: tuple[str | float, ...]
    """Names of shipped bots, one that was named before is a copy; or the part of its moves that a bidder knows."""


FIELDS = (
    Field("mixed", "raj", 2, ("raj_habits", "raj_nearest", "raj_nearest", 0.5, "random", "stubborn")),
    Field("graded", "raj", 2, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
    Field("close", "raj", 2, (0.5, 0.52, 0.54, 0.56, 0.58, 0.6)),
    Field("copies", "raj", 2, (0.5, 0.5, 0.5, 0.5, 0.5, 0.5)),
    Field("rats", "braverats", 2, ("rats_average", "rats_mixed", "rats_prince", "random", "stubborn")),
    Field("mixed", "raj", 3, ("raj_habits", "raj_nearest", "raj_nearest", 0.5, "random")),
    Field("close", "raj", 3, (0.5, 0.52, 0.54, 0.56, 0.58)),
    Field("mixed", "raj", 4, ("raj_habits", "raj_nearest", 0.7, 0.3, "random", "random")),
    Field("copies", "raj", 4, (0.5, 0.5, 0.5, 0.5, 0.5)),
    Field("cheese", "cheese_rescue", 2, ("cheese_chain", "cheese_greedy", "cheese_patient", "random", "stubborn")),
    Field("tales", "magillat", 3, ("tale_collector", "tale_envy", "tale_habits", "tale_mixed", "random")),
    Field("dozen", "raj", 2, (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)),
)


class Bank:
    """All games of a field."""

    def __init__(self, contest: Contest, names: tuple[str, ...], alike: Ints, ranks: NDArray[np.int8]) -> None:
        self.contest = contest
        self.names = names
        self.alike = alike
        """By bot: the first one with the same source."""
        self.lineups: Ints = np.array(list(combinations(range(len(names)), contest.players)))
        self.ranks = ranks
        """By lineup, deal, rotation and bot of the lineup."""
        self.swaps = _swaps(alike)
        """Ways to exchange copies: swaps by bots."""
        place = {tuple(lineup): number for number, lineup in enumerate(self.lineups.tolist())}
        swapped = self.swaps[:, self.lineups]
        self.stands_in: Ints = np.array([[place[tuple(one)] for one in way] for way in np.sort(swapped).tolist()])
        """By swap and lineup: the lineup whose games are taken."""
        self.columns: Ints = np.argsort(np.argsort(swapped))
        """By swap, lineup and bot of the lineup: whose ranks it gets there."""
        every = np.arange(len(self.lineups) * self.deals)
        whole = Drawn(self, *divmod(every, self.deals), np.zeros_like(every), np.zeros_like(every))
        self.truth: Floats = fit(whole.table(), Rating()).mean
        for bot in np.unique(alike):
            self.truth[alike == bot] = self.truth[alike == bot].mean()

    @property
    def deals(self) -> int:
        """Of each lineup."""
        return int(self.ranks.shape[1])

    def draw(self, rng: np.random.Generator, lineup: Ints, deal: Ints, group: Ints) -> Drawn:
        """A league that played these deals of these lineups, in every rotation; copies change places at random."""
        return Drawn(self, lineup, deal, group, rng.integers(0, len(self.swaps), len(lineup)))

    def better(self) -> NDArray[np.bool_]:
        """Bots by bots: whether the one is truly better than the other."""
        ahead: NDArray[np.bool_] = self.truth[:, None] > self.truth[None, :]
        return ahead


class Drawn(Tallies):
    """The results of a league that was drawn from a bank."""

    def __init__(self, bank: Bank, lineup: Ints, deal: Ints, group: Ints, swap: Ints) -> None:
        super().__init__(bank.contest, bank.names)
        players = bank.contest.players
        each = np.repeat(np.arange(len(lineup)), players)
        rotation = np.tile(np.arange(players), len(lineup))
        seats = (rotation[:, None] + np.arange(players)) % players
        lineups = bank.lineups[lineup[each]]
        ranks = bank.ranks[bank.stands_in[swap, lineup][each], deal[each], rotation].astype(np.int64)
        ranks = np.take_along_axis(ranks, bank.columns[swap, lineup][each], axis=1)
        rows = np.column_stack([lineups, seats, group[each], ranks])
        rows, games = np.unique(rows, axis=0, return_counts=True)
        parts = np.split(rows, [players, 2 * players, 2 * players + 1], axis=1)
        self._drawn = Counts(parts[0], parts[1], parts[2][:, 0], parts[3], games.astype(np.int64))

    def counts(self) -> Counts:
        return self._drawn


def _swaps(alike: Ints) -> Ints:
    """Some permutations of all bots that exchange copies only; the first one exchanges nothing."""
    rng = np.random.default_rng(0)
    found = [np.arange(len(alike))]
    for _ in range(SWAPS):
        swap = np.arange(len(alike))
        for bot in np.unique(alike):
            swap[alike == bot] = rng.permutation(swap[alike == bot])
        found.append(swap)
    return np.array(found)


def groups_of(rng: np.random.Generator, lineup: Ints) -> Ints:
    """The groups of deals that follow each other, from an offset that each lineup has for itself."""
    offsets = rng.integers(0, DEAL_GROUPS, int(lineup.max(initial=0)) + 1)
    order = np.argsort(lineup, kind="stable")
    first = np.searchsorted(lineup[order], lineup[order])
    number = np.empty_like(lineup)
    number[order] = np.arange(len(lineup)) - first
    return (offsets[lineup] + number) % DEAL_GROUPS


def bank_of(field: Field, deals: int, kept: Path | None = None, seed: int = 1) -> Bank:
    """Play a field, or read what was played of it before; `kept` is a folder. Another `seed` plays other games."""
    sources = sources_of(field)
    names = tuple(sorted(sources))
    texts = list(sources.values())
    alike = np.array([texts.index(sources[name]) for name in names])
    alike = np.array([list(alike).index(one) for one in alike])
    file = kept / f"{field.game}-{field.players}p-{field.name}-{deals}-{seed}.npy" if kept else None
    if file and file.exists():
        return Bank(_contest(field), names, alike, np.load(file))
    ranks = played(field, sources, deals, seed)[0].astype(np.int8)
    if file:
        np.save(file, ranks)
    return Bank(_contest(field), names, alike, ranks)


def sources_of(field: Field) -> dict[str, str]:
    """The sources of the bots of a field, by name."""
    found: dict[str, str] = {}
    for at, bot in enumerate(field.bots):
        name = f"{chr(ord('a') + at)}_{Path(bot).name if isinstance(bot, str) else round(100 * bot)}"
        found[name] = (BOTS / f"{bot}.py").read_text() if isinstance(bot, str) else GRADED.format(skill=bot)
    return found


def _contest(field: Field) -> Contest:
    return Contest.of(games.make(field.game, field.players))


def played(field: Field, sources: dict[str, str], deals: int, seed: int, *, by_seat: bool = False) -> Ints:
    """Ranks and points by lineup, deal, rotation and bot of the lineup; all lineups play the same deals.

    With `by_seat` a bot has other random numbers in other seats, as in a league.
    """
    names = sorted(sources)
    classes = [_bot_class(sources[name]) for name in names]
    game = games.make(field.game, field.players)
    lineups = list(combinations(range(len(names)), field.players))
    found = np.zeros((2, len(lineups), deals, field.players, field.players), dtype=np.int64)
    seeds = Seeds(seed, "bank", field.name, Path(field.game).stem, field.players)
    for number, lineup in enumerate(lineups):
        for deal, dealt in enumerate(deals_of(field, deals, seed)):
            for rotation in range(field.players):
                seats = [lineup[(seat - rotation) % field.players] for seat in range(field.players)]
                own = [(deal, seat, bot) if by_seat else (deal, bot) for seat, bot in enumerate(seats)]
                tables = [BotTable(game, seat, seeds.of(*of)) for seat, of in enumerate(own)]
                bots = [_seated(classes[bot], table) for bot, table in zip(seats, tables, strict=True)]
                outcome = _outcome(game, dealt, bots)
                found[:, number, deal, rotation] = np.roll([outcome.ranks, outcome.scores], -rotation, axis=1)
    return found


def deals_of(field: Field, deals: int, seed: int) -> Iterator[Deal]:
    """The deals that a field plays."""
    game = games.make(field.game, field.players)
    seeds = Seeds(seed, "bank", field.name, Path(field.game).stem, field.players)
    return (game.deal(Random(seeds.of(deal))) for deal in range(deals))


def _outcome(game: Game, dealt: Deal, bots: list[Any]) -> Outcome:
    state = game.start(dealt)
    while state.turn:
        state.step([bots[seat].choose(state.view(seat)) for seat in state.turn])
    return state.outcome()


def _bot_class(text: str) -> Any:
    names: dict[str, Any] = {}
    exec(compile(text, "bot", "exec"), names)
    return names["Bot"]


def _seated(bot: Any, table: BotTable) -> Any:
    return bot(table) if "__init__" in vars(bot) else bot()
