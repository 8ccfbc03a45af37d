"""League's games as environments of PettingZoo, for those who train agents.

    env = pettingzoo.env("raj", players=3)              # one agent at a time (AEC)
    env = pettingzoo.parallel_env("raj", players=3)     # all agents at once

An agent observes numbers from -1 to 1 (`league.games.arrays`) and an action mask. The reward comes at the end, by
place: 1 for the first, -1 for the last, evenly spaced between, ties averaged. The last info also has `rank` and
`score`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo.utils import AECEnv, ParallelEnv

from league import games
from league.errors import LeagueError
from league.extensions.learners import Turns, place_points
from league.games.arrays import encoder_of
from league.games.contract import Game

RENDER_MODES = ("ansi", "human")
ILLEGAL = -1.0
"""The reward for an illegal move, which ends the game."""

Observation = dict[str, np.ndarray[Any, Any]]


def env(game: str, players: int | None = None, render_mode: str | None = None, **options: object) -> AECEnv:
    """A game of League's as an AEC environment.

    `options` are the game's own, such as `mime=True`. It checks actions itself: PettingZoo's wrappers take twice as
    long as everything else.
    """
    return LeagueEnv(game, players, options, render_mode)


def parallel_env(
    game: str, players: int | None = None, render_mode: str | None = None, **options: object
) -> LeagueParallelEnv:
    """A game of League's as a parallel environment: for games in which seats decide at once."""
    return LeagueParallelEnv(game, players, options, render_mode)


class _Environment:
    """What both kinds of environment share: rules, agents, spaces, and the playing under way."""

    is_parallelizable: ClassVar[bool]

    def __init__(
        self,
        game: str,
        players: int | None = None,
        options: Mapping[str, object] | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise LeagueError(f"render_mode must be one of {', '.join(RENDER_MODES)} or None, not {render_mode!r}.")
        self.rules: Game = games.make(game, players, options or {})
        self.encoder = encoder_of(self.rules)
        self.metadata = {
            "name": f"league_{self.rules.name}_v1",
            "render_modes": [*RENDER_MODES],
            "is_parallelizable": self.is_parallelizable,
            "render_fps": 1,
        }
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.players)]
        self.seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        size, actions = self.encoder.size, len(self.encoder.moves)
        self.observation_spaces = {
            agent: Dict({"observation": Box(-1, 1, (size,), np.float32), "action_mask": Box(0, 1, (actions,), np.int8)})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(actions) for agent in self.possible_agents}
        self._random = Random()
        self.lines: list[str] = []
        """What happened since the last `render`."""
        self.turns: Turns

    def observation_space(self, agent: str) -> Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        return self.action_spaces[agent]

    def render(self) -> str | None:
        """What happened since the last call: returned with 'ansi', printed with 'human'."""
        text, self.lines = "\n".join(self.lines), []
        if self.render_mode == "human":
            print(text)  # what this mode is for
        return text if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is open."""

    def _start(self, seed: int | None) -> None:
        """Deal. A seed begins a new sequence of deals; without one, the sequence goes on."""
        if seed is not None:
            self._random = Random(seed)
        self.turns = Turns(self.rules.start(self.rules.deal(self._random)))
        self.lines = self.rules.opening(self.turns.state, self.possible_agents)
        self.agents = self.possible_agents[:]

    def _results(self) -> tuple[dict[str, float], dict[str, dict[str, Any]]]:
        """Rewards and infos at the end."""
        outcome = self.turns.state.outcome()
        rewards = dict(zip(self.possible_agents, place_points(outcome.ranks), strict=True))
        pairs = zip(self.possible_agents, outcome.ranks, outcome.scores, strict=True)
        return rewards, {agent: {"rank": rank, "score": score} for agent, rank, score in pairs}


class LeagueEnv(_Environment, AECEnv):  # type: ignore[misc] # PettingZoo's classes are generic without a default
    """A game of League's, one agent at a time. Agents that decide at once see nothing of each other's moves."""

    is_parallelizable = False

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._start(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        agent, turns, moves = self.agent_selection, self.turns, self.encoder.moves
        if action is None or not 0 <= action < len(moves):
            raise LeagueError(f"Expected an action from 0 to {len(moves) - 1}, found {action!r}.")
        self._cumulative_rewards[agent] = 0.0
        move = moves[int(action)]
        if move not in turns.state.legal(self.seats[agent]):
            self.rewards = dict.fromkeys(self.agents, 0.0) | {agent: ILLEGAL}
            self.terminations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()
            return
        before = turns.state.copy() if self.render_mode else None
        together = (*turns.waiting, move)
        if turns.play(move) and before is not None:
            self.lines += self.rules.tell(before, together, turns.state, self.possible_agents)
        if turns.seat is None:
            self.rewards, self.infos = self._results()
            self.terminations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()  # before, all rewards are 0
        self._select()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What an agent sees; its mask is empty unless it has to decide."""
        seat, turns = self.seats[agent], self.turns
        row, mask = self.encoder.encode_one(turns.state.view(seat))
        if turns.waiting and seat in turns.state.turn[: len(turns.waiting)]:
            mask[:] = 0  # its move is made, and waits for the others
        return {"observation": row, "action_mask": mask}

    def _select(self) -> None:
        seat = self.turns.seat
        self.agent_selection = self.possible_agents[0 if seat is None else seat]


class LeagueParallelEnv(_Environment, ParallelEnv):  # type: ignore[misc]
    """A game of League's, all agents at once. The mask of an agent that does not decide now is empty.

    Its action is ignored. An illegal action ends the game: -1 for whoever made it, 0 for the others.
    """

    is_parallelizable = True

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        self._start(seed)
        return self._observe_all(self.agents), {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        agents, state, moves = self.agents, self.turns.state, self.encoder.moves
        rewards = dict.fromkeys(agents, 0.0)
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        chosen, over = [], False
        for seat in state.turn:
            agent = self.possible_agents[seat]
            action = int(actions[agent])
            if 0 <= action < len(moves) and moves[action] in state.legal(seat):
                chosen.append(moves[action])
            else:
                rewards[agent], over = ILLEGAL, True
        if not over:
            before = state.copy() if self.render_mode else None
            state.step(chosen)
            if before is not None:
                self.lines += self.rules.tell(before, chosen, state, self.possible_agents)
            if not state.turn:
                over = True
                rewards, infos = self._results()
        if over:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        observations = self._observe_all(agents)
        return observations, rewards, dict.fromkeys(agents, over), dict.fromkeys(agents, False), infos

    def _observe_all(self, agents: Sequence[str]) -> dict[str, Observation]:
        view, encode = self.turns.state.view, self.encoder.encode_one
        observations: dict[str, Observation] = {}
        for agent in agents:
            row, mask = encode(view(self.seats[agent]))
            observations[agent] = {"observation": row, "action_mask": mask}
        return observations
