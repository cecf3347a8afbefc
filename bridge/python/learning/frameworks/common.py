"""What the examples share: the task, its features, and the comparison with random decisions."""

import gymnasium as gym
import numpy as np

import park_sdk

ENV = "load_balance(servers=4,interval_s=400,sizes=exponential,jobs=100)"
WIDTH = 12  # numbers of an observation
SCALE = 1e-3  # of rewards
AIM = 0.5  # of random's mean response time, on the same episodes


def features(seen):
    """[..., 12]: logarithms of what an arriving job finds at each server."""
    rate, size = seen["server_rate"], seen["job_size"]
    parts = [
        np.log1p(seen["server_drain_s"]) / 5,
        np.log1p(seen["server_jobs"]),
        np.log1p(size / rate) / 5,  # seconds that the job takes there
    ]
    return np.concatenate(parts, axis=-1).astype(np.float32)


class Task(gym.Wrapper):
    """One environment that shows features, with rewards of the size of one."""

    def __init__(self):
        super().__init__(park_sdk.ParkEnv(ENV))
        self.observation_space = gym.spaces.Box(-10, 10, (WIDTH,), np.float32)

    def reset(self, **options):
        seen, info = self.env.reset(**options)
        return features(seen), info

    def step(self, action):
        seen, reward, *rest = self.env.step(action)
        return features(seen), reward * SCALE, *rest


def compare(name, choose):
    """Plays 50 held-out episodes; `choose` maps features [n, 12] to servers. The exit status."""

    def act(asked):
        rows = {k.replace(".", "_"): v.reshape(len(v), -1) for k, v in asked.observation.items()}
        return np.asarray(choose(features(rows)), np.int32)

    def cost(policy):
        with park_sdk.Stream(ENV, park_sdk.Episodes.of_run(seed=1, count=50), slots=10) as stream:
            made = park_sdk.Policy(policy, stream.spec) if isinstance(policy, str) else policy
            return park_sdk.record(stream, made).episodes["metric.avg_response_s"].mean()

    learned, random, best = cost(act), cost("random"), cost("least_work")
    print(f"{name}: {learned:.0f} s; random {random:.0f} s, least_work {best:.0f} s")
    return 0 if learned <= AIM * random else 1
