"""Games of small fields to draw leagues from: every kind of table plays a great many deals.

A league that is drawn from a bank plays deals of it at random, each as often as it comes up. So what the whole bank
says is exactly what such a league would find if it went on forever: the truth that its standings are judged by. Most
banks are games of real bots. Some are made up, from strengths and how they vary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from league import games
from league.games.contract import Deal, Game, Outcome
from league.hosts.bot import BotTable
from league.rating.points import PointsTable
from league.rating.table import Floats, Ints, row_keys
from league.results.contest_standings import ContestStandings
from league.results.tallies import Counts, Tallies
from league.tools.seeds import Seeds
from league.values.block import DEAL_GROUPS
from league.values.settings import Contest, Counting, Rating

ROOT = Path(__file__).resolve().parent.parent
KUHN = ROOT / "examples" / "kuhn"
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
MARGIN = 0.05
"""In made-up games, neighbours in performance that are closer share a place."""


class Field(NamedTuple):
    """Bots of one contest."""

    name: str
    game: str
    players: int
    bots: tuple[str | float, ...]
    """Names of shipped bots or files, one that was named before is a copy; or the part of its moves that a bidder
    knows; or strengths, if the games are made up."""
    made: Literal["", "normal", "jackpot", "lognormal"] = ""
    """How luck is distributed, if games are made up."""
    cycles: float = 0.0
    """The standard deviation of what each pair brings about beyond strengths, in made-up games."""
    counts: Counting = "games"


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
KUHN_BOTS = (*(str(KUHN / "bots" / name) for name in ("equilibrium", "bettor", "honest", "caller")), "random")
POINTS = (
    Field("kuhn", str(KUHN / "kuhn.py"), 2, KUHN_BOTS, counts="points"),
    Field("jackpot", "raj", 2, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), made="jackpot", counts="points"),
    Field("lognormal", "raj", 2, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), made="lognormal", counts="points"),
)
TWENTY = Field("20 copies", "raj", 2, (0.5,) * 20)
HABITS = Field("habits", "raj", 4, (*("raj_habits",) * 4, *("random",) * 8))
THREES = Field("threes", "raj", 3, (*("raj_habits",) * 3, *("raj_nearest",) * 2, 0.5, *("random",) * 3))
FORTY = Field("40 in cycles", "raj", 2, tuple(np.linspace(-1.5, 1.5, 40).round(3).tolist()), "normal", 3.0)
GRADED_FORTY = Field("40 graded, cycles", "raj", 2, tuple(np.linspace(-6, 6, 40).round(3).tolist()), "normal", 3.0)
EIGHTEEN = Field("20 in cycles", "raj", 2, tuple(np.linspace(-1.5, 1.5, 20).round(3).tolist()), "normal", 3.0)
TOP_COPIES = Field("copies on top", "raj", 2, ("raj_habits", "raj_habits", 0.8, 0.6, 0.4, "random"))
CLASS = Field("class", "raj", 2, (0.0, *(1.0, 1.0), *(2.0, 2.0), *(-1.0, -1.0), *(0.0, 0.0), 4.0, -4.0), "normal")
"""A milestone, which is the first one, and pairs of copies around it."""


class Bank:
    """All games of a field. Tables with copies of the same bots are of one kind, and play the same games."""

    def __init__(self, field: Field, contest: Contest, deals: int, seed: int) -> None:
        self.contest = contest
        self.count = field.counts
        self.names = tuple(f"{at:02d}_{_name(bot)}" for at, bot in enumerate(field.bots))
        self.alike: Ints = np.array([field.bots.index(bot) for bot in field.bots])
        """By bot: the first one with the same source."""
        self.lineups: Ints = np.array(list(combinations(range(len(self.names)), contest.players)))
        self._kinds, kind = np.unique(np.sort(self.alike[self.lineups], axis=1), axis=0, return_inverse=True)
        self._kind: Ints = kind.ravel()
        """By lineup."""
        rng = np.random.default_rng((seed, len(self.names)))
        play = _made_up(field, self._kinds, deals, rng) if field.made else _played(field, self._kinds, deals, seed)
        self._ranks, self._points = play
        """By kind, deal, rotation and bot."""
        everything = np.divmod(np.arange(len(self.lineups) * deals), deals)
        whole = self.draw(np.random.default_rng(0), *everything, everything[1] % DEAL_GROUPS)
        self.truth: Floats = ContestStandings(whole, Rating()).rating
        for bot in np.unique(self.alike):
            self.truth[self.alike == bot] = self.truth[self.alike == bot].mean()

    @property
    def deals(self) -> int:
        """Of each kind of table."""
        return int(self._ranks.shape[1])

    def draw(self, rng: np.random.Generator, lineup: Ints, deal: Ints, group: Ints) -> Drawn:
        """A league that played these deals of these lineups, in every rotation; copies change places at random."""
        alike = self.alike[self.lineups[lineup]]
        bots = np.argsort(alike + rng.random(alike.shape), axis=1)
        places = np.argsort(bots, axis=1)[:, None, :]
        kind = self._kind[lineup]
        ranks: Ints = np.take_along_axis(self._ranks[kind, deal], places, axis=2)
        points: Floats = np.take_along_axis(self._points[kind, deal], places, axis=2)
        return Drawn(self, lineup, group, ranks, points)


class Drawn(Tallies):
    """The results of a league that was drawn from a bank."""

    def __init__(self, bank: Bank, lineup: Ints, group: Ints, ranks: Ints, points: Floats) -> None:
        super().__init__(bank.contest, bank.names, bank.count)
        players, games = bank.contest.players, len(lineup) * bank.contest.players
        rotation = np.tile(np.arange(players), len(lineup))
        columns = [np.repeat(lineup, players), rotation, np.repeat(group, players), *ranks.reshape(games, players).T]
        sizes = [len(bank.lineups), players, DEAL_GROUPS, *[players] * players]
        _, first, number = np.unique(row_keys(columns, sizes), return_index=True, return_counts=True)
        of_lineup, turn, of_group, *by_bot = (column[first] for column in columns)
        seats = (turn[:, None] + np.arange(players)) % players
        self._drawn = Counts(bank.lineups[of_lineup], seats, of_group, np.column_stack(by_bot), number.astype(np.int64))
        of_games = bank.lineups[lineup]
        sums = points.sum(axis=1)
        self._sums: list[int] = np.bincount(of_games.ravel(), sums.ravel(), len(bank.names)).tolist()
        if bank.count == "points":
            rows, row = np.unique(np.column_stack([of_games, group]), axis=0, return_inverse=True)
            added = np.column_stack([np.bincount(row.ravel(), column, len(rows)) for column in sums.T]).astype(
                np.float64
            )
            each = np.bincount(row.ravel(), minlength=len(rows)).astype(np.float64) * players
            self._points_table = PointsTable(len(bank.names), rows[:, :-1], rows[:, -1], each, added)
            by_game = np.repeat(of_games, players, axis=0).ravel()
            for bot in range(len(bank.names)):
                self.histograms[bot] = Counter(points.ravel()[by_game == bot].tolist())

    def points(self) -> list[int]:
        return self._sums

    def counts(self) -> Counts:
        return self._drawn

    def points_table(self) -> PointsTable:
        return self._points_table


def groups_of(rng: np.random.Generator, lineup: Ints) -> Ints:
    """The groups of deals that follow each other, from an offset that each lineup has for itself."""
    offsets = rng.integers(0, DEAL_GROUPS, int(lineup.max(initial=0)) + 1)
    order = np.argsort(lineup, kind="stable")
    first = np.searchsorted(lineup[order], lineup[order])
    number = np.empty_like(lineup)
    number[order] = np.arange(len(lineup)) - first
    return (offsets[lineup] + number) % DEAL_GROUPS


def bank_of(field: Field, deals: int, seed: int = 1) -> Bank:
    """Play a field; another `seed` plays other games."""
    return Bank(field, Contest.of(games.make(field.game, field.players)), deals, seed)


def _name(bot: str | float) -> str:
    return Path(bot).name if isinstance(bot, str) else f"{bot:g}"


def _source(bot: str | float) -> str:
    return (ROOT / "bots" / f"{bot}.py").read_text() if isinstance(bot, str) else GRADED.format(skill=bot)


Play = tuple[NDArray[np.int64], Floats]
"""Ranks and points by kind of table, deal, rotation and bot."""


def _played(field: Field, kinds: Ints, deals: int, seed: int) -> Play:
    """All kinds of tables play the same deals. A bot has other random numbers at each place of a table."""
    classes = [_bot_class(_source(bot)) for bot in field.bots]
    game = games.make(field.game, field.players)
    found = np.zeros((2, len(kinds), deals, field.players, field.players), dtype=np.int64)
    seeds = Seeds(seed, "bank", field.name, Path(field.game).stem, field.players)
    for number, kind in enumerate(kinds.tolist()):
        for deal, dealt in enumerate(_deals(game, deals, seeds)):
            for rotation in range(field.players):
                places = [(seat - rotation) % field.players for seat in range(field.players)]
                tables = [BotTable(game, seat, seeds.of(deal, kind[at], at, seat)) for seat, at in enumerate(places)]
                bots = [_seated(classes[kind[at]], table) for at, table in zip(places, tables, strict=True)]
                outcome = _outcome(game, dealt, bots)
                found[:, number, deal, rotation] = np.roll([outcome.ranks, outcome.scores], -rotation, axis=1)
    return found[0], found[1].astype(np.float64)


def _made_up(field: Field, kinds: Ints, deals: int, rng: np.random.Generator) -> Play:
    """Games of two in which performances are a strength and luck, in parts of the luck of one game."""
    strengths = np.array(field.bots, dtype=np.float64)
    of_pairs = rng.normal(0, field.cycles, len(kinds)) if field.cycles else np.zeros(len(kinds))
    lead = strengths[kinds[:, 0]] - strengths[kinds[:, 1]] + of_pairs
    lead[kinds[:, 0] == kinds[:, 1]] = 0.0
    scale = 25 / 6 if field.counts == "games" else 1.0
    shape = len(kinds), deals, field.players
    luck: Floats = rng.standard_normal(shape)
    if field.made == "jackpot":
        luck += 20 * np.where(rng.random(shape) < 0.02, rng.choice([-1.0, 1.0], shape), 0.0)
    elif field.made == "lognormal":
        luck = np.exp(1.5 * luck) * rng.choice([-1.0, 1.0], shape)
    ahead = lead[:, None, None] / scale + 2**0.5 * luck
    level = np.abs(ahead) < MARGIN
    ranks = np.stack([(ahead < 0) & ~level, (ahead > 0) & ~level], axis=-1).astype(np.int64)
    return ranks, np.stack([ahead, -ahead], axis=-1) / 2


def _deals(game: Game, deals: int, seeds: Seeds) -> Iterator[Deal]:
    return (game.deal(Random(seeds.of(deal))) for deal in range(deals))


def _outcome(game: Game, dealt: Deal, bots: Sequence[Any]) -> Outcome:
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
