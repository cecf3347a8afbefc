#!/usr/bin/env python3
"""Compares policies of region_assignment with the bounds of bounds.json and prints the table of its README.

    experiments/region_assignment/measure_headroom.py --park build/release/bin/park

Needs no solver. A figure is total_cost / bound, the mean over the episodes of the suite. The headroom is
that of the best rule, minus 1. Bounds are refused where the generator draws other inputs than they
belong to.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUITE = ROOT / "park/envs/region_assignment/suite.json"
BOUNDS = ROOT / "park/envs/region_assignment/bounds.json"


def run(words):
    """What a command of Park reports."""
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True, cwd=ROOT).stdout)


def check_inputs(park, solved, seed):
    """Ends the program where the bounds are those of other inputs."""
    with tempfile.TemporaryDirectory() as folder:
        report = run([park, "data", "accounts", "hindsight", solved["env"], "--seed", str(seed), "--episodes",
                      str(len(solved["bound"])), "--out", folder, "--json"])
    if report["inputs_sha256"] != solved["inputs_sha256"]:
        sys.exit(f"{solved['env']}: the bounds belong to other inputs; solve_bounds.py solves them again")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--park", default="build/release/bin/park", help="the program")
    parser.add_argument("--policy", action="append", default=[], help="another policy, such as a checkpoint")
    arguments = parser.parse_args()
    suite = json.loads(SUITE.read_text())
    bounds = json.loads(BOUNDS.read_text())
    for env, solved in zip(suite["environments"], bounds["environments"], strict=True):
        check_inputs(arguments.park, solved, bounds["seed"])
        policies = [*env["baselines"], *arguments.policy]
        words = [arguments.park, "run", solved["env"], "--policy", ",".join(policies), "--episodes",
                 str(env["episodes"]), "--seed", str(bounds["seed"]), "--json", "--quiet"]
        print(f"\n{solved['env']}\n")
        print("| policy | total_cost / bound | rejected |\n| --- | --- | --- |")
        found = {}
        for one in run(words)["results"]:
            ratios = [cost / bound for cost, bound in zip(one["per_episode"]["total_cost"], solved["bound"])]
            found[one["policy"]] = statistics.fmean(ratios)
            error = statistics.stdev(ratios) / len(ratios) ** 0.5
            rejected = statistics.fmean(one["per_episode"]["rejected"])
            print(f"| `{one['policy']}` | {found[one['policy']]:.3f} +- {1.96 * error:.3f} | {rejected:.1f} |")
        best = min((found[policy], policy) for policy in env["baselines"])
        print(f"\nheadroom, (best rule - bound) / bound: {100 * (best[0] - 1):.1f} % ({best[1]})", flush=True)


if __name__ == "__main__":
    main()
