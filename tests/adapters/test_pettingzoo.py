"""League's games under PettingZoo's own tests."""

import warnings
from functools import partial
from random import Random

import numpy as np
import pytest

from league.errors import LeagueError

pytest.importorskip("pettingzoo", reason="the extra pettingzoo is not installed")
pytest.importorskip("pygame", reason="PettingZoo's tests need pygame")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PettingZoo's tests import one of its environments in a way it warns of
    from pettingzoo import test as suite

from league.extensions import pettingzoo

SETUPS = [
    ("raj", {"players": 3}),
    ("braverats", {}),
    ("braverats", {"deal": "draft", "emperor": True, "mime": True}),
    ("magillat", {"players": 3}),
    ("cheese_rescue", {"players": 2}),
    ("examples/crown.py", {"players": 3}),
]


# PettingZoo's test warns of every observation with an action mask, unless it is one of its own games.
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.parametrize(("name", "options"), SETUPS)
def test_our_games_pass_the_api_test(name, options):
    suite.api_test(pettingzoo.env(name, **options), num_cycles=60)


@pytest.mark.parametrize(("name", "options"), SETUPS)
def test_our_games_pass_the_seed_test(name, options):
    suite.seed_test(partial(pettingzoo.env, name, **options), num_cycles=30)


@pytest.mark.parametrize(("name", "options"), SETUPS)
def test_our_games_pass_the_render_test(name, options):
    suite.render_test(partial(pettingzoo.env, name, **options))


@pytest.mark.parametrize(("name", "options"), SETUPS)
def test_our_games_pass_the_parallel_tests(name, options):
    suite.parallel_api_test(pettingzoo.parallel_env(name, **options), num_cycles=40)
    suite.parallel_seed_test(partial(pettingzoo.parallel_env, name, **options), num_cycles=10)


def test_the_reward_goes_by_place_and_comes_at_the_end():
    env = pettingzoo.env("raj", players=3)
    env.reset(seed=1)
    rng = Random(1)
    total = dict.fromkeys(env.possible_agents, 0.0)
    last = {}
    for agent in env.agent_iter():
        seen, reward, over, _, info = env.last()
        total[agent] += reward
        if over:
            last[agent] = info
        env.step(None if over else rng.choice(np.flatnonzero(seen["action_mask"]).tolist()))
    assert sum(total.values()) == 0
    ranks = [last[agent]["rank"] for agent in env.possible_agents]
    assert [total[agent] for agent in env.possible_agents] == [
        sum((rank < other) - (rank > other) for other in ranks) / 2 for rank in ranks
    ]


def test_a_seed_begins_a_row_of_deals():
    def prizes(seeds):
        env = pettingzoo.parallel_env("raj")
        return [env.reset(seed=seed)[0]["player_0"]["observation"].tolist() for seed in seeds]

    first, second, third = prizes([7, None, None])
    assert prizes([7, None, 7]) == [first, second, first]
    assert len({str(row) for row in (first, second, third)}) > 1


def test_nobody_sees_a_move_that_waits():
    seen = []
    for action in (0, 14):
        env = pettingzoo.env("raj")
        env.reset(seed=3)
        env.step(action)
        seen.append(env.observe("player_1")["observation"].tolist())
    assert seen[0] == seen[1]


def test_both_kinds_play_the_same_game():
    one_by_one, together = pettingzoo.env("raj"), pettingzoo.parallel_env("raj")
    one_by_one.reset(seed=5)
    together.reset(seed=5)
    for card in range(15):
        rest = together.step({"player_0": card, "player_1": 14 - card})
        one_by_one.step(card)
        one_by_one.step(14 - card)
    assert not together.agents
    assert rest[1] == one_by_one.unwrapped.rewards
    assert rest[4] == one_by_one.unwrapped.infos


def test_an_illegal_action_ends_the_game():
    env = pettingzoo.parallel_env("raj")
    env.reset(seed=1)
    env.step({"player_0": 3, "player_1": 4})
    _, rewards, over, _, _ = env.step({"player_0": 3, "player_1": 5})
    assert rewards == {"player_0": -1, "player_1": 0}
    assert all(over.values())


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: pettingzoo.env("raj", render_mode="rgb_array"), "one of ansi, human"),
        (lambda: pettingzoo.env("raj", players=9), "2 to 5 players"),
    ],
)
def test_mistakes_are_reported_in_one_line(act, message):
    with pytest.raises(LeagueError, match=message):
        act()
