"""A game of OpenSpiel, played by its own rules. A move is one of OpenSpiel's actions.

The view holds the information state of the seat, as text and as numbers, and nothing else. Where OpenSpiel offers no
information state, it is the observation. Points are thousandths of OpenSpiel's returns, and places go by them. Where
returns are more than won, drawn or lost, as the chips at poker, points count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any, ClassVar, Self

import msgspec
import pyspiel

from league.errors import LeagueError, OptionsError, did_you_mean
from league.games.contract import Deal, Game, Options, Outcome, State, View, competition_ranks
from league.tools.seeds import seed_for

FAMILY = "openspiel"
POINTS = 1000
"""Points for a return of 1: scores are whole numbers, and returns such as -0.5 are common."""
MOST_ACTIONS = 2**31 - 1
PLAYERS = "players"
_HISTORY = re.compile(r"(-?\d+(, *-?\d+)*)?")
_Kind = pyspiel.GameType


class SpielDeal(Deal, frozen=True):
    """The chance of a playing."""

    seed: int
    """Chance event number k is drawn by a hash of the seed and k, with OpenSpiel's probabilities."""


class SpielView(View, frozen=True, array_like=True, gc=False):
    """What one seat sees of a game of OpenSpiel."""

    text: str
    """The information state as text."""
    tensor: tuple[float, ...]
    """The information state as numbers; () if the game offers none."""


class SpielState(State):
    """A playing of a game of OpenSpiel."""

    spiel: Any
    """OpenSpiel's own state; never shared between two playings."""
    seed: int
    drawn: tuple[str, ...] = ()
    """The names of all chance events so far."""

    def __copy__(self) -> Self:
        return type(self)(self.turn, self.spiel.clone(), self.seed, self.drawn)

    def view(self, seat: int) -> SpielView:
        legal = tuple(sorted(self.spiel.legal_actions(seat))) if seat in self.turn else ()
        return SpielView(seat, legal, _text(self.spiel, seat), _tensor(self.spiel, seat))

    def step(self, moves: Sequence[int]) -> None:
        if self.spiel.is_simultaneous_node():
            joint = [0] * self.spiel.num_players()  # what OpenSpiel expects for players who cannot act
            for seat, move in zip(self.turn, moves, strict=True):
                joint[seat] = move
            self.spiel.apply_actions(joint)
        else:
            self.spiel.apply_action(moves[0])
        self.settle()

    def settle(self) -> None:
        """Draw chance events until a seat decides or all is over."""
        spiel = self.spiel
        self.turn = ()
        while not self.turn and not spiel.is_terminal():
            if spiel.is_chance_node():
                action = self._draw(spiel.chance_outcomes())
                self.drawn = (*self.drawn, spiel.action_to_string(pyspiel.PlayerId.CHANCE, action))
                spiel.apply_action(action)
            elif spiel.is_simultaneous_node():
                seats = range(spiel.num_players())
                self.turn = tuple([seat for seat in seats if spiel.legal_actions(seat)])
                if not self.turn:
                    spiel.apply_actions([0] * len(seats))
            else:
                self.turn = (spiel.current_player(),)

    def outcome(self) -> Outcome:
        points = tuple([round(POINTS * value) for value in self.spiel.returns()])
        return Outcome(competition_ranks(points), points)

    def redeal(self, seat: int, rng: Random) -> None:
        kind = self.spiel.get_game().get_type()
        if kind.information == _Kind.Information.IMPERFECT_INFORMATION and self.turn:
            try:
                self.spiel = self.spiel.resample_from_infostate(seat, rng.random)
            except pyspiel.SpielError:
                raise LeagueError(
                    f"OpenSpiel cannot deal again what a seat does not know in {kind.short_name}."
                ) from None
        self.seed = rng.getrandbits(63)

    def _draw(self, outcomes: Sequence[tuple[int, float]]) -> int:
        left = seed_for(self.seed, "chance", len(self.drawn)) / 2**64
        for action, odds in outcomes:
            left -= odds
            if left < 0:
                return action
        return outcomes[-1][0]  # the probabilities sum to a little less than 1


class OpenSpielGame(Game):
    """The rules of one game of OpenSpiel; `find` makes a class for each."""

    spiel_name: ClassVar[str]
    """As OpenSpiel calls it: 'goofspiel'."""
    fixed: ClassVar[dict[str, Any]]
    """The parameters that are part of the name."""
    deal_type = SpielDeal
    view_type = SpielView

    def __init__(self, players: int | None = None, options: Mapping[str, object] | Options | None = None) -> None:
        super().__init__(players, options)
        usual = self.options_type()
        chosen = {name: getattr(self.options, name) for name in self.options.__struct_fields__}
        parameters = {name: value for name, value in chosen.items() if value != getattr(usual, name)}
        if len(self.player_counts) > 1:
            parameters[PLAYERS] = self.players
        try:
            self._spiel = _load(self.spiel_name, {**self.fixed, **parameters})
        except LeagueError as problem:
            raise OptionsError(self.name, [str(problem)]) from None
        self.counts = "places" if _returns_are_places(self._spiel) else "points"
        self.points_range = tuple(
            round(POINTS * value) for value in (self._spiel.min_utility(), self._spiel.max_utility())
        )

    def deal(self, rng: Random) -> SpielDeal:
        return SpielDeal(rng.getrandbits(63))

    def start(self, deal: SpielDeal) -> SpielState:
        state = SpielState((), self._spiel.new_initial_state(), deal.seed)
        state.settle()
        return state

    def imagine(self, view: SpielView, rng: Random) -> SpielState:
        spiel = self._reached(view)
        if spiel is None:
            raise LeagueError(f"{self.name} has no imagine: OpenSpiel cannot make a state from what one seat sees.")
        state = SpielState((), spiel, rng.getrandbits(63))
        state.settle()
        return state

    def label(self, move: int, view: SpielView) -> str:
        spiel = self._reached(view) or self._spiel.new_initial_state()
        try:
            return str(spiel.action_to_string(view.seat, move))
        except pyspiel.SpielError:  # its name depends on what this seat cannot see
            return f"action {move}"

    def opening(self, state: SpielState, names: Sequence[str]) -> list[str]:
        return [f"Chance: {event}" for event in state.drawn]

    def sketch(self, view: SpielView, names: Sequence[str]) -> list[str]:
        return view.text.splitlines()

    def tell(self, before: SpielState, moves: Sequence[int], after: SpielState, names: Sequence[str]) -> list[str]:
        played = [
            f"{names[seat]}: {before.spiel.action_to_string(seat, move)}"
            for seat, move in zip(before.turn, moves, strict=True)
        ]
        return played + [f"Chance: {event}" for event in after.drawn[len(before.drawn) :]]

    def _reached(self, view: SpielView) -> Any:
        """OpenSpiel's state that a view shows, where the view's text is the whole history; else None."""
        kind = self._spiel.get_type()
        told = (
            kind.information == _Kind.Information.PERFECT_INFORMATION
            and kind.dynamics == _Kind.Dynamics.SEQUENTIAL
            and kind.provides_information_state_string
        )
        if not told or not _HISTORY.fullmatch(view.text):
            return None
        spiel = self._spiel.new_initial_state()
        for action in re.findall(r"-?\d+", view.text):
            if int(action) not in spiel.legal_actions():
                return None
            spiel.apply_action(int(action))
        return spiel if _text(spiel, view.seat) == view.text else None


@cache
def find(text: str) -> type[Game]:
    """The rules of an OpenSpiel game, by its name with or without parameters: `goofspiel(num_cards=6,players=3)`."""
    spelt = re.sub(r"\s*([(),=])\s*", r"\1", text.strip())
    try:
        given = pyspiel.game_parameters_from_string(spelt)
    except (pyspiel.SpielError, ValueError, IndexError) as problem:
        raise LeagueError(f"OpenSpiel cannot read {text!r}: {_line(problem)}.") from None
    spiel_name = str(given.pop("name", spelt))
    kind = _kind(spiel_name)
    specified = kind.parameter_specification
    for name in given:
        if name not in specified:
            raise LeagueError(
                f"OpenSpiel's {spiel_name} has no parameter {name!r}; it has {', '.join(specified) or 'none'}."
                + did_you_mean(name, specified)
            )
    spiel = _load(spiel_name, given)
    _refuse_unfit(spiel, kind)
    counts = range(spiel.num_players(), spiel.num_players() + 1)
    if PLAYERS in specified and PLAYERS not in given:
        counts = range(max(2, kind.min_num_players), kind.max_num_players + 1)
    members = {
        "__doc__": f"The rules of OpenSpiel's {kind.long_name}.",
        "__module__": __name__,
        "name": f"{FAMILY}:{_spelt(spiel_name, given)}",
        "title": _spelt(kind.long_name, given),
        "player_counts": counts,
        "options_type": _options_type({name: specified[name] for name in specified if name not in given}),
        "spiel_name": spiel_name,
        "fixed": given,
    }
    return type("OpenSpielGame", (OpenSpielGame,), members)


def _kind(name: str) -> Any:
    kinds = {kind.short_name: kind for kind in pyspiel.registered_games()}
    if name not in kinds:
        raise LeagueError(f"OpenSpiel has no game {name!r}.{did_you_mean(name, kinds)}")
    return kinds[name]


def _load(name: str, parameters: Mapping[str, Any]) -> Any:
    try:
        return pyspiel.load_game(name, dict(parameters))
    except Exception as problem:  # noqa: BLE001 - another project's code may fail in any way
        raise LeagueError(f"OpenSpiel cannot set up {_spelt(name, parameters)}: {_line(problem)}.") from None


def _refuse_unfit(spiel: Any, kind: Any) -> None:
    actual = spiel.get_type()  # of a game around another, more is known than of its kind
    if actual.dynamics == _Kind.Dynamics.MEAN_FIELD:
        reason = "it is a mean field game, which has no single playing"
    elif actual.chance_mode == _Kind.ChanceMode.SAMPLED_STOCHASTIC:
        reason = "it draws its own random numbers, so its playings are not reproducible"
    elif spiel.num_players() < 2:
        reason = "it has one player"
    elif spiel.num_distinct_actions() > MOST_ACTIONS:
        reason = "it has too many actions"
    elif not (actual.provides_information_state_string or actual.provides_observation_string):
        reason = "it does not provide what a player sees"
    else:
        return
    raise LeagueError(f"OpenSpiel's {kind.short_name} cannot be played in a league: {reason}.")


def _returns_are_places(spiel: Any) -> bool:
    """Whether returns only say who won: what one wins another loses, and more than the whole cannot be won."""
    constant = spiel.get_type().utility in (_Kind.Utility.ZERO_SUM, _Kind.Utility.CONSTANT_SUM)
    return constant and (spiel.min_utility(), spiel.max_utility()) in ((-1, 1), (0, 1))


def _options_type(parameters: Mapping[str, Any]) -> type[Options]:
    """A game's parameters as options: those that are booleans, numbers or strings."""
    fields = [
        (name, type(usual), usual)
        for name, usual in sorted(parameters.items())
        if name != PLAYERS and name.isidentifier() and type(usual) in (bool, int, float, str)
    ]
    if not fields:
        return Options
    made: Any = msgspec.defstruct("OpenSpielOptions", fields, bases=(Options,), module=__name__, frozen=True)
    kind: type[Options] = made
    return kind


def _spelt(name: str, parameters: Mapping[str, Any]) -> str:
    """A game as OpenSpiel writes it, parameters in alphabetical order."""
    words = []
    for key, value in sorted(parameters.items()):
        if isinstance(value, dict):
            inner = dict(value)
            value = _spelt(inner.pop("name"), inner)
        words.append(f"{key}={value}")
    return f"{name}({','.join(words)})" if words else name


def _line(problem: BaseException) -> str:
    """OpenSpiel's error message, on one line and without the place in its source."""
    return " ".join(re.sub(r"^/\S+ ", "", str(problem)).split()).rstrip(".")


def _text(spiel: Any, seat: int) -> str:
    kind = spiel.get_game().get_type()
    whole = kind.provides_information_state_string
    return str(_seen(spiel.information_state_string if whole else spiel.observation_string, seat) or "")


def _tensor(spiel: Any, seat: int) -> tuple[float, ...]:
    kind = spiel.get_game().get_type()
    if kind.provides_information_state_tensor:
        return tuple(_seen(spiel.information_state_tensor, seat) or ())
    if kind.provides_observation_tensor:
        return tuple(_seen(spiel.observation_tensor, seat) or ())
    return ()


def _seen(look: Callable[[int], Any], seat: int) -> Any:
    """What a seat sees; None where OpenSpiel provides nothing, as some games do when they are over."""
    try:
        return look(seat)
    except pyspiel.SpielError:
        return None
