"""The loop of Gymnasium, with masks: random legal decisions in a cluster of 5 executors."""

import gymnasium as gym
import numpy as np

import park_sdk

gym.register_envs(park_sdk)
env = gym.make("Park/DagScheduling-v1", jobs=3, executors=5)
rng = np.random.default_rng(0)
first = np.concatenate([[0], np.cumsum(env.action_space.nvec)])  # of each head's values

_, info = env.reset(seed=1)
total, over = 0.0, False
while not over:
    mask = info["action_mask"]
    heads = [np.flatnonzero(mask[a:b]) for a, b in zip(first, first[1:])]
    action = [rng.choice(values) for values in heads]
    _, reward, terminated, truncated, info = env.step(action)
    total += reward
    over = terminated or truncated
print("return", round(total), {k: round(v, 2) for k, v in info["metrics"].items()})
env.close()
