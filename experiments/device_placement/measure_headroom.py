#!/usr/bin/env python3
"""Compares the rules of device_placement with one device and with the bound, and prints the table of its README.

    experiments/device_placement/measure_headroom.py --park build/release/bin/park

Figures are step_time_ratio: time of a step / time on one device. The headroom is (best rule - bound) / bound,
where the best rule is the least of all rules and annealing does not count. Costs have no noise.
"""

import argparse
import json
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SLOW, FAST = "", "bytes_per_s=5e10,latency_s=1e-5"
SETTINGS = [
    ("inception_v3", "two devices", "graph=inception_v3", 1),
    ("googlenet", "two devices", "graph=googlenet", 1),
    ("resnet50", "two devices", "graph=resnet50", 1),
    ("transformer", "two devices", "graph=transformer", 1),
    ("inception_v3, training", "two devices", "graph=inception_v3,training=true", 1),
    ("inception_v3, training", "four devices", "graph=inception_v3,training=true,devices=4", 1),
    ("inception_v3, training", "four devices, fast links", f"graph=inception_v3,training=true,devices=4,{FAST}", 1),
    ("transformer, training", "two devices, memory 0.55", "graph=transformer,training=true,memory=0.55", 1),
    ("transformer, training", "four devices, fast links", f"graph=transformer,training=true,devices=4,{FAST}", 1),
    ("lstm, training", "two devices", "graph=lstm,training=true", 1),
    ("branches, training", "four devices", "graph=branches,training=true,devices=4,split=test", 20),
    ("recurrences, training", "four devices", "graph=recurrences,training=true,devices=4,split=test", 20),
    ("layered, training", "four devices", "graph=layered,training=true,devices=4,split=test", 20),
]
RULES = ["contiguous", "contiguous(by=memory)", "heft", "heft_contention", "etf", "metis"]
SHOWN = ["heft", "heft_contention", "etf", "metis"]


def play(arguments, env, policies, episodes):
    """The mean of step_time_ratio by policy, and that of the bound."""
    words = [arguments.park, "run", env, "--policy", ",".join(policies), "--episodes", str(episodes), "--seed", "1",
             "--json", "--quiet"]
    done = subprocess.run(words, check=True, capture_output=True, text=True, cwd=ROOT)
    results = json.loads(done.stdout)["results"]
    means = {one["policy"]: statistics.fmean(one["per_episode"]["step_time_ratio"]) for one in results}
    return means, statistics.fmean(results[0]["per_episode"]["bound_ratio"])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--park", default="build/release/bin/park", help="the program")
    parser.add_argument("--only", default="", help="settings whose name begins so")
    arguments = parser.parse_args()
    print("| graph | cluster | bound | " + " | ".join(SHOWN) + " | best rule | annealing | headroom |")
    print("|" + " --- |" * (len(SHOWN) + 6))
    lost = []
    for graph, cluster, fields, episodes in SETTINGS:
        if not graph.startswith(arguments.only):
            continue
        env = f"device_placement({fields},noise=0)"
        found, bound = play(arguments, env, ["single_device", *RULES, "annealing"], episodes)
        best = min(["single_device", *RULES], key=lambda policy: found[policy])
        cells = [f"{bound:.2f}", *(f"{found[p]:.2f}" for p in SHOWN), f"{found[best]:.2f} ({best})",
                 f"{found['annealing']:.2f}", f"{(found[best] - bound) / bound:.0%}"]
        print(f"| {graph} | {cluster} | " + " | ".join(cells) + " |", flush=True)
        if best == "single_device":
            lost.append(f"{graph} on {cluster}")
    print("\nNo rule beats one device: " + ("; ".join(lost) if lost else "nowhere") + ".")


if __name__ == "__main__":
    main()
