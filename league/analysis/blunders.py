"""Decisions of a bot after which its chance to win fell most, and the moves that would have been better. No bot runs.

A decision is judged by what the bot could know: the cards that it could not see are drawn again (`imagine`), and every
legal move is tried in the same imagined states. Seats that decide at the same time, and all seats afterwards, play at
random. The loss is the chance after the better move minus the chance after the move that was played.

All decisions of some games are screened by few playouts. The worst are judged again by fresh playouts, so that the best
of many noisy numbers is not taken for a fact, and only losses that are clearly larger than their error are named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from heapq import nlargest
from math import ceil, log2
from random import Random
from typing import NamedTuple

from league.analysis.turning_points import Unit, error_of, mean, played_out, unit_in, value_range, worth
from league.errors import LeagueError
from league.games.contract import Game, State, View
from league.games.replay import Replay, game_of, steps
from league.results.games import FoundGame
from league.results.recorded import recorded
from league.results.store import Store
from league.tools.bar import counting_bar
from league.tools.forked import in_order
from league.tools.seeds import Seeds
from league.tools.system import cores
from league.tools.text import counted

GAMES = 30
"""Games that are looked at, unless the caller wants more or fewer."""
SCREENING = 300
"""Playouts for a decision, over all its moves, to find the worst decisions."""
JUDGING = 800
"""Playouts for each of the two moves of a decision that is judged."""
JUDGED = 2
"""Decisions that are judged for each one that is wanted."""
ASSUMED = (
    "This is judged by random playouts: the bot knows what it saw, and all seats play on at random. It is a guide to"
    " decisions that are worth a look; against good opponents another move may be right."
)
SURE = 3.0
"""Standard errors by which a loss must differ from 0."""


class Blunder(NamedTuple):
    """A decision with which a bot lost a part of its chance."""

    address: str
    contest: str
    bot: str
    step: int
    """Counted from 1."""
    seat: int
    """Counted from 1."""
    unit: Unit
    """Whether the numbers below are shares of the win, or points."""
    played: str
    """The move, in words."""
    chance: float
    """After the move that was played."""
    better: str
    """The move that would have been better, in words."""
    chance_of_better: float
    loss: float
    error: float
    """The standard error of the loss."""


class BlunderSearch(NamedTuple):
    """What was found in some games of a bot."""

    blunders: tuple[Blunder, ...]
    """The largest losses first; contests in which points count come last, each by itself."""
    games: int
    """How many were looked at."""
    wanted: int
    """How many there are of the kind that was asked for."""
    decisions: int
    """Decisions of the bot in these games, where it had a choice."""
    without_moves: int
    """Games whose moves were not kept."""
    left_out: tuple[str, ...]
    """Why contests could not be looked at, a sentence each."""

    @property
    def notes(self) -> list[str]:
        """What was looked at, and by which assumptions, a sentence or two each."""
        notes = [*self.left_out]
        if self.without_moves:
            notes.append(
                f"The moves of {counted(self.without_moves, 'game')} were not kept, so their decisions are not known."
                " `moves: all` in the config keeps them."
            )
        if self.games:
            looked_at = f"{counted(self.decisions, 'decision')} in {self.games:,} of {counted(self.wanted, 'game')}"
            none = "" if self.blunders else ": none of them is clearly a blunder"
            notes += [f"Looked at {looked_at}{none}.", ASSUMED]
        return notes


class _Item(NamedTuple):
    """A game of the bot."""

    address: str
    contest: str
    replay: Replay
    seat: int
    unit: Unit


class _Suspect(NamedTuple):
    """A decision that seems to be bad."""

    item: _Item
    step: int
    move: int
    better: int
    loss: float


def search(store: Store, bot: str, games: Sequence[FoundGame], wanted: int, limit: int) -> BlunderSearch:
    """The worst decisions of a bot in some of the games that are wanted: at most `limit`.

    The league's rules must be loaded. Raises `LeagueError` if none of the games can be looked at.
    """
    missing: list[FoundGame] = []
    suspects: dict[tuple[Unit, str], list[_Suspect]] = {}
    problems: dict[str, None] = {}
    looked_at = decisions = 0
    with counting_bar("looking for blunders", "games") as (on_size, on_game):
        on_size(len(games))
        for made, found, problem in in_order(_screened, _items(store, bot, games, missing), cores()):
            on_game(1)
            if problem:
                problems[problem] = None
                continue
            looked_at += 1
            decisions += made
            for suspect in found:
                suspects.setdefault(_group(suspect.item), []).append(suspect)
    worst = [bad for key in suspects for bad in nlargest(limit * JUDGED, suspects[key], key=lambda bad: bad.loss)]
    blunders: list[Blunder] = []
    with counting_bar("judging", "decisions") as (on_size, on_judged):
        on_size(len(worst))
        for blunder in in_order(partial(_judged, bot), worst, cores()):
            on_judged(1)
            if blunder.loss > SURE * blunder.error:
                blunders.append(blunder)
    blunders.sort(key=lambda blunder: (_group(blunder), -blunder.loss))
    searched = BlunderSearch(tuple(blunders[:limit]), looked_at, wanted, decisions, len(missing), tuple(problems))
    if games and not looked_at:
        raise LeagueError(" ".join(searched.notes))
    return searched


def _group(found: _Item | Blunder) -> tuple[Unit, str]:
    """What a loss can be compared with: all shares of the win, or the points of one contest."""
    return found.unit, found.contest if found.unit == "points" else ""


def _items(store: Store, bot: str, games: Sequence[FoundGame], missing: list[FoundGame]) -> Iterator[_Item]:
    """The games with their moves; those without go to `missing`."""
    for game in games:
        kept = recorded(store, game)
        if kept is None:
            missing.append(game)
            continue
        key = game.contest.key
        yield _Item(str(game.address), key, kept.replay, game.bots.index(bot), unit_in(store, key))


def _screened(item: _Item) -> tuple[int, list[_Suspect], str]:
    """How many decisions one game has, which seem to be bad, and why it cannot be looked at, if so."""
    game = game_of(item.replay)
    seeds = Seeds(0, "screening", item.address)
    suspects, decisions = [], 0
    try:
        for step, state, move in _decisions(item):
            decisions += 1
            tried = _Trial(game, state.view(item.seat), item.unit, Random(seeds.of(step)))
            better, loss = _halving(tried, move)
            if loss > 0:
                suspects.append(_Suspect(item, step, move, better, loss))
    except LeagueError as problem:  # of a game without imagine
        return 0, [], f"{item.contest} is left out: {problem}"
    return decisions, suspects, ""


def _decisions(item: _Item) -> Iterator[tuple[int, State, int]]:
    """Step, state and move of every choice that a bot made itself."""
    out_from = min((lapse.step for lapse in item.replay.faults if lapse.seat == item.seat), default=None)
    for number, step in enumerate(steps(item.replay), 1):
        if out_from is not None and number >= out_from:
            return
        turn = step.before.turn
        if item.seat in turn and len(step.before.legal(item.seat)) > 1:
            yield number, step.before, step.moves[turn.index(item.seat)]


class _Trial:
    """Tries moves of one decision, all of them in the same imagined states."""

    def __init__(self, game: Game, view: View, unit: Unit, rng: Random) -> None:
        self._game, self.view, self._unit, self._rng = game, view, unit, rng

    def values(self, moves: Sequence[int]) -> list[float]:
        """What each of these moves leads to, in one imagined state."""
        seat, rng = self.view.seat, self._rng
        state = self._game.imagine(self.view, rng)
        turn = state.turn
        others = [0 if other == seat else rng.choice(state.legal(other)) for other in turn]
        place = turn.index(seat)
        values = []
        for move in moves:
            tried = state.copy()
            others[place] = move
            tried.step(others)
            values.append(worth(played_out(self._game, tried, rng)[0], self._unit)[seat])
        return values


def _halving(trial: _Trial, played: int) -> tuple[int, float]:
    """The best other move, and how much better than the one played it seems: the better half of the moves goes on."""
    moves = [played, *(move for move in trial.view.legal if move != played)]
    sums, tried = dict.fromkeys(moves, 0.0), 0
    rounds = ceil(log2(len(moves)))
    for _ in range(rounds):
        for _ in range(max(SCREENING // (rounds * len(moves)), 1)):
            tried += 1
            for move, value in zip(moves, trial.values(moves), strict=True):
                sums[move] += value
        others = sorted(moves[1:], key=lambda move: sums[move], reverse=True)
        moves = [played, *others[: max(len(moves) // 2, 1)]]
    better = moves[1]
    return better, (sums[better] - sums[played]) / tried


def _judged(bot: str, suspect: _Suspect) -> Blunder:
    """A decision that seems to be bad, judged by fresh playouts."""
    item, step = suspect.item, suspect.step
    game = game_of(item.replay)
    view = next(state for number, state, _ in _decisions(item) if number == step).view(item.seat)
    trial = _Trial(game, view, item.unit, Random(Seeds(0, "judging", item.address).of(step)))
    pairs = [trial.values((suspect.move, suspect.better)) for _ in range(JUDGING)]
    low, high = value_range(game, item.unit, [value for pair in pairs for value in pair])
    afters, betters = zip(*pairs, strict=True)
    losses = [better - after for after, better in pairs]
    return Blunder(
        address=item.address,
        contest=item.contest,
        bot=bot,
        step=step,
        seat=item.seat + 1,
        unit=item.unit,
        played=game.label(suspect.move, view),
        chance=mean(afters),
        better=game.label(suspect.better, view),
        chance_of_better=mean(betters),
        loss=mean(losses),
        error=error_of(losses, low - high, high - low),
    )
