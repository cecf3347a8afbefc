"""RLlib: PPO on load_balance, 24 000 decisions in one process."""

import sys

import torch
from common import Task, compare
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core import Columns
from ray.tune.registry import register_env


def main():
    register_env("task", lambda _: Task())
    config = (
        PPOConfig()
        .environment("task")
        .env_runners(num_env_runners=0, num_envs_per_env_runner=16)
        .learners(num_learners=0)
        .training(lr=1e-3, gamma=0.95, train_batch_size=2000, minibatch_size=500, num_epochs=6)
        .debugging(seed=1)
    )
    algorithm = config.build_algo()
    for _ in range(12):
        algorithm.train()
    module = algorithm.get_module()

    def choose(rows):
        with torch.no_grad():
            out = module.forward_inference({Columns.OBS: torch.from_numpy(rows)})
        return out[Columns.ACTION_DIST_INPUTS].argmax(1).numpy()

    status = compare("rllib", choose)
    algorithm.stop()
    return status


if __name__ == "__main__":
    sys.exit(main())
