#!/usr/bin/env python3
"""MaskablePPO of sb3-contrib as an agent of a benchmark: trains one policy and leaves it as policy.onnx.

    train_maskable_ppo.py --env TEXT --validate-on TEXT --metric NAME --decisions N --validations N
        --validation-episodes N --seed S --out FOLDER

docs/agents.md tells what a benchmark asks of such a command. It fits environments whose observations have a fixed
size and whose action is one head of integers; for others the exit status is 3. The network sees logarithms, less
their mean and over their deviation in the first decisions, which are random. Of the policies that are validated
the best one is kept. Needs park_sdk, Stable-Baselines3 2.4 and sb3-contrib 2.4 (bridge/python/learning).
"""

import argparse
import copy
import math
import sys
from pathlib import Path

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from torch import nn

import park_sdk
from park_sdk.sb3 import SB3VecEnv
from park_sdk.spaces import key_of

SLOTS, STEPS = 16, 128  # decisions of an iteration: their product
RANDOM_STEPS = 16  # of each slot, to measure what the network sees
DOES_NOT_FIT = 3
LEAST_DEVIATION = 1e-3
OPSET = 17


def unfit(spec):
    """Why the trainer is not made for an environment; empty where it is."""
    if spec.observation.groups:
        return "the observation has groups"
    heads = spec.action.leaves
    if len(heads) != 1 or heads[0].width != 1 or heads[0].dtype.startswith("f"):
        return "the action is not one head of integers"
    return ""


def flat(spec):
    """A function from columns of observations to [n, numbers], in the order of `park describe`."""
    keys = [key_of(leaf.name) for leaf in spec.observation.leaves if not leaf.name.startswith("info.")]

    def numbers(columns):
        return np.concatenate([np.asarray(columns[key], np.float32).reshape(len(columns[key]), -1) for key in keys],
                              axis=1)
    return numbers


class Seen(nn.Module):
    """What the network sees of the numbers of an observation."""

    def __init__(self, rows):
        """Takes mean and deviation of [n, width] numbers."""
        super().__init__()
        seen = self.logarithm(torch.from_numpy(rows))
        self.register_buffer("mean", seen.mean(dim=0))
        self.register_buffer("deviation", seen.std(dim=0).clamp(min=LEAST_DEVIATION))

    @staticmethod
    def logarithm(rows):
        return torch.sign(rows) * torch.log(1 + torch.abs(rows))

    def forward(self, rows):
        return torch.clamp((self.logarithm(rows) - self.mean) / self.deviation, -10, 10)


class Exported(nn.Module):
    """From the numbers of an observation [B, width] to the logits of the values [B, K]."""

    def __init__(self, seen, policy):
        super().__init__()
        self.seen, self.body, self.head = seen, policy.mlp_extractor.policy_net, policy.action_net

    def forward(self, rows):
        return self.head(self.body(self.seen(rows)))


def measure_first(envs, numbers, seed):
    """Plays SLOTS * RANDOM_STEPS random decisions: what the network sees, and the factor that makes rewards of the
    size of one."""
    draw = np.random.default_rng(seed)
    columns, _ = envs.reset(seed=seed)
    rows, rewards = [numbers(columns)], []
    for _ in range(RANDOM_STEPS):
        actions = [draw.choice(np.flatnonzero(mask)) for mask in envs.action_masks()]
        columns, reward, *_ = envs.step(np.asarray(actions) + int(envs.single_action_space.start))
        rows.append(numbers(columns))
        rewards.append(reward)
    return Seen(np.concatenate(rows)), 1 / max(float(np.abs(rewards).mean()), LEAST_DEVIATION)


class Best(BaseCallback):
    """Keeps the weights with the best mean of the metric over the validation episodes."""

    def __init__(self, options, spec, numbers, seen):
        super().__init__()
        self.options, self.numbers, self.seen = options, numbers, seen
        self.sign = -1 if spec.metrics[spec.metric(options.metric)].lower_is_better else 1
        self.first = int(spec.action.leaves[0].low)
        self.looked, self.score, self.weights = 0, -math.inf, None

    def _on_step(self):
        return True

    def _on_rollout_start(self):
        due = self.options.decisions * self.looked / max(self.options.validations - 1, 1)
        if self.looked < self.options.validations - 1 and self.num_timesteps >= due:
            self.look()

    def look(self):
        """Plays the validation episodes with the weights of this moment."""
        self.looked += 1
        episodes = park_sdk.Episodes.of_run(seed=self.options.seed, count=self.options.validation_episodes,
                                            phase="validate")
        network = Exported(self.seen, self.model.policy)
        with park_sdk.Stream(self.options.validate_on, episodes, slots=SLOTS) as stream:
            def act(asked):
                rows = self.numbers({key_of(name): values for name, values in asked.observation.items()})
                with torch.no_grad():
                    logits = network(torch.from_numpy(rows)).numpy()
                return np.where(stream.masks() > 0, logits, -np.inf).argmax(axis=1) + self.first
            found = park_sdk.record(stream, act).episodes[f"metric.{self.options.metric}"]
        score = self.sign * float(found.mean())
        print(f"{self.num_timesteps} decisions: {self.options.metric} {found.mean():.6g}", flush=True)
        if score > self.score:
            self.score, self.weights = score, copy.deepcopy(self.model.policy.state_dict())


def train(options, envs):
    """The network of the best policy."""
    numbers = flat(envs.park_spec)
    seen, scale = measure_first(envs, numbers, options.seed)
    width = len(seen.mean)

    def features(columns):
        with torch.no_grad():
            return seen(torch.from_numpy(numbers(columns))).numpy()
    model = MaskablePPO("MlpPolicy", SB3VecEnv(envs, features, spaces.Box(-10, 10, (width,), np.float32), scale),
                        learning_rate=lambda left: 1e-3 * left, n_steps=STEPS, batch_size=256, n_epochs=4, gamma=0.98,
                        ent_coef=0.003, seed=options.seed, device="cpu")
    best = Best(options, envs.park_spec, numbers, seen)
    model.learn(max(options.decisions - SLOTS * RANDOM_STEPS, 1), callback=best)
    best.look()
    model.policy.load_state_dict(best.weights)
    return Exported(seen, model.policy), width


def main():
    """Trains; the exit status is 3 where the environment does not fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("env", "validate-on", "metric"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("decisions", "validations", "validation-episodes", "seed"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    with park_sdk.Stream(options.env, park_sdk.Episodes.of_run(seed=1, count=1), slots=1) as stream:
        if reason := unfit(stream.spec):
            print(reason)
            return DOES_NOT_FIT
    network, width = train(options, park_sdk.ParkVectorEnv(options.env, SLOTS))
    torch.onnx.export(network.eval(), (torch.zeros(1, width),), str(options.out / "policy.onnx"), opset_version=OPSET,
                      input_names=["observation"], output_names=["logits"],
                      dynamic_axes={"observation": {0: "rows"}, "logits": {0: "rows"}})
    return 0


if __name__ == "__main__":
    sys.exit(main())
