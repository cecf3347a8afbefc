"""TorchRL: PPO on load_balance, 40 000 decisions."""

import sys

import torch
from common import WIDTH, Task, compare
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import GymWrapper
from torchrl.modules import OneHotCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE


def network(outputs):
    return nn.Sequential(nn.Linear(WIDTH, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(),
                         nn.Linear(64, outputs))


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    env = GymWrapper(Task())
    env.set_seed(1)
    logits = network(4)
    actor = ProbabilisticActor(
        TensorDictModule(logits, ["observation"], ["logits"]),
        in_keys=["logits"], distribution_class=OneHotCategorical, return_log_prob=True)
    critic = ValueOperator(network(1))
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.003)
    advantage = GAE(gamma=0.95, lmbda=0.95, value_network=critic)
    optimiser = torch.optim.Adam(loss.parameters(), lr=1e-3)
    for rollout in Collector(env, actor, frames_per_batch=2000, total_frames=40_000):
        for _ in range(6):
            advantage(rollout)
            for part in torch.randperm(len(rollout)).split(500):
                losses = loss(rollout[part])
                total = sum(losses[k] for k in ("loss_objective", "loss_critic", "loss_entropy"))
                optimiser.zero_grad()
                total.backward()
                optimiser.step()
    return compare("torchrl", lambda rows: logits(torch.from_numpy(rows)).argmax(1).numpy())


if __name__ == "__main__":
    sys.exit(main())
