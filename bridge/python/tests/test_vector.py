"""Environments side by side."""

import gymnasium as gym
import numpy as np
import pytest

import park_sdk


@pytest.mark.smoke
def test_make_vec_gives_the_compiled_vector():
    envs = gym.make_vec("Park/LoadBalance-v1", num_envs=3, jobs=5)
    assert isinstance(envs.unwrapped, park_sdk.ParkVectorEnv)
    assert envs.metadata["autoreset_mode"] in ("SameStep", park_sdk.spaces.same_step())
    observation, info = envs.reset(seed=1)
    assert observation["server_jobs"].shape == (3, 10)
    assert info["action_mask"].shape == (3, 10) and info["_action_mask"].all()
    assert observation in envs.observation_space
    observation, reward, terminated, truncated, info = envs.step(envs.action_space.sample())
    assert observation in envs.observation_space
    assert reward.shape == terminated.shape == truncated.shape == (3,)
    envs.close()


@pytest.mark.parametrize(
    "name,fields", [("load_balance", {"jobs": 6}), ("dag_scheduling", {"jobs": 1, "executors": 3})]
)
def test_a_row_is_a_single_environment(name, fields):
    n, seed = 3, 11
    vector = park_sdk.ParkVectorEnv(name, n, **fields)
    singles = [park_sdk.ParkEnv(name, **fields) for _ in range(n)]
    rows, _ = vector.reset(seed=seed)
    expected = [env.reset(seed=seed + i)[0] for i, env in enumerate(singles)]
    ends = 0
    vector.action_space.seed(3)
    for _ in range(40):
        for i in range(n):
            for key, value in expected[i].items():
                assert rows[key][i].tobytes() == value.tobytes(), key
        actions = vector.action_space.sample()
        rows, rewards, terminated, truncated, info = vector.step(actions)
        for i, env in enumerate(singles):
            observation, reward, end, cut, single_info = env.step(actions[i])
            assert (reward, end, cut) == (rewards[i], terminated[i], truncated[i])
            if end or cut:
                ends += 1
                final = info["final_obs"][i]
                assert all(final[k].tobytes() == v.tobytes() for k, v in observation.items())
                for metric, value in single_info["metrics"].items():
                    assert info["final_info"]["metrics"][metric][i] == value
                observation, _ = env.reset()
            else:
                assert "final_obs" not in info or not info["_final_obs"][i]
            expected[i] = observation
    assert ends > 0


def test_graphs_are_those_of_single_environments():
    fields = {"jobs": 2, "executors": 3, "observation": "graph"}
    vector = park_sdk.ParkVectorEnv("dag_scheduling", 2, **fields)
    rows, _ = vector.reset(seed=4)
    assert rows in vector.observation_space
    for i in range(2):
        single = park_sdk.ParkEnv("dag_scheduling", **fields).reset(seed=4 + i)[0]["graph"]
        for mine, other in zip(rows["graph"][i], single, strict=True):
            assert mine.tobytes() == other.tobytes()
    with pytest.raises(park_sdk.ParkError, match="has no graph"):
        park_sdk.ParkVectorEnv("load_balance", 2, observation="graph")


def test_workers_change_nothing():
    def rewards(workers):
        envs = park_sdk.ParkVectorEnv("load_balance", 8, workers=workers, jobs=20)
        envs.reset(seed=1)
        return np.array([envs.step(np.arange(8))[1] for _ in range(50)])

    assert rewards(0).tobytes() == rewards(2).tobytes()


def test_a_reset_without_a_seed_plays_new_episodes():
    envs = park_sdk.ParkVectorEnv("load_balance", 2, jobs=5)
    first, _ = envs.reset(seed=1)
    again, _ = envs.reset()
    assert (first["job_size"] == again["job_size"]).all()  # nothing was played
    envs.step([0, 0])
    later, _ = envs.reset()
    assert (first["job_size"] != later["job_size"]).all()
    seeded, _ = envs.reset(seed=[1, 2])
    assert (first["job_size"] == seeded["job_size"]).all()


def test_wrong_actions_are_named():
    envs = park_sdk.ParkVectorEnv("load_balance", 2)
    envs.reset(seed=1)
    with pytest.raises(park_sdk.ParkError, match="server: 3 numbers, 2 are asked for"):
        envs.step([1, 2, 3])
    with pytest.raises(park_sdk.ParkError, match="server: must be an array of whole numbers"):
        envs.step([0.5, 0.5])
    envs.step([1, 2])


def test_arrays_are_kept_by_the_caller():
    envs = park_sdk.ParkVectorEnv("load_balance", 2)
    first, _ = envs.reset(seed=1)
    kept = {k: v.copy() for k, v in first.items()}
    for _ in range(5):
        envs.step([0, 1])
    assert all((first[k] == kept[k]).all() for k in kept)
