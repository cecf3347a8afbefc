#!/usr/bin/env python3
"""Measures how many packets a second the simulator plays beside that of PCC-RL, in one run.

    experiments/congestion_control/compare_pcc_rl.py PATH_TO_PCC_RL [--rounds 15] [--build build/release]
        [--out results/congestion_control_speed.json]

PATH is a checkout of PCCproject/PCC-RL (commit 64bea6e). In each round it plays EPISODES episodes of one flow with
fixed actions (record_pcc_rl.py); then bench_congestion_control plays 20 s of a link of 96 Mbit/s for each sender and
number of flows, and the preset aurora. Times are processor time of one core. Needs numpy and a release build with
the target bench_congestion_control.
"""

import argparse
import contextlib
import io
import json
import random
import subprocess
import sys
import time
from pathlib import Path

import record_pcc_rl

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import figures  # noqa: E402

EPISODES = 4
SHARE = 0.9  # of the link's rate
SECONDS = 0.2  # of a benchmark in a round, at least


def play_original(sim, seed):
    """Packets and decisions per second of the original."""
    random.seed(seed)
    packets, decisions, taken_s = 0, 0, 0.0
    for _, *link in record_pcc_rl.LINKS[:EPISODES]:
        with contextlib.redirect_stdout(io.StringIO()):
            env = record_pcc_rl.environment(sim, link)
            env.reset()
            start = time.process_time()
            for delta in record_pcc_rl.deltas(SHARE, link[0]):
                env.step([delta])
                packets += env.senders[0].sent
                decisions += 1
            taken_s += time.process_time() - start
    return {"PCC-RL: packets": packets / taken_s, "PCC-RL: decisions": decisions / taken_s}


def play_ours(program):
    """Packets per second by sender and number of flows, and decisions per second."""
    done = subprocess.run([program, "--benchmark_format=json", f"--benchmark_min_time={SECONDS}",
                           "--benchmark_filter=BM_Packets|aurora"], check=True, capture_output=True, text=True)
    found = {}
    for one in json.loads(done.stdout)["benchmarks"]:
        if "packets_per_second" in one:
            _, sender, flows = one["name"].split("/")
            found[f"{sender}, {flows} flow{'s' * (flows != '1')}: packets"] = one["packets_per_second"]
        else:
            found["preset aurora: decisions"] = one["decisions_per_second"]
    return found


def main():
    """Writes the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="checkout of PCC-RL")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--out", type=Path, default=ROOT / "results/congestion_control_speed.json")
    arguments = parser.parse_args()
    command = figures.command({str(arguments.path): "PATH_TO_PCC_RL"})  # the original's module needs other arguments
    sim = record_pcc_rl.simulator(arguments.path)
    rounds = []
    for k in range(arguments.rounds):
        rounds.append(play_original(sim, k) | play_ours((arguments.build / "bin/bench_congestion_control").resolve()))
        print(f"round {k + 1} of {arguments.rounds}", file=sys.stderr)
    found = [figures.figure(f"{name} per second", "1/s", [one[name] for one in rounds]) for name in rounds[0]]
    found += [figures.figure(f"{name}, times those of PCC-RL", "1",
                             [one[name] / one[f"PCC-RL: {name.rsplit(' ', 1)[1]}"] for one in rounds],
                             "per round, then the median")
              for name in rounds[0] if not name.startswith("PCC-RL")]
    notes = [f"{arguments.rounds} rounds; in each PCC-RL plays {EPISODES} links of its own at {SHARE} of their rate, then "
             "ours plays each row.",
             "Ours: 20 s of a link of 96 Mbit/s, 40 ms, a queue of 400 packets and an ack for every packet. "
             "Times are processor time of one core."]
    figures.write(arguments.out, "Packets per second beside PCC-RL", command, found, notes, page="congestion_control")


if __name__ == "__main__":
    main()
