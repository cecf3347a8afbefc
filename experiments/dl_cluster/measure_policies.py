#!/usr/bin/env python3
"""Measures the heuristics of dl_cluster in the settings of its page, and prints tables.

    experiments/dl_cluster/measure_policies.py dl2          on DL2's speeds, which are reference data
    experiments/dl_cluster/measure_policies.py psworker     the same on the bundled table
    experiments/dl_cluster/measure_policies.py allreduce    GPUs whose grants stay
    ... --episodes 3                                        fewer episodes, for a look

Each figure is the mean completion time relative to that of the first policy, on the same episodes of the
phase `validate`, so that the inputs of evaluation stay unseen. Builds nothing: needs build/release/bin/park.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

EXPERIMENTS = Path(__file__).resolve().parents[1]
ROOT = EXPERIMENTS.parent
sys.path[:0] = [str(EXPERIMENTS)]
import reference_data  # noqa: E402

PS_POLICIES = (
    "drf", "drf(servers=3)", "drf(servers=4)", "optimus", "optimus(repaired=true)",
    "optimus(repaired=true,far=true)", "hull_greedy(alpha=0)", "hull_greedy", "hull_greedy(alpha=1)",
    "right_sized_srtf(theta=0.5)", "right_sized_srtf", "right_sized_srtf(theta=0.7)",
    "tiresias(workers=4,servers=4)", "tiresias(workers=1,servers=4)", "equal_share", "pollux", "srtf", "fcfs",
    "tetris_bundles")
ALLREDUCE_POLICIES = (
    "equal_share", "fcfs", "tiresias", "srtf", "srsf", "optimus", "pollux", "marginal_goodput(stay=0.2)",
    "marginal_goodput", "marginal_goodput(exponent=1)", "knee_srsf(efficiency=0.7)", "knee_srsf", "hull_greedy",
    "right_sized_srtf", "hesrpt")


def settings(name):
    """Texts of environments by the heads of their columns, and the policies."""
    if name == "allreduce":
        return {f"{jobs} jobs": f"dl_cluster(model=allreduce,jobs={jobs})" for jobs in (160, 320)}, ALLREDUCE_POLICIES
    table = reference_data.sets()["dl2"] if name == "dl2" else "psworker"
    return {f"{nodes} nodes": f'dl_cluster(semantics=compat,table="{table}",nodes={nodes})'
            for nodes in (48, 24, 12)}, PS_POLICIES


def played(env, policies, episodes):
    """Mean completion times and bounds by policy."""
    done = subprocess.run(
        [ROOT / "build/release/bin/park", "run", env, "--policy", ",".join(policies), "--episodes", str(episodes),
         "--phase", "validate", "--json"], check=True, capture_output=True, text=True)
    results = json.loads(done.stdout)["results"]
    return {one["policy"]: (statistics.fmean(one["per_episode"]["avg_jct_s"]),
                            statistics.fmean(one["per_episode"]["bound_jct_s"])) for one in results}


def main():
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("setting", choices=("dl2", "psworker", "allreduce"))
    parser.add_argument("--episodes", type=int, default=6)
    options = parser.parse_args()
    columns, policies = settings(options.setting)
    found = {head: played(env, policies, options.episodes) for head, env in columns.items()}
    print("| policy | " + " | ".join(columns) + " |")
    print("| --- " * (len(columns) + 1) + "|")
    first = {head: next(iter(results.values())) for head, results in found.items()}
    print("| mean completion time, h | " + " | ".join(f"{jct / 3600:.2f}" for jct, _ in first.values()) + " |")
    for place, policy in enumerate(policies):
        cells = [f"{list(found[head].values())[place][0] / first[head][0]:.3f}" for head in columns]
        print(f"| {policy} | " + " | ".join(cells) + " |")
    print("| bound | " + " | ".join(f"{bound / jct:.3f}" for jct, bound in first.values()) + " |")


if __name__ == "__main__":
    main()
