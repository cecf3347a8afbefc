"""A thousand environments at once: in this process, and behind an endpoint with the same bytes."""

import gymnasium as gym
import numpy as np

import park_sdk

N = 1000


def rewards(endpoint):
    """What 20 steps of the first servers give: [20, N]."""
    envs = gym.make_vec("Park/LoadBalance-v1", num_envs=N, endpoint=endpoint)
    envs.reset(seed=1)
    out = [envs.step(np.full(N, i % 3))[1] for i in range(20)]
    envs.close()
    return np.array(out)


with park_sdk.serve("load_balance") as server:  # or: park serve load_balance
    here, there = rewards(None), rewards(server.endpoint)
print("mean reward", here.mean(), "equal bytes", here.tobytes() == there.tobytes())
