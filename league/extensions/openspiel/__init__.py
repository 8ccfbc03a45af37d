"""OpenSpiel: its games for leagues (`game: openspiel:kuhn_poker`), and our games for its algorithms (`league_raj`).

import pyspiel
from league.extensions import openspiel  # registers league_braverats, league_cheese_rescue, league_magillat, league_raj

game = pyspiel.load_game("league_raj(players=3,deals=20)")
game = pyspiel.load_game(openspiel.register("./crown.py"))

A game's parameters are `players`, its options, and `deals`. OpenSpiel needs the probability of every chance event, and
the orders of Raj's fifteen prizes are too many to list. So chance is one event at the start, which takes one of `deals`
deals with equal probability; deal k is drawn with `random.Random(k)`. A game without chance has no such event.

Seats that decide at once are asked in turn and see nothing of each other's moves. Returns go by place: 1 for the first,
-1 for the last, evenly spaced between, ties averaged.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from random import Random
from typing import Any, ClassVar

import msgspec
import numpy as np
import pyspiel

from league import games
from league.extensions.learners import Turns, place_points
from league.games.arrays import Encoder, encoder_of
from league.games.contract import plain

DEALS = 1000
"""The number of different deals, unless the parameter `deals` says otherwise."""
FEW = 32
"""Deals that are compared to see whether there is any chance in a game."""
PREFIX = "league_"
_Kind = pyspiel.GameType


class GameSetup:
    """A game of League's as OpenSpiel's parameters ask for it; never changed, so that all states share it."""

    def __init__(self, name: str, parameters: dict[str, Any]) -> None:
        given = dict(parameters)
        self.deals: int = given.pop("deals", DEALS)
        players = given.pop("players", None)
        self.rules = games.make(name, players, {option: _option(value) for option, value in given.items()})
        self.encoder = encoder_of(self.rules)
        self.chance = len({self.dealt(number) for number in range(min(FEW, self.deals))}) > 1

    def dealt(self, number: int) -> Any:
        """A deal by its number."""
        return self.rules.deal(Random(number))

    def __deepcopy__(self, memo: object) -> GameSetup:
        return self


class LeagueGame(pyspiel.Game):  # type: ignore[misc] # OpenSpiel's classes have no types
    """One of League's games, set up by OpenSpiel's parameters; a subclass for each is registered."""

    name: ClassVar[str]
    """As League calls it."""

    def __init__(self, parameters: dict[str, Any] | None = None) -> None:
        self.setup = setup = GameSetup(self.name, parameters or {})
        info = pyspiel.GameInfo(
            num_distinct_actions=len(setup.encoder.moves),
            max_chance_outcomes=setup.deals if setup.chance else 0,
            num_players=setup.rules.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=setup.encoder.longest,
        )
        super().__init__(_game_type(self.name, setup.chance), info, parameters or {})

    def new_initial_state(self) -> LeagueState:
        return LeagueState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SeatObserver:
        """What observes states for OpenSpiel."""
        return SeatObserver(self.setup.encoder, iig_obs_type is not None and iig_obs_type.perfect_recall)


class LeagueState(pyspiel.State):  # type: ignore[misc]
    """A playing of one of League's games."""

    def __init__(self, game: LeagueGame) -> None:
        super().__init__(game)
        self.setup = setup = game.setup
        self.turns: Turns | None = None if setup.chance else Turns(setup.rules.start(setup.dealt(0)))
        """None before the deal."""
        self.recalled = (b"",) * setup.rules.players
        """By seat: a digest of all that it saw when it decided, and of what it did."""

    def current_player(self) -> int:
        """Who decides: a seat, chance, or none when it is over."""
        if self.turns is None:
            return int(pyspiel.PlayerId.CHANCE)
        seat = self.turns.seat
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else seat

    def _legal_actions(self, player: int) -> list[int]:
        assert self.turns
        return self.setup.encoder.legal(self.turns.state.view(player))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The deals, all with the same probability."""
        return [(number, 1 / self.setup.deals) for number in range(self.setup.deals)]

    def _apply_action(self, action: int) -> None:
        if self.turns is None:
            self.turns = Turns(self.setup.rules.start(self.setup.dealt(action)))
            return
        seat = self.turns.seat
        assert seat is not None
        recalled = [*self.recalled]
        seen = msgspec.msgpack.encode([self.turns.state.view(seat), action])
        recalled[seat] = blake2b(recalled[seat] + seen, digest_size=8).digest()
        self.recalled = tuple(recalled)
        self.turns.play(self.setup.encoder.moves[action])

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {action}"
        assert self.turns
        return self.setup.rules.label(self.setup.encoder.moves[action], self.turns.state.view(player))

    def is_terminal(self) -> bool:
        return self.turns is not None and self.turns.seat is None

    def returns(self) -> list[float]:
        """What each place is worth; zeros before the end."""
        if self.turns is None or self.turns.seat is not None:
            return [0.0] * self.setup.rules.players
        return place_points(self.turns.state.outcome().ranks)

    def __str__(self) -> str:
        if self.turns is None:
            return "before the deal"
        seats = range(self.setup.rules.players)
        return _json([plain(self.turns.state.view(seat)) for seat in seats] + [list(self.turns.waiting)])


class SeatObserver:
    """A seat's view, as text and numbers. With perfect recall, also all that it saw and did before."""

    def __init__(self, encoder: Encoder, recalls: bool) -> None:
        self._encoder = encoder
        self._recalls = recalls
        size = encoder.size + (RECALLED if recalls else 0)
        self.tensor = np.zeros(size, np.float32)
        self.dict = {"view": self.tensor}

    def set_from(self, state: LeagueState, player: int) -> None:
        """Write what a seat sees into `tensor`."""
        if state.turns is None:
            self.tensor.fill(0)
            return
        self.tensor[: self._encoder.size] = self._encoder.encode_one(state.turns.state.view(player))[0]
        if self._recalls:
            digest = state.recalled[player].ljust(RECALLED, b"\0")
            self.tensor[self._encoder.size :] = np.frombuffer(digest, np.uint8) / np.float32(255)

    def string_from(self, state: LeagueState, player: int) -> str:
        """What a seat sees, as JSON; with perfect recall, a digest of what it saw and did before at the end."""
        if state.turns is None:
            return "before the deal"
        seen = _json(plain(state.turns.state.view(player)))
        return f"{seen} {state.recalled[player].hex()}" if self._recalls else seen


RECALLED = 8
"""Bytes of a digest in `LeagueState.recalled`."""


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _option(value: Any) -> Any:
    """An option as OpenSpiel's parameters can hold it: a list is written as text, '1 2 3'."""
    if isinstance(value, str) and value.replace(" ", "").isdigit():
        return [int(word) for word in value.split()]
    return value


def _parameter(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, list) else value


@cache
def _game_type(name: str, chance: bool) -> Any:
    rules = games.find(name)
    options = {option: _parameter(value) for option, value in plain(rules.options_type()).items()}
    modes = _Kind.ChanceMode
    return _Kind(
        short_name=PREFIX + name,
        long_name=f"League's {rules.title}",
        dynamics=_Kind.Dynamics.SEQUENTIAL,
        chance_mode=modes.EXPLICIT_STOCHASTIC if chance else modes.DETERMINISTIC,
        information=_Kind.Information.IMPERFECT_INFORMATION,
        utility=_Kind.Utility.ZERO_SUM,
        reward_model=_Kind.RewardModel.TERMINAL,
        max_num_players=rules.player_counts[-1],
        min_num_players=rules.player_counts[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"players": rules.player_counts[0], "deals": DEALS, **options},
    )


def register(game: str) -> str:
    """Register a game by its name, or by the path of its file; returns what `pyspiel.load_game` calls it."""
    name = games.load(game).name
    members = {"name": name, "__module__": __name__}
    pyspiel.register_game(_game_type(name, True), type(f"League_{name}", (LeagueGame,), members))
    return PREFIX + name


for _name in games.BUILT_IN:
    register(_name)
