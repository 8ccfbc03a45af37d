"""`check_game`: plays a game at random and checks every step."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator
from itertools import product
from os.path import basename
from random import Random
from traceback import extract_tb
from typing import Any

import msgspec

from league.errors import OptionsError
from league.games.contract import Game, Options, State
from league.testing import checks
from league.testing.checks import ContractError, Place, Secrets, changed_since, check_hidden, snapshot
from league.testing.statistics import (
    Playouts,
    Ties,
    check_playout,
    check_seats,
    has_own_playout,
    seats_look_alike,
)
from league.tools.reading import parts


def option_values(kind: type[Options]) -> dict[str, list[Any]]:
    """The values worth trying for each option, its default first: all choices, and numbers at their bounds."""
    values = {}
    for field in msgspec.structs.fields(kind):
        default = getattr(kind(), field.name)
        values[field.name] = [default, *(value for value in _values(field.type) if value != default)]
    return values


def changed_alone(rules: type[Game], players: int) -> Iterator[tuple[str, Any, Game]]:
    """The game with one option changed from its default: its name, its value, the game."""
    for name, (_, *others) in option_values(rules.options_type).items():
        for value in others:
            if game := _accepted(rules, players, {name: value}):
                yield name, value, game


def setups(rules: type[Game], limit: int = 40) -> Iterator[Game]:
    """The game for each player count: by default, with each option changed alone, and with all combinations.

    At most `limit` for one player count, then a random sample of the combinations. What the game refuses is left out.
    """
    values = option_values(rules.options_type)
    combined = [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]
    Random(0).shuffle(combined)
    for players in rules.player_counts:
        games = [rules(players), *(game for _, _, game in changed_alone(rules, players))]
        for options in combined:
            if len(games) >= limit:
                break
            game = _accepted(rules, players, options)
            if game and all(game.options != other.options for other in games):
                games.append(game)
        yield from games[:limit]


def _accepted(rules: type[Game], players: int, options: dict[str, Any]) -> Game | None:
    try:
        return rules(players, options)
    except OptionsError:
        return None


def _values(kind: Any) -> list[Any]:
    """What an option may be, for the kinds of options that `league.games.contract.Options` allows."""
    (option,) = parts(kind)
    low, high = option.bound("ge"), option.bound("le")
    if option.base is bool:
        return [False, True]
    if option.words:
        return list(option.words)
    if option.any_length:
        least, most = _values(option.inner[0])
        return [(least,) * (option.bound("min_length") or 0), (most,) * (option.bound("max_length") or 1)]
    if option.base is tuple:
        return [tuple(bounds) for bounds in zip(*map(_values, option.inner), strict=True)]
    if low is not None and high is not None:
        return [low, high]
    raise TypeError(f"an option must be a bool, a Literal, an int with bounds or a tuple of those, not {kind}")


PLAYED_ON = 0.05
"""The share of the states dealt again or imagined that are played to their end."""
PLAYED_OUT = 0.5
"""The share of the states that a game's own `playout` plays to their end."""


class Report(msgspec.Struct):
    """What was checked, if nothing was wrong."""

    setups: int = 0
    """Player counts times options."""
    playings: int = 0
    decisions: int = 0
    """Those that were checked step by step."""
    hidden: set[str] = msgspec.field(default_factory=set)
    """The fields of the state that hold something some seat cannot know: those that `redeal` dealt again."""


def check_game(
    rules: type[Game] | Game,
    *,
    hides: Collection[str] | None = None,
    conserved: Callable[[Any], object] | None = None,
    seats_alike: bool = True,
    playings: int = 2,
    endings: int = 40,
    max_setups: int = 24,
    max_steps: int = 1000,
) -> Report:
    """Raise `ContractError` if a game breaks its contract; a class is checked for all player counts and options.

    hides: the fields of the state that hold secrets; () if all is open. The kit then makes sure that `redeal` deals
        exactly those again. A secret that view(), redeal() and imagine() all treat as open is found in no other way.
    conserved: a function of a state whose value must stay the same from start to end, whatever is dealt again or
        imagined, such as all cards, wherever they are.
    seats_alike: False if places need not follow the players when they change seats, though seats look alike.
    playings, endings: how many to check step by step, and how many at the end only, for each setup.
    max_setups: how many combinations of options to try for each player count.
    max_steps: a longer playing counts as a deadlock.
    """
    checker = _Checker(conserved, seats_alike, max_steps)
    chance = False
    for game in [rules] if isinstance(rules, Game) else setups(rules, max_setups):
        checker.set_up(game)
        for number in range(playings):
            checker.guarded(number, checker.check_playing)
        for number in range(endings):
            checker.guarded(number, checker.check_ending)
        checker.guarded(0, checker.check_secrets)
        chance = chance or any(game.deal(Random(0)) != game.deal(Random(number)) for number in range(9))
    place = Place(checker.game, 0)
    if seats_alike:
        checker.ties.check(place)
    checker.playouts.check(place)
    deals_again = type(checker.game.start(checker.game.deal(Random(0)))).redeal is not State.redeal
    check_hidden(place, checker.report.hidden, hides, chance and deals_again)
    return checker.report


class _Checker:
    """Checks games, one after the other as they are set up."""

    game: Game
    twin: Game
    """Another instance, which plays the same."""

    def __init__(self, conserved: Callable[[Any], object] | None, seats_alike: bool, max_steps: int) -> None:
        self.report = Report()
        self.ties = Ties()
        self.playouts = Playouts()
        self.conserved = conserved or (lambda _: None)
        self.seats_alike = seats_alike
        self.max_steps = max_steps

    def set_up(self, game: Game) -> None:
        """Go on with this game."""
        self.game = game
        self.twin = type(game)(game.players, game.options)
        self.names = [f"Player {seat}" for seat in range(game.players)]
        self.secrets = Secrets(type(game)(game.players, game.options))
        self.report.setups += 1

    def guarded(self, seed: int, check: Callable[[Any], None]) -> None:
        """Run a check on the deal of this seed; what the game's code raises becomes a problem with its place."""
        self.place = Place(self.game, seed)
        self.rng = Random(f"moves {seed}")
        outside = random.getstate()
        random.seed(seed)
        untouched = random.getstate()
        try:
            check(checks.check_deal(self.place, self.twin))
            self.place.check(
                random.getstate() == untouched,
                "the rules used Python's global random.",
                "draw all chance in deal(), from the rng it is given; redeal() and imagine() have theirs.",
            )
        except ContractError:
            raise
        except Exception as error:
            raise ContractError(
                f"{self.place}: the rules raised {type(error).__name__}: {error}, {_raised_at(error)}.\n"
                "  Fix: mend that; every legal move must be playable in every state that can be reached."
            ) from error
        finally:
            random.setstate(outside)

    def check_playing(self, deal: Any) -> None:
        """Play to the end, and check each step."""
        game, place, report, names = self.game, self.place, self.report, self.names
        report.playings += 1
        state = game.start(deal)
        again = self.twin.start(msgspec.json.decode(msgspec.json.encode(deal), type=game.deal_type))
        place.check(isinstance(state, State), "start() did not return a State.", "derive the state from State.")
        self.whole = self.conserved(state)
        checks.check_lines(place, "opening", game.opening(state, names))
        place.step = 0
        self.check_state(state, again)
        while state.turn:
            moves = checks.random_moves(place, state, self.rng)
            before = state.copy()
            self.step(state, moves)
            again.step(tuple(moves))
            checks.check_lines(place, "tell", game.tell(before, moves, state, names))
            report.decisions += len(moves)
            place.step += 1
            self.check_length(place.step)
            self.check_state(state, again)
        outcome = checks.check_outcome(place, state)
        place.check(outcome == again.outcome(), *_UNSTEADY)
        place.check(game.deal(Random(place.seed)) == deal, "the playing changed its deal.", "keep deals immutable.")

    def check_state(self, state: State, again: State) -> None:
        """Check one state; `again` comes from the same deal and moves in another instance."""
        place = self.place
        views = checks.check_views(place, state)
        place.check(state == again and views == [again.view(seat) for seat in range(len(views))], *_UNSTEADY)
        checks.check_copy(place, state, self.rng)
        self.check_conserved(state, "step()")
        self.check_playout(state.copy())
        for place.seat, view in enumerate(views):
            checks.check_lines(place, "sketch", self.game.sketch(view, self.names))
            redealt = self.secrets.check_redeal(place, state, view, self.rng.random())
            self.play_on(redealt, "redeal()")
            if not state.turn:
                checks.check_shown(place, state, redealt)
            if place.seat not in state.turn:
                continue
            checks.check_labels(place, view)
            if type(self.game).imagine is not Game.imagine:
                imagined = self.secrets.check_imagine(place, state, view, self.rng.random())
                self.play_on(imagined, "imagine()")
        place.seat = None

    def step(self, state: State, moves: list[int]) -> None:
        """Play the moves, and clear the list afterwards: the state must not have kept it."""
        lent = [*moves]
        state.step(lent)
        before = snapshot(state)
        lent.clear()
        self.place.check(
            not changed_since(before, state), "the state kept the list of moves it was given.", "store tuple(moves)."
        )

    def play_on(self, state: State, by: str) -> None:
        """Check that a state that was dealt again has lost nothing and, in a sample, that it can be played on."""
        self.check_conserved(state, by)
        if self.rng.random() > PLAYED_ON:
            return
        seat, steps = self.place.seat, 0
        while state.turn:
            checks.check_views(self.place, state)
            state.step(checks.random_moves(self.place, state, self.rng))
            self.check_conserved(state, f"{by} and then step()")
            steps += 1
            self.check_length(steps)
        checks.check_outcome(self.place, state)
        self.place.seat = seat

    def check_ending(self, deal: Any) -> None:
        """Play to the end without checks, then check the outcome, and what it would be with the seats changed."""
        self.report.playings += 1
        state = self.game.start(deal)
        alike = self.seats_alike and seats_look_alike(state)
        told: list[list[int]] = []
        while state.turn:
            alike = alike and len(state.turn) == self.game.players
            told.append(checks.random_moves(self.place, state, self.rng))
            state.step(told[-1])
            self.check_length(len(told))
        outcome = checks.check_outcome(self.place, state)
        self.ties.look(outcome)
        if alike:
            check_seats(self.place, self.game.start(deal), told, outcome)
        self.playouts.look(self.game.start(deal), Random(f"playout {self.place.seed}"))

    def check_playout(self, state: State) -> None:
        """A game's own playout goes to the end from here, and loses nothing."""
        seed = f"playout {self.place}"
        if has_own_playout(state) and Random(seed).random() < PLAYED_OUT:
            check_playout(self.place, state, seed)
            self.check_conserved(state, "playout()")

    def check_secrets(self, _: Any) -> None:
        """Check all secrets that were found."""
        self.secrets.check_agreement(self.place, self.rng)
        self.report.hidden |= self.secrets.fields

    def check_conserved(self, state: State, by: str) -> None:
        """Check that what must be conserved is."""
        whole_now = self.conserved(state)
        self.place.check(
            whole_now == self.whole,
            f"what must be conserved was {self.whole!r} at the start and is {whole_now!r} after {by}.",
            f"let {by} move things without losing or inventing any.",
        )

    def check_length(self, steps: int) -> None:
        """Fail if a playing does not end."""
        self.place.check(
            steps <= self.max_steps,
            f"the playing is not over after {self.max_steps} steps.",
            "every playing must end: set turn to (). If yours are that long, say check_game(…, max_steps=…).",
        )


def _raised_at(error: Exception) -> str:
    """Where an error was raised: the line, and the method that it is in."""
    last = extract_tb(error.__traceback__)[-1]
    file = "" if last.filename.startswith("<") else f" of {basename(last.filename)}"
    return f"in line {last.lineno}{file}, {last.name}()"


_UNSTEADY = (
    "the same deal and moves gave another result when they were played again.",
    "make everything depend on the deal and the moves alone: no clock, no global random, no order of sets, no memory.",
)
