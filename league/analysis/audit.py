"""Finds bots whose play depends on more than their match: on other games, the clock, or random numbers of their own.

A sample of matches is played as in a league, side by side, and everything that is sent to a bot is recorded with its
answers. Then the same is sent again, one match alone in a fresh host, twice. A deterministic bot answers the same.
Since every bot gets its own recorded views, no bot is suspected for what another one does. Where the league has kept
its moves, they are compared too: a bot may play differently than it did then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from math import inf
from pathlib import Path
from random import Random
from time import monotonic
from typing import NamedTuple

from league.games.contract import Game, View
from league.hosts import Host, Reply, Tick
from league.hosts.factory import HostFactory
from league.hosts.process_host import by_slot
from league.plan.schedule import whole_matches
from league.plan.seating import dealt, seating_of
from league.play.match import play_sitting
from league.results.recorded import load_rules, recorded_steps, steps_in
from league.results.store import Store
from league.setup.roster import Bot
from league.tools.forked import in_time
from league.tools.seeds import seed_for
from league.tools.text import safe
from league.values.block import Block, BlockResult, Entrant, Series, Sitting, Unavailable, Usage
from league.values.settings import Isolation

SHARE_OF_RUN, AFTER_RUN, LONGEST_AFTER_RUN = 0.1, 3.0, 10.0
"""After a run, this part of its time goes into a sample, but no more than so many seconds. What is examined then is
finished, unless a bot is so slow that it takes longest."""
TOGETHER = 64
"""Games that are played side by side, of which some are then played alone."""
MATCHES = 4
"""Matches of each series in the sample that are played alone."""

OTHER_GAMES = "remembers other games: in the same game it chooses differently if it has played no other one before"
CHANCE = "is not deterministic: given the same views again, it chooses differently"
OTHER_TABLES = "answers differently with the tables that choose_many is asked for at once"
CHANGED = "does not play as it did in the league: given the same views, it chooses differently now"
_KEEP_BY_SLOT = "Keep what it remembers by slot, and forget it when a game starts with fresh: true."
_SEED_IT = "Seed its random numbers from the seed of start, slot by slot, and do not look at the clock."
_TAKE_OURS = (
    "Take random numbers from table.rng or the module random, not from os.urandom or secrets, and do not look at the"
    " clock."
)
_ADVICE = {
    OTHER_GAMES: (
        "So its results depend on which games are played beside each other, and are not reproducible.",
        "Keep what it remembers in self, set in __init__, not in the class, in globals or in default arguments. In"
        " choose_many, let no table's answer depend on the others.",
        _KEEP_BY_SLOT,
    ),
    CHANCE: ("So its results are not reproducible.", _TAKE_OURS, _SEED_IT),
    OTHER_TABLES: (
        "Which tables come together depends on the machine, so its results are not reproducible.",
        "Let no table's answer depend on the others. Sums of floats differ in their last digits with the number of"
        " rows: round them before they are compared.",
        _KEEP_BY_SLOT,
    ),
    CHANGED: (
        "So its results are not reproducible: it may depend on the machine, on its packages or on the date.",
        _TAKE_OURS,
        _SEED_IT,
    ),
}
"""By reason: what follows, and what to do about it in Python and in other languages."""


Told = list[tuple[Tick, int | None]]
"""All that was sent to a bot in one match, and the moves that it answered."""
Answers = list[int | None]
"""What a bot answered to each tick of a match, up to the first trouble; None where it was not asked for a move."""


class TwoAnswers(NamedTuple):
    """The first decision of a match that a bot made in two ways."""

    reason: str
    game: int
    """In the match, from 0."""
    decision: int
    """The bot's own in that game, from 1."""
    view: View
    then: int | None
    now: int | None
    """None: it was at fault."""
    asked: str = "asked again"


class Finding(NamedTuple):
    """A bot that is not deterministic."""

    bot: str
    address: str
    reason: str
    step: int = 0
    """The step of the game, from 1, at which the bot played differently; 0 if it did not."""
    then: str = ""
    """What it played there at first, or in the league, in words."""
    now: str = ""
    """What it plays there when it is asked again."""
    asked: str = "asked again"
    of_program: bool = False
    """Whether it is a program in another language, or in Python of its own."""

    def __str__(self) -> str:
        why, in_python, in_others = _ADVICE[self.reason]
        advice = in_others if self.of_program else in_python
        return safe(f"{self.bot} {self.reason} (seen in {self.place}). {why} {advice}")

    @property
    def place(self) -> str:
        """'raj-2p:ann+bob:17.1, step 5: bids 7, and asked again bids 9'."""
        return f"{self.address}, step {self.step}: {self.then}, and {self.asked} {self.now}"


class Audit(NamedTuple):
    """What was examined, and what was found."""

    bots: int
    matches: int
    """Counted once for each bot in them."""
    findings: tuple[Finding, ...]
    """The first of each bot, by name."""
    left: tuple[str, ...]
    """Bots at fault in every match of the sample, so that there was nothing to compare; by name."""


def audit(
    store: Store,
    seconds: float | None = None,
    seed: int = 0,
    isolation: Isolation = Isolation.SANDBOX,
    *,
    most_seconds: float = inf,
) -> Audit:
    """Examine every bot of a league at least once, or as many as there is time for. `seed` chooses the sample.

    After `seconds`, what is being examined is finished, and cut short after `most_seconds`.

    Whatever the folder says, its bots are confined unless the caller trusts them: it may come from a stranger.
    """
    findings: dict[str, Finding] = {}
    sampled: set[Entrant] = set()
    compared: list[Entrant] = []
    deadline = inf if seconds is None else monotonic() + seconds
    # In a process that can be ended: a slow bot may take minutes for one answer.
    with closing(in_time(most_seconds, partial(_steps, store.folder, seed, isolation))) as steps:
        for lineup, finding in steps:
            if finding is None:
                if monotonic() > deadline and (sampled or not seconds):
                    break  # the process takes some time to begin
                sampled.update(lineup)
                continue
            compared += lineup
            if finding.reason:
                findings.setdefault(finding.bot, finding)
    left = tuple(sorted(entrant.name for entrant in sampled - set(compared)))
    return Audit(len(set(compared)), len(compared), tuple(findings[name] for name in sorted(findings)), left)


def audit_after_run(store: Store, played: float, isolation: Isolation, most_seconds: float) -> Sequence[Finding]:
    """Audit a few bots after a run that has played for so many seconds, others each time, and remember what was found.

    It takes a part of that time, and what is examined then is finished, but nothing is after `most_seconds`.
    """
    if most_seconds <= 0:
        return ()
    seconds, most = min(AFTER_RUN, SHARE_OF_RUN * played), min(LONGEST_AFTER_RUN, most_seconds)
    findings = audit(store, seconds, len(store.runs()), isolation, most_seconds=most).findings
    if findings:
        entrants = {bot.name: bot.entrant() for bot in store.bots()}
        seen = {entrants[finding.bot]: f"{finding.reason} (seen in {finding.place})" for finding in findings}
        store.remember_erratic(seen)
    return findings


Step = tuple[tuple[Entrant, ...], Finding | None]
"""A lineup that is examined next; or a bot of it, and what was found out about it, with no reason if it is alike."""


def _steps(folder: Path, seed: int, isolation: Isolation) -> Iterator[Step]:
    with Store.open(folder) as store:
        load_rules(store)
        bots = {bot.entrant(): bot for bot in store.with_files(store.bots())}
        with HostFactory(isolation, store.settings().limits, private=[store.folder]) as factory:
            for block in _sample(store, seed):
                yield block.series.lineup, None
                for entrant, finding in _examine(store, block, bots, factory, seed):
                    yield (entrant,), finding


def _sample(store: Store, seed: int) -> Iterator[Block]:
    """Parts of blocks: every bot is in one of them for every contest."""
    rng = Random(seed_for(seed, "audit"))
    played = list(store.coverage().played())
    rng.shuffle(played)
    sampled: set[tuple[str, Entrant]] = set()
    for series, (start, stop) in played:
        seats = {(series.contest.key, entrant) for entrant in series.lineup}
        if seats - sampled:
            sampled |= seats
            size = whole_matches(TOGETHER, series.contest.games_per_match)
            first = rng.randrange(start, stop, size)
            yield Block(series, first, min(first + size, stop))


def _examine(
    store: Store, block: Block, bots: dict[Entrant, Bot], factory: HostFactory, seed: int
) -> Iterator[tuple[Entrant, Finding]]:
    """Play a block; then each of its bots alone, in some of its matches."""
    heard: dict[Entrant, Listener] = {}

    def listening(entrant: Entrant, game: Game) -> Host:
        listener = Listener(factory.open(bots[entrant], game), game)
        heard[entrant] = listener
        return listener

    parts = play_sitting(Sitting((block,)), listening)
    series = block.series
    per_match = series.contest.games_per_match
    slots = range(-(-block.games // per_match))
    chosen = sorted(Random(seed_for(seed, "audit", block.id)).sample(slots, min(MATCHES, len(slots))))
    for entrant, listener in heard.items():
        for slot in chosen:
            told = listener.told(slot)
            if told is None:
                continue
            first = block.first + slot * per_match
            difference = why_not_alike(partial(factory.open, bots[entrant], listener.game), told)
            if difference is None:
                difference = _unlike_stored(store, series, range(first, first + per_match), entrant, told)
            [part] = [part for part in parts if part.block.first <= first < part.block.stop]
            if difference is None or isinstance(part, Unavailable):
                yield entrant, Finding(entrant.name, str(series.address(first)), "")
            else:
                yield entrant, finding_of(part, bots[entrant], first + difference.game, difference)


def finding_of(played: BlockResult, bot: Bot, deal: int, difference: TwoAnswers) -> Finding:
    """What was found about a bot in a game of a block."""
    series = played.block.series
    game = series.contest.set_up()
    seat = seating_of(series, deal).seats[series.lineup.index(bot.entrant())]
    state, decision, step = game.start(dealt(series, deal)), 0, 0
    for moves in steps_in(played, deal)[0]:
        step += 1
        decision += seat in state.turn
        if decision == difference.decision:
            break
        state.step(moves)
    then, now = (_in_words(game, difference.view, move) for move in (difference.then, difference.now))
    return Finding(
        *(bot.name, str(series.address(deal)), difference.reason, step, then, now, difference.asked),
        of_program=bool(bot.command),
    )


def _in_words(game: Game, view: View, move: int | None) -> str:
    if move is None:
        return "is at fault"
    return game.label(move, view) if move in view.legal else str(move)


def why_not_alike(open_host: Callable[[], Host], told: Told) -> TwoAnswers | None:
    """The first decision that a bot makes differently when the same is sent to it again, alone, twice; None if none."""
    alone, again = (_answers(open_host(), told) for _ in range(2))
    if alone != again:
        return _first_difference(CHANCE, told, alone, again)
    return _first_difference(OTHER_GAMES, told, alone, asked="asked alone")


def _first_difference(reason: str, told: Told, *others: Answers, asked: str = "asked again") -> TwoAnswers | None:
    """Where one of these answers is first another than the one that was recorded."""
    game, decision = -1, 0
    for number, (tick, then) in enumerate(told):
        if tick.begins:
            game, decision = game + 1, 0
        decision += bool(tick.slots)
        for answers in others:
            now = answers[number] if number < len(answers) else None
            if tick.slots and now != then:
                return TwoAnswers(reason, game, decision, tick.views[0], then, now, asked)
    return None


def _answers(host: Host, told: Told) -> Answers:
    """What a bot answers if one match is sent to it and nothing else, up to the first trouble."""
    answers: Answers = []
    try:
        for tick, _ in told:
            host.send(tick)
            reply = host.receive()
            if reply.troubles or reply.unavailable:
                break
            answers.append(reply.moves[0] if tick.slots else None)
    finally:
        host.close()
    return answers


def _unlike_stored(store: Store, series: Series, deals: range, entrant: Entrant, told: Told) -> TwoAnswers | None:
    """The first decision of a match that the bot made differently when the league was played, as far as that is kept.

    As soon as another bot decides differently, nothing can be compared any more.
    """
    views = iter([(tick.views[0], move) for tick, move in told if tick.slots and move is not None])
    rules = series.contest.set_up()
    for number, deal in enumerate(deals):
        steps = recorded_steps(store, series, deal)
        if steps is None:
            return None
        seat = seating_of(series, deal).seats[series.lineup.index(entrant)]
        state, decision = rules.start(dealt(series, deal)), 0
        for moves in steps:
            if seat in state.turn:
                decision += 1
                view, now = next(views, (None, None))
                then = moves[state.turn.index(seat)]
                if view != state.view(seat) or now is None or view is None:
                    return None
                if then != now:
                    return TwoAnswers(CHANGED, number, decision, view, then, now, asked="now")
            state.step(moves)
    return None


class Listener:
    """A host that records what is sent to its bot, and the answers. `before` is called with each tick first."""

    def __init__(self, host: Host, game: Game, before: Callable[[Tick], None] = lambda _: None) -> None:
        self.game = game
        self._before = before
        self._host = host
        self._heard: list[tuple[Tick, Reply]] = []
        self._tick: Tick

    @property
    def wants_final_view(self) -> bool:
        return self._host.wants_final_view

    def send(self, tick: Tick) -> None:
        self._before(tick)
        self._tick = tick
        self._host.send(tick)

    def receive(self) -> Reply:
        reply = self._host.receive()
        self._heard.append((self._tick, reply))
        return reply

    def close(self) -> Usage:
        return self._host.close()

    def told(self, slot: int) -> Told | None:
        """All that was sent in a slot, with the moves; None if there was trouble, or if the bot could not be asked."""
        told: Told = []
        for tick, reply in self._heard:
            if slot in reply.unavailable or any(trouble.slot == slot for trouble in reply.troubles):
                return None
            part = by_slot(tick).get(slot)
            if part is not None:
                told.append((part, reply.moves[tick.slots.index(slot)] if part.slots else None))
        return told
