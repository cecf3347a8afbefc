#!/usr/bin/env python3
"""Compares a running cluster of training jobs with its simulation.

    experiments/dl_cluster/compare_twin.py                    writes results/cluster_twin.json
    experiments/dl_cluster/compare_twin.py --episodes 1       for a look
    experiments/dl_cluster/compare_twin.py --folder FOLDER    keeps its files there and goes on with them

It measures the speeds of the jobs, plays the same jobs on the cluster and in the simulator, and tells the simulator what a
change of a grant took on the cluster. Wants an otherwise idle machine. Needs build/release/bin/park.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from park_runs import figures, park, working_folder  # noqa: E402

CORES = 2  # no more than this machine has
POLICIES = ("equal_share", "srsf", "marginal_goodput")
JOBS = "jobs=12,span_s=7200,most_work_s=1800"
METRIC = "avg_jct_s"


def play(env, policy, episodes, path):
    """Figures of the episodes by metric; from the file where it is there."""
    if not path.exists():
        print(path.stem, flush=True)
        result = park("run", env, "--policy", policy, "--episodes", episodes)["results"][0]["per_episode"]
        path.write_text(json.dumps(result), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


def row(arguments, folder, table, policy):
    """Completion times of a policy on the cluster and in the simulator."""
    live = play(f'dl_cluster_live(cores={CORES},{JOBS},table="{table}")', policy, arguments.episodes,
                folder / f"live-{policy}.json")
    change_s = round(statistics.fmean(live["change_s"]), 1)
    simulated = play(f"dl_cluster(model=allreduce,nodes=1,node_gpus={CORES},max_gpus={CORES},ladder=all,{JOBS},"
                     f'change_s={change_s},table="{table}")', policy, arguments.episodes,
                     folder / f"simulated-{policy}.json")
    means = [statistics.fmean(of[METRIC]) for of in (live, simulated)]
    return [policy, *(f"{mean:.0f}" for mean in means), f"{means[0] / means[1]:.3f}", f"{change_s:.1f}",
            f"{statistics.fmean(live['changes_per_job']):.2f}", f"{statistics.fmean(simulated['changes_per_job']):.2f}",
            f"{sum(live['failures']):.0f}", f"{sum(live['fallbacks']):.0f}"]


def measure(arguments, folder):
    table = folder / "ring.csv"
    if not table.exists():
        park("cluster", "profile", "--exchange", "ring", "--out", table)
    figures.write(
        figures.ROOT / "results/cluster_twin.json", "A running cluster of training jobs and its simulation",
        figures.command(), [],
        [f"{METRIC} on the clock of the cluster, which runs 60 times as fast as real time: means of {arguments.episodes} "
         f"episodes of 12 jobs on {CORES} cores, the same jobs for both",
         "asked: a mean within 20 % of the simulator's",
         "the simulator's change_s is what a change took on the cluster, so that fields differ by policy"],
        [{"title": "", "columns": ["policy", "cluster (s)", "simulator (s)", "cluster / simulator", "change (s)",
                                   "changes per job", "simulated", "failures", "late decisions"],
          "rows": [row(arguments, folder, table, policy) for policy in POLICIES]}], page="dl_cluster")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with working_folder(arguments.folder, "park-cluster-twin-") as folder:
        measure(arguments, folder)


if __name__ == "__main__":
    main()
