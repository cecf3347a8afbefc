"""Stable-Baselines3: PPO on load_balance, 40 000 decisions."""

import sys

import numpy as np
import torch
from common import ENV, SCALE, WIDTH, compare, features
from gymnasium import spaces
from stable_baselines3 import PPO

import park_sdk
from park_sdk.sb3 import SB3VecEnv


def main():
    torch.set_num_threads(1)
    envs = park_sdk.ParkVectorEnv(ENV, 16)
    space = spaces.Box(-10, 10, (WIDTH,), np.float32)
    model = PPO(
        "MlpPolicy",
        SB3VecEnv(envs, features, space, reward_scale=SCALE),
        learning_rate=1e-3,
        n_steps=128,
        batch_size=512,
        n_epochs=6,
        gamma=0.95,
        seed=1,
        device="cpu",
    )
    model.learn(40_000)
    return compare("sb3", lambda rows: model.predict(rows, deterministic=True)[0])


if __name__ == "__main__":
    sys.exit(main())
