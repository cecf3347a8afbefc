"""A single environment, as Gymnasium wants it."""

import os
import subprocess
import sys
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import park_sdk
from conftest import small_environments

SMALL = small_environments()


def play(env, seed=None, choose=None):
    """One episode: observations, rewards and the last info."""
    observation, info = env.reset(seed=seed)
    observations, rewards, over = [observation], [], False
    while not over:
        action = choose(info) if choose else env.action_space.sample()
        observation, reward, terminated, truncated, info = env.step(action)
        observations.append(observation)
        rewards.append(reward)
        over = terminated or truncated
    return observations, rewards, info


@pytest.mark.smoke
def test_every_simulated_environment_is_registered():
    ids = {park_sdk.gym_id(name): name for name in park_sdk.environments()}
    assert set(SMALL) == set(ids.values())
    assert ids["Park/LoadBalance-v1"] == "load_balance"
    for gym_id, name in ids.items():
        assert gym.spec(gym_id).kwargs == {"env": name}
    park_sdk.register()  # again: nothing happens


def test_an_environment_that_cannot_be_made_hides_no_other(tmp_path):
    program = """
import gymnasium
import park_sdk
assert "Park/LoadBalance-v1" in gymnasium.registry
assert not [name for name in gymnasium.registry if name.startswith("Park/DagScheduling")]
try:
    park_sdk.gym_id("dag_scheduling")
except park_sdk.ParkError as error:
    assert "tpch" in str(error), error
else:
    raise SystemExit("dag_scheduling has its data")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100,
                          env={**os.environ, "PARK_DATA": str(tmp_path)})
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("illegal", ["project", "penalise"])
def test_check_env_finds_nothing(name, illegal):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make(park_sdk.gym_id(name), illegal=illegal, **SMALL[name])
        check_env(env.unwrapped)
        env.close()


@pytest.mark.parametrize("form", [{"observation": "graph"}, {"mask_in_observation": True}])
def test_check_env_finds_nothing_in_other_forms(form):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make("Park/DagScheduling-v1", **form, **SMALL["dag_scheduling"])
        check_env(env.unwrapped)
        env.close()


@pytest.mark.smoke
def test_fields_are_arguments():
    env = gym.make("Park/LoadBalance-v1", servers=4, rates=[1, 2.5, 3, 4])
    assert env.action_space == gym.spaces.Discrete(4)
    assert not any("." in key for key in env.observation_space)  # PyTorch allows none
    observation, info = env.reset(seed=3)
    assert observation["server_rate"].tolist() == [1, 2.5, 3, 4]
    assert info["action_mask"].tolist() == [1, 1, 1, 1]
    with pytest.raises(park_sdk.ParkError, match="serverz"):
        park_sdk.ParkEnv("load_balance", serverz=4)
    with pytest.raises(park_sdk.ParkError, match=r"servers = 0 is outside \[1, 4096\]"):
        park_sdk.ParkEnv("load_balance", servers=0)
    env = park_sdk.ParkEnv(
        "dag_scheduling", executors=4, classes=[{"share": 0.5, "cpus": 2}, {"share": 0.5}]
    )
    assert env.observation_space["class_cpus"].shape == (2,)


def test_an_episode_ends_with_its_metrics():
    env = park_sdk.ParkEnv("load_balance", jobs=30)
    observations, rewards, info = play(env, seed=4)
    assert len(rewards) == 30
    assert info["metrics"]["jobs_done"] == 30
    assert "action_mask" not in info
    assert observations[-1] in env.observation_space
    with pytest.raises(park_sdk.ParkError, match="reset comes first"):
        env.step(0)


def test_cut_episodes_are_truncated():
    env = park_sdk.ParkEnv("load_balance", jobs=float("inf"), horizon_s=200)
    env.reset(seed=1)
    over = terminated = truncated = False
    while not over:
        _, _, terminated, truncated, _ = env.step(0)
        over = terminated or truncated
    assert truncated and not terminated


def same(a, b):
    assert len(a) == len(b)
    for x, y in zip(a, b):
        for key in x:
            assert x[key].tobytes() == y[key].tobytes(), key


def test_a_run_repeats_and_goes_on():
    def run(seed):
        env = park_sdk.ParkEnv("load_balance", jobs=10)
        first = play(env, seed, lambda _: 1)
        return first, play(env, None, lambda _: 1)

    (first, rewards, _), (second, _, _) = run(7)
    (again, rewards_again, _), (second_again, _, _) = run(7)
    same(first, again)
    same(second, second_again)
    assert rewards == rewards_again
    assert first[0]["job_size"] != second[0]["job_size"]
    assert first[0]["job_size"] != run(8)[0][0][0]["job_size"]


def test_a_reset_in_the_middle_goes_on_with_the_next_episode():
    whole = park_sdk.ParkEnv("load_balance", jobs=10)
    play(whole, 7, lambda _: 1)
    left = park_sdk.ParkEnv("load_balance", jobs=10)
    left.reset(seed=7)
    left.step(1)
    same(play(whole, None, lambda _: 1)[0], play(left, None, lambda _: 1)[0])


def test_illegal_actions_follow_the_rule():
    def step(illegal):
        env = park_sdk.ParkEnv("load_balance", jobs=10, illegal=illegal, penalty=1000)
        env.reset(seed=1)
        return env.step(99)

    legal = park_sdk.ParkEnv("load_balance", jobs=10)
    legal.reset(seed=1)
    _, reward, _, _, info = legal.step(9)
    assert info["applied"] == 0
    _, projected, _, _, info = step("project")
    assert (projected, info["applied"]) == (reward, 1)
    assert step("penalise")[1] == reward - 1000
    with pytest.raises(park_sdk.ParkError) as raised:
        step("error")
    assert raised.value.code == "illegal_action"
    with pytest.raises(park_sdk.ParkError, match="allowed are error, project and penalise"):
        park_sdk.ParkEnv("load_balance", illegal="ignore")


def test_masks_allow_what_is_legal():
    env = park_sdk.ParkEnv("dag_scheduling", jobs=2, executors=3, illegal="error")
    rng = np.random.default_rng(1)
    sizes = env.action_space.nvec
    _, info = env.reset(seed=2)
    for _ in range(60):
        mask = info["action_mask"]
        assert (mask == env.action_masks()).all()
        stages, limits, classes = np.split(mask, np.cumsum(sizes)[:-1])
        assert stages.any() and limits.any() and classes.any()
        # The largest limit is legal for every stage.
        action = [rng.choice(np.flatnonzero(stages)), np.flatnonzero(limits).max(), 0]
        _, _, terminated, truncated, info = env.step(action)
        assert info["applied"] == 0
        if terminated or truncated:
            _, info = env.reset()


def test_the_graph_is_that_of_the_padded_columns():
    fields = {"jobs": 3, "executors": 3}
    graph = park_sdk.ParkEnv("dag_scheduling", observation="graph", **fields)
    plain = park_sdk.ParkEnv("dag_scheduling", **fields)
    (a, _), (b, _) = graph.reset(seed=5), plain.reset(seed=5)
    n, m = int(b["valid_stages"].sum()), int(b["valid_edges"].sum())
    assert a["graph"].nodes.shape[0] == n > 0
    assert (a["graph"].edge_links[:, 0] == b["edge_parent"][:m]).all()
    names = [leaf.name for leaf in graph._observations.node_leaves]
    assert (a["graph"].nodes[:, names.index("stage.tasks")] == b["stage_tasks"][:n]).all()
    assert not b["stage_tasks"][n:].any() and not b["mask_stage"][n:].any()
    with pytest.raises(park_sdk.ParkError, match="has no graph"):
        park_sdk.ParkEnv("load_balance", observation="graph")


def test_closing_twice_is_fine():
    env = park_sdk.ParkEnv("load_balance")
    env.close()
    env.close()
    with pytest.raises(park_sdk.ParkError, match="closed"):
        env.reset(seed=1)
