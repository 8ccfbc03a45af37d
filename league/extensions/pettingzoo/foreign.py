"""A classic environment of PettingZoo, played by its own rules. A move is one of the environment's actions.

The view holds the agent's observation as numbers, and nothing else. Points are thousandths of all rewards together,
and places go by them. A state cannot be made from an observation, so these games have no `imagine`.
"""

from __future__ import annotations

import ast
import pkgutil
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from random import Random
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
import pettingzoo.classic
from gymnasium.spaces import Discrete

from league.errors import LeagueError, did_you_mean
from league.games.contract import Deal, Game, Options, Outcome, State, View, competition_ranks

FAMILY = "pettingzoo"
POINTS = 1000
"""Points for a reward of 1: scores are whole numbers, and rewards such as 0.5 are common."""


class EnvDeal(Deal, frozen=True):
    """The chance of a playing."""

    seed: int
    """The environment is reset with it."""


class EnvView(View, frozen=True, array_like=True, gc=False):
    """What one seat sees of an environment of PettingZoo."""

    tensor: tuple[float, ...]
    """The observation, row by row."""
    shape: tuple[int, ...]
    """Its shape: `numpy.reshape(view.tensor, view.shape)` restores it."""


class EnvState(State):
    """A playing in an environment. It is known by its seed and its moves, and the environment follows from them."""

    make: Any
    """Makes the environment."""
    seed: int
    history: tuple[int, ...] = ()
    points: tuple[float, ...] = ()
    env: Any = None
    """The environment in this state, or None if it has to be played again; never shared."""

    def __copy__(self) -> Self:
        return type(self)(self.turn, self.make, self.seed, self.history, self.points)

    def view(self, seat: int) -> EnvView:
        env = self.reached()
        seen = env.observe(env.possible_agents[seat])
        tensor = np.asarray(seen["observation"] if isinstance(seen, dict) else seen)
        legal = _legal(env, seen) if seat in self.turn else ()
        return EnvView(seat, legal, tuple(tensor.ravel().tolist()), tensor.shape)

    def step(self, moves: Sequence[int]) -> None:
        env = self.reached()
        env.step(moves[0])
        self.history += (moves[0],)
        self._look(env)

    def outcome(self) -> Outcome:
        points = tuple([round(POINTS * value) for value in self.points])
        return Outcome(competition_ranks(points), points)

    def redeal(self, seat: int, rng: Random) -> NoReturn:
        raise LeagueError("PettingZoo's environments cannot deal again what a seat does not know.")

    def reached(self) -> Any:
        """The environment, in this state."""
        if self.env is None:
            self.env = env = self.make()
            env.reset(seed=self.seed)
            self.points = (0.0,) * len(env.possible_agents)
            self._look(env)
            for move in self.history:
                env.step(move)
                self._look(env)
        return self.env

    def _look(self, env: Any) -> None:
        """Add up the rewards of the last step, and see who is next."""
        agents = env.possible_agents
        self.points = tuple(
            [got + float(env.rewards.get(agent, 0)) for got, agent in zip(self.points, agents, strict=True)]
        )
        over = not env.agents or any(env.terminations.values()) or any(env.truncations.values())
        self.turn = () if over else (agents.index(env.agent_selection),)


class PettingZooGame(Game):
    """The rules of one environment of PettingZoo; `find` makes a class for each."""

    module: ClassVar[str]
    arguments: ClassVar[dict[str, Any]]
    deal_type = EnvDeal
    view_type = EnvView

    def deal(self, rng: Random) -> EnvDeal:
        return EnvDeal(rng.getrandbits(31))

    def start(self, deal: EnvDeal) -> EnvState:
        state = EnvState((), self.make, deal.seed)
        state.reached()
        return state

    @classmethod
    def make(cls) -> Any:
        """A new environment, without the wrappers that check for mistakes."""
        return _made(cls.module, cls.arguments)

    def imagine(self, view: EnvView, rng: Random) -> NoReturn:
        raise LeagueError(f"{self.name} has no imagine: PettingZoo cannot make a state from an observation.")

    def label(self, move: int, view: EnvView) -> str:
        return f"action {move}"

    def sketch(self, view: EnvView, names: Sequence[str]) -> list[str]:
        return str(np.reshape(view.tensor, view.shape)).splitlines()

    def tell(self, before: EnvState, moves: Sequence[int], after: EnvState, names: Sequence[str]) -> list[str]:
        return [f"{names[seat]}: action {move}" for seat, move in zip(before.turn, moves, strict=True)]


@cache
def find(text: str) -> type[Game]:
    """The rules of a classic environment, by name with or without arguments: `texas_holdem_v4(num_players=3)`."""
    module, arguments = _read(text)
    known = sorted(info.name for info in pkgutil.iter_modules(pettingzoo.classic.__path__) if "_v" in info.name)
    if module not in known:
        raise LeagueError(f"PettingZoo has no classic environment {module!r}.{did_you_mean(module, known)}")
    env = _made(module, arguments)
    players = len(env.possible_agents)
    if not all(isinstance(env.action_space(agent), Discrete) for agent in env.possible_agents):
        raise LeagueError(f"PettingZoo's {module} cannot be played in a league: its actions are not numbers.")
    words = ",".join(f"{name}={value!r}" for name, value in sorted(arguments.items()))
    spelt = f"{module}({words})" if words else module
    members = {
        "__doc__": f"The rules of PettingZoo's {module}.",
        "__module__": __name__,
        "name": f"{FAMILY}:{spelt}",
        "title": spelt,
        "player_counts": range(players, players + 1),
        "options_type": Options,
        "module": module,
        "arguments": arguments,
    }
    return type("PettingZooGame", (PettingZooGame,), members)


def _read(text: str) -> tuple[str, dict[str, Any]]:
    """Name and arguments of a call with plain values, such as `rps_v2(num_actions=5)`."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if isinstance(call, ast.Name):
            return call.id, {}
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args:
            return call.func.id, {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError):
        pass
    raise LeagueError(f"Expected an environment such as connect_four_v3 or rps_v2(num_actions=5), found {text!r}.")


def _made(module: str, arguments: Mapping[str, Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions warn of the only way that older ones have
        try:
            return import_module(f"pettingzoo.classic.{module}").raw_env(**arguments)
        except ModuleNotFoundError as missing:
            raise LeagueError(
                f'PettingZoo\'s {module} needs the package {missing.name!r}: pip install "bot-league[{FAMILY}]"'
            ) from missing
        except Exception as problem:  # noqa: BLE001 - another project's code may fail in any way
            raise LeagueError(f"PettingZoo cannot make {module}: {' '.join(str(problem).split())}") from None


def _legal(env: Any, seen: Any) -> tuple[int, ...]:
    """The actions that an observation allows: all, if it has no mask."""
    if isinstance(seen, dict) and "action_mask" in seen:
        return tuple(np.flatnonzero(seen["action_mask"]).tolist())
    return tuple(range(int(env.action_space(env.agent_selection).n)))
