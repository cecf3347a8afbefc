#!/usr/bin/env python3
"""Records what the original simulator of the Aurora paper gives for fixed actions.

    experiments/congestion_control/record_pcc_rl.py PATH_TO_PCC_RL

PATH is a checkout of PCCproject/PCC-RL (commit 64bea6e). Each of LINKS is one that `preset=aurora` of
congestion_control draws. The rate goes from 100 packets/s to a share of the link's in STEADY_FROM / 2 steps
and stays. Writes the means over the steps from STEADY_FROM on to tests/envs/congestion_control/pcc_rl_rows.txt,
which a test compares with the environment. Needs numpy; the package gym is not needed.
"""

import argparse
import contextlib
import io
import random
import statistics
import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "tests/envs/congestion_control/pcc_rl_rows.txt"
PACKET_BITS = 8 * 1500
# Inputs of the episode, packets/s, one-way delay in s, packets of the queue, share lost.
LINKS = ((1, 103.337609, 0.197538, 6, 0.025393), (2, 120.418517, 0.197319, 15, 0.048097),
         (3, 228.870593, 0.084626, 16, 0.041664), (4, 283.393984, 0.361741, 1320, 0.048092),
         (5, 205.794749, 0.399918, 25, 0.015801), (7, 257.235638, 0.310270, 11, 0.000625),
         (8, 305.291109, 0.491896, 158, 0.023882), (11, 193.701310, 0.115788, 62, 0.025706))
SHARES = (0.6, 0.9, 1.2)
FIRST_RATE = 100
STEADY_FROM, STEPS = 80, 200
RUNS = 5  # the mean of so many: packets are lost at random


def simulator(path):
    """The module of the original, without the package gym, of which it needs names only."""
    gym = types.ModuleType("gym")
    gym.Env = object
    gym.spaces = types.SimpleNamespace(Box=lambda *_, **__: None)
    for name in ("gym.utils", "gym.utils.seeding", "gym.envs", "gym.envs.registration"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["gym"] = gym
    sys.modules["gym.utils"].seeding = sys.modules["gym.utils.seeding"]
    sys.modules["gym.envs.registration"].register = lambda **_: None
    sys.argv = ["network_sim"]
    sys.path.insert(0, str(path / "src/gym"))
    import network_sim
    return network_sim


def environment(sim, link):
    """The original environment with this link."""
    rate, delay_s, queue, loss = link

    class Fixed(sim.SimulatedNetworkEnv):
        def create_new_links_and_senders(self):
            self.links = [sim.Link(rate, delay_s, queue, loss) for _ in range(2)]
            self.senders = [sim.Sender(FIRST_RATE, self.links, 0, self.features, history_len=self.history_len)]
            self.run_dur = 3 * delay_s

    return Fixed()


def deltas(share, rate):
    """Actions that lead to this share of the rate, then none."""
    rising = STEADY_FROM // 2
    factor = (share * rate / FIRST_RATE) ** (1 / rising)
    change = (factor - 1 if factor >= 1 else 1 - 1 / factor) / 0.025
    return [change] * rising + [0] * (STEPS - rising)


def row(sim, link, share, seed):
    """Means over the steady steps: packets/s, latency, share lost, reward."""
    random.seed(seed)
    with contextlib.redirect_stdout(io.StringIO()):
        env = environment(sim, link)
        env.reset()
        for delta in deltas(share, link[0]):
            env.step([delta])
    steady = env.event_record["Events"][STEADY_FROM:]
    return [statistics.fmean(event[name] for event in steady) / unit for name, unit in
            (("Throughput", PACKET_BITS), ("Latency", 1), ("Loss Rate", 1), ("Reward", 1))]


def main():
    """Writes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="checkout of PCC-RL")
    sim = simulator(parser.parse_args().path)
    lines = ["# Of experiments/congestion_control/record_pcc_rl.py. A line: inputs, packets/s and one-way s of the",
             f"# link, packets of its queue, its loss; share of the rate that is sent; means over steps {STEADY_FROM}",
             f"# to {STEPS} of {RUNS} runs: packets/s acknowledged, latency s, share lost, reward."]
    for inputs, *link in LINKS:
        for share in SHARES:
            rows = [row(sim, link, share, seed) for seed in range(1, RUNS + 1)]
            means = [statistics.fmean(column) for column in zip(*rows, strict=True)]
            lines.append(" ".join([str(inputs), *(f"{x:.9g}" for x in link), str(share),
                                   *(f"{mean:.5g}" for mean in means)]))
    OUT.write_text("\n".join(lines) + "\n", encoding="ascii")
    print(f"{OUT.relative_to(ROOT)}: {len(lines) - 3} rows")


if __name__ == "__main__":
    main()
