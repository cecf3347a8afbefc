#!/usr/bin/env python3
"""MaskablePPO of sb3-contrib learns load_balance over the bridge and is compared with a heuristic.

    maskable_ppo.py [--steps 1000000] [--out FILE]

Cost is the metric avg_response_s: the mean over an episode's 1000 jobs of the time from arrival to
completion. Of the policies met in training the best one on 50 validation episodes is taken; it and
the heuristic play the same 200 held-out episodes (those of `park run --episodes 200`). Exit status 0
where the mean cost is at most 1.05 of shortest_queue's, and the training took at most 30 minutes of
one core.
"""

import argparse
import copy
import json
import math
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import sb3_contrib
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from torch import nn

import park_sdk
from park_sdk.sb3 import SB3VecEnv
from park_sdk.spaces import key_of

sys.path.append(str(Path(__file__).resolve().parents[3] / "scripts"))
import figures  # noqa: E402  (of this checkout)

ENV = "load_balance"
SERVERS = 10
PER_SERVER = 4
SLOTS = 64
TARGET = 1.05
MOST_CPU_S = 1800


def features(columns):
    """[n, SERVERS * PER_SERVER]: logarithms, of the size of one."""
    rate = columns["server_rate"]
    size = columns["job_size"]
    parts = [
        np.log1p(columns["server_drain_s"]) / 5,
        np.log1p(columns["server_jobs"]),
        np.log1p(size / rate) / 5,  # seconds that the job takes there
        rate,
    ]
    return np.stack(parts, axis=2).reshape(len(rate), -1).astype(np.float32)


class Scorer(nn.Module):
    """One network that scores each server, and one that values them all."""

    def __init__(self):
        super().__init__()
        self.latent_dim_pi, self.latent_dim_vf = SERVERS, 64
        self.score = nn.Sequential(
            nn.Linear(2 * PER_SERVER, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1)
        )
        self.value = nn.Sequential(
            nn.Linear(SERVERS * PER_SERVER, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh()
        )

    def forward(self, rows):
        return self.forward_actor(rows), self.forward_critic(rows)

    def forward_actor(self, rows):
        servers = rows.reshape(-1, SERVERS, PER_SERVER)
        mean = servers.mean(dim=1, keepdim=True).expand_as(servers)
        return self.score(torch.cat([servers, mean], dim=2)).squeeze(2)

    def forward_critic(self, rows):
        return self.value(rows)


class Policy(MaskableActorCriticPolicy):
    """The scores are the logits."""

    def _build_mlp_extractor(self):
        self.mlp_extractor = Scorer()

    def _build(self, lr_schedule):
        super()._build(lr_schedule)
        self.action_net = nn.Identity()
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )


class Best(BaseCallback):
    """Keeps the weights that are best on validation episodes, played before every tenth rollout."""

    EVERY = 10

    def __init__(self, endpoint):
        super().__init__()
        self.endpoint, self.rollouts, self.cost, self.weights = endpoint, 0, math.inf, None

    def _on_step(self):
        return True

    def _on_rollout_start(self):
        if self.rollouts % self.EVERY == 0:
            self.look()
        self.rollouts += 1

    def look(self):
        """Plays them with the weights of this moment."""
        episodes = park_sdk.Episodes.of_run(seed=1, count=50, phase="validate")
        cost = costs(self.endpoint, episodes, greedy(self.model)).mean()
        print(f"{self.model.num_timesteps} steps: {cost:.1f} s", file=sys.stderr, flush=True)
        if cost < self.cost:
            self.cost, self.weights = cost, copy.deepcopy(self.model.policy.state_dict())


def train(endpoint, steps):
    """The best policy in that many steps."""
    torch.set_num_threads(1)
    envs = park_sdk.ParkVectorEnv(ENV, SLOTS, endpoint=endpoint)
    space = spaces.Box(-1e6, 1e6, (SERVERS * PER_SERVER,), np.float32)
    model = MaskablePPO(
        Policy,
        SB3VecEnv(envs, features, space, reward_scale=1e-3),
        learning_rate=lambda left: 1e-3 * left,
        n_steps=128,
        batch_size=1024,
        n_epochs=4,
        gamma=0.98,
        gae_lambda=0.95,
        ent_coef=0.003,
        seed=1,
        device="cpu",
    )
    best = Best(endpoint)
    model.learn(steps, callback=best)
    best.look()
    model.policy.load_state_dict(best.weights)
    return model


def costs(endpoint, episodes, policy):
    """avg_response_s of each episode."""
    with park_sdk.Stream(ENV, episodes, slots=40, endpoint=endpoint) as stream:
        if isinstance(policy, str):
            policy = park_sdk.Policy(policy, stream.spec)
        return park_sdk.record(stream, policy).episodes["metric.avg_response_s"]


def greedy(model):
    """The likeliest server, for Stream."""

    def act(asked):
        with torch.no_grad():
            rows = torch.from_numpy(features(
                {key_of(k): v.reshape(len(v), -1) for k, v in asked.observation.items()}
            ))
            return model.policy.mlp_extractor.forward_actor(rows).argmax(dim=1).numpy()

    return act


def measure(steps):
    """Costs of the policy and of the heuristic by held-out episode, and what the training took."""
    with tempfile.TemporaryDirectory() as folder:
        with park_sdk.serve(ENV, endpoint=f"ipc://{folder}/socket") as server:
            begin, cpu = time.monotonic(), time.process_time()
            model = train(server.endpoint, steps)
            took, cpu = time.monotonic() - begin, time.process_time() - cpu
            held_out = park_sdk.Episodes.of_run(seed=1, count=200)
            learned = costs(server.endpoint, held_out, greedy(model))
            held_out = park_sdk.Episodes.of_run(seed=1, count=200)
            return learned, costs(server.endpoint, held_out, "shortest_queue"), took, cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--out", help="write the figures to this file")
    args = parser.parse_args()
    learned, heuristic, took, cpu = measure(args.steps)
    ratio = float(learned.mean() / heuristic.mean())
    print(json.dumps({"learned_s": learned.mean(), "shortest_queue_s": heuristic.mean(),
                      "ratio": ratio, "wall_s": took, "cpu_s": cpu}))
    if args.out:
        figures.write(
            args.out,
            "MaskablePPO in Python over the bridge, against shortest_queue on load_balance",
            f"tests/python/learning.sh maskable_ppo --steps {args.steps} --out {args.out}",
            [
                figures.figure("avg_response_s, learned", "s", list(learned), "of episodes"),
                figures.figure("avg_response_s, shortest_queue", "s", list(heuristic), "likewise"),
                figures.figure("ratio of the means", "1", [ratio], f"the aim: at most {TARGET}"),
                figures.figure("episodes won", "1", [int((learned < heuristic).sum())], "of 200"),
                figures.figure("training", "s", [took], f"{cpu:.0f} s of CPU, with the server"),
            ],
            ["200 held-out episodes of 1000 jobs, the same for both; sb3-contrib "
             f"{sb3_contrib.__version__}, PyTorch {torch.__version__}, one thread."],
        )
    sys.exit(0 if ratio <= TARGET and cpu <= MOST_CPU_S else 1)


if __name__ == "__main__":
    main()
