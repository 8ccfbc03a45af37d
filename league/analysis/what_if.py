"""What another version of a bot would have done: games of a league played again with it, deal by deal.

    games = [*find(store, Query(bot="amy", ended="lost"))]
    played = [*retries(store, "amy", load(Path("new_amy.py")), games)]
    print(verdict(played, "new_amy.py", chosen_by_result=True))

The new version gets the old one's name, so deal, seats, opponents and all random numbers are the same. After its
first different decision everything else may differ too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

import msgspec
import numpy as np

from league.analysis.rematch import again, at_table, played_again, shown_in
from league.errors import LeagueError
from league.games.replay import Replay, game_of, steps
from league.rating.errors import clustered_mean
from league.rating.places import place_scores
from league.results.games import FoundGame
from league.results.recorded import Shown, recorded
from league.results.store import Store
from league.setup.roster import Bot, refuse_strangers
from league.tools.text import safe
from league.values.block import Entrant
from league.values.settings import Isolation


class Decision(msgspec.Struct, frozen=True):
    """The first decision that was different."""

    step: int
    """Counted from 1."""
    bot: str
    """Whose decision it was; an opponent's only if a bot is not deterministic or learned something else before."""
    position: tuple[str, ...]
    """What the bot saw, in words."""
    before: str
    after: str


class SeatResult(msgspec.Struct, frozen=True):
    """How a game ended for one bot."""

    place: int
    """From 1."""
    score: float
    """1 for the first place, 0 for the last, evenly between, ties averaged."""
    points: int
    fault: str = ""
    """What the bot did wrong, if it was at fault."""


class Retry(msgspec.Struct, frozen=True):
    """One game with the old version and with the new one."""

    address: str
    contest: str
    bot: str
    match: int
    """The number of its match: games of one match number share their deals."""
    before: SeatResult
    """As it counted."""
    after: SeatResult
    decision: Decision | None
    """None: the new version decided the same throughout."""
    reproduced: bool
    """Whether the opponents play as they did up to there, and the game with the old version ended as it had counted; if
    not, a bot is not deterministic."""


class Gain(msgspec.Struct, frozen=True):
    """A mean of the new version minus that of the old one, with an interval."""

    value: float
    low: float | None
    """None: a single match is not enough."""
    high: float | None


class Effect(msgspec.Struct, frozen=True):
    """What the new version changes in the games of one contest."""

    contest: str
    games: int
    decided: int
    better: int
    worse: int
    points: Gain
    score: Gain


def retries(
    store: Store, name: str, version: Bot, games: Sequence[FoundGame], isolation: Isolation = Isolation.SANDBOX
) -> Iterator[Retry]:
    """Games of the league with a new version of one of its bots, beside the old one's: as kept, or played again."""
    old = {bot.name: bot.entrant() for bot in store.bots()}[name]
    version = msgspec.structs.replace(version, name=name)
    if version.entrant() == old:
        raise LeagueError(f"{safe(version.path.name)} is the same as the {safe(name)} that played.")
    for game in games:
        refuse_strangers(game.contest.game, [version], game.contest.players)
    with at_table(store, isolation, version) as worker:
        changed = ([_with(version.entrant(), game)] for game in games)
        for game, (_, result) in zip(games, again(worker, changed), strict=True):
            old_shown = recorded(store, game) or played_again(worker, game)
            yield _retry(name, game, old_shown, shown_in(result, game.deal))


def _with(version: Entrant, game: FoundGame) -> FoundGame:
    """The game with a new version in the place of the old one."""
    lineup = tuple(version if entrant.name == version.name else entrant for entrant in game.series.lineup)
    series = msgspec.structs.replace(game.series, lineup=lineup, dealt_as=game.series.lineup)
    return msgspec.structs.replace(game, series=series)


def _retry(name: str, game: FoundGame, old: Shown, new: Shown) -> Retry:
    seat = game.bots.index(name)
    decision = first_difference(old.replay, new.replay, seat)
    learns = game.contest.games_per_match > 1  # from the games before, which may have been others
    return Retry(
        address=str(game.address),
        contest=game.contest.key,
        bot=name,
        match=game.deal // game.contest.games_per_match,
        before=_result(game.ranks, game.points, seat, old),
        after=_result(new.outcome.ranks, new.outcome.scores, seat, new),
        decision=decision,
        reproduced=not old.differs and (decision is None or decision.bot == name or learns),
    )


def first_difference(before: Replay, after: Replay, seat: int) -> Decision | None:
    """The first decision that differs between two playings of one deal; that of `seat` if several do at once."""
    game = game_of(before)
    for number, (step, moves) in enumerate(zip(steps(before), after.moves, strict=False), 1):
        turn = step.before.turn
        old, new = (_done(replay, number, turn, moves) for replay, moves in ((before, step.moves), (after, moves)))
        seats = [place for place in turn if old[place] != new[place]]
        if seats:
            shown = seat if seat in seats else seats[0]
            view = step.before.view(shown)
            labels = [done if isinstance(done, str) else game.label(done, view) for done in (old[shown], new[shown])]
            return Decision(number, before.names[shown], tuple(game.sketch(view, before.names)), *labels)
    return None


def effects(retries: Sequence[Retry]) -> list[Effect]:
    """What the new version changes, contest by contest."""
    contests = dict.fromkeys(retry.contest for retry in retries)
    return [_effect(key, [retry for retry in retries if retry.contest == key]) for key in contests]


def verdict(retries: Sequence[Retry], version: str, *, chosen_by_result: bool) -> str:
    """In one or two sentences: whether the new version does better in these games."""
    bot, single = safe(retries[0].bot), len(retries) == 1
    games = "this game" if single else f"these {len(retries):,} games"
    whole = _effect("", retries)
    if not whole.decided:
        return f"{version} decides exactly as {bot} did in {games}."
    score = whole.score
    if score.low is not None and score.low > 0:
        sentence = f"{version} does better than {bot} in {games}"
    elif score.high is not None and score.high < 0:
        sentence = f"{version} does worse than {bot} in {games}"
    else:
        sentence = f"{games.capitalize()} {'does' if single else 'do'} not tell whether {version} is better than {bot}"
    flipped = f"a better place in {whole.better:,}, a worse one in {whole.worse:,}"
    sentence += f": {flipped}, mean place score {shown_gain(score, 3)}."
    if chosen_by_result:
        chosen = "It was chosen by its result" if single else "They were chosen by their result"
        sentence += f" {chosen}, which biases the answer: play all games of {bot} for a fair one."
    return sentence


def shown_gain(gain: Gain, digits: int) -> str:
    """'+0.120 (+0.040 … +0.200)'."""
    bounds = "" if gain.low is None else f" ({gain.low:+.{digits}f} … {gain.high:+.{digits}f})"
    return f"{gain.value:+.{digits}f}{bounds}"


def _result(ranks: tuple[int, ...], points: tuple[int, ...], seat: int, shown: Shown) -> SeatResult:
    causes = [f"{lapse.kind}: {lapse.cause}" for lapse in shown.replay.faults if lapse.seat == seat]
    score = float(place_scores(np.array([ranks]))[0, seat])
    return SeatResult(ranks[seat] + 1, score, points[seat], "".join(causes[:1]))


def _done(replay: Replay, number: int, turn: Sequence[int], moves: Sequence[int]) -> dict[int, int | str]:
    """By seat: the move that was chosen at a step, or the fault of the seat in words."""
    done: dict[int, int | str] = dict(zip(turn, moves, strict=True))
    for lapse in replay.faults:
        if lapse.step <= number and lapse.seat in done:
            done[lapse.seat] = f"is at fault ({lapse.kind})"
    return done


def _effect(contest: str, retries: Sequence[Retry]) -> Effect:
    scores = np.array([retry.after.score - retry.before.score for retry in retries])
    points = np.array([retry.after.points - retry.before.points for retry in retries], dtype=np.float64)
    matches = np.array([retry.match for retry in retries])
    return Effect(
        contest=contest,
        games=len(retries),
        decided=sum(retry.decision is not None for retry in retries),
        better=int((scores > 0).sum()),
        worse=int((scores < 0).sum()),
        points=_gain(points, matches, max(1.0, float(np.abs(points).max()))),
        score=_gain(scores, matches, 1.0),
    )


def _gain(values: np.ndarray, groups: np.ndarray, scale: float) -> Gain:
    """The mean of all games; only matches are independent, so its interval follows from how these vary.

    `scale` is how much a value may reasonably vary, for matches that are all the same.
    """
    _, group = np.unique(groups, return_inverse=True)
    value, half = clustered_mean(np.bincount(group, values).astype(np.float64), np.bincount(group), scale)
    if half == inf:
        return Gain(value, None, None)
    return Gain(value, value - half, value + half)
