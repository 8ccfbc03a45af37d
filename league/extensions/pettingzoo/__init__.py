"""PettingZoo: our games as its environments, and its classic environments for leagues (`game: pettingzoo:rps_v2`).

from league.extensions import pettingzoo

env = pettingzoo.env("raj", players=3)              # one agent at a time (AEC)
env = pettingzoo.parallel_env("raj", players=3)     # all agents at once
"""

from league.extensions.pettingzoo.ours import LeagueEnv, LeagueParallelEnv, env, parallel_env

__all__ = ["LeagueEnv", "LeagueParallelEnv", "env", "parallel_env"]
