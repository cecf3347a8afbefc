#!/usr/bin/env python3
"""Compares a running server of models with its simulation.

    experiments/dl_inference/compare_twin.py                    writes results/inference_twin.json
    experiments/dl_inference/compare_twin.py --episodes 3       for a look
    experiments/dl_inference/compare_twin.py --folder FOLDER    keeps its files there and goes on with them

It measures the latencies of the four models, trains a policy on them, and plays the same requests on the server and in
the simulator. Policies are in random order. Wants an otherwise idle machine for a quarter of an hour. Needs
build/release/bin/park.
"""

import argparse
import json
import random
import shutil
import statistics
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "learning")]
from intervals import mean_ratio, ratio_interval  # noqa: E402
from park_runs import figures, park, working_folder  # noqa: E402

LOADS = (0.3, 0.6)
HEURISTICS = ("rr", "aged")
# Small steps: after the imitation those of a default ppo lose what it has learned.
TRAINING = ("--algo", "ppo(learning_rate=1e-4,entropy=0)", "--net", "scorer", "--imitate", "aged", "--imitate-iterations",
            "6", "--iterations", "12")
METRIC = "macro_slowdown"


def once(path, make):
    """What a file holds as JSON; makes it where it is not there."""
    if not path.exists():
        content = make()
        path.write_text(json.dumps(content), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


def trained(folder, table):
    """A policy for loads between those of the comparison."""
    run = folder / "trained"
    if not (folder / "trained.json").exists():
        shutil.rmtree(run, ignore_errors=True)
    once(folder / "trained.json",
         lambda: park("train", simulated(table, 0.45), *TRAINING, "--seed", 1, "--out", run))
    return run


def simulated(table, load):
    return f'dl_inference(apps=table,table="{table}",load={load})'


def live(table, load):
    return f'dl_inference_live(table="{table}",load={load})'


def play(env, policy, episodes):
    """Slowdowns of the episodes, and the batches that the server's own rule chose."""
    result = park("run", env, "--policy", policy, "--episodes", episodes)["results"][0]
    own = result["per_episode"].get("own_rule_batches", [0])
    return {"slowdown": result["per_episode"][METRIC], "own": sum(own)}


def compared(arguments, folder, table, load, policies):
    """A row for each policy, the best on the server first."""
    found = {}
    for name in random.Random(load).sample(list(policies), len(policies)):
        print(f"load {load}, {name}", flush=True)
        found[name] = [once(folder / f"{kind}-{load}-{name}.json",
                            lambda env=env, name=name: play(env, policies[name], arguments.episodes))
                       for kind, env in (("live", live(table, load)), ("simulated", simulated(table, load)))]
    rows = []
    for name in sorted(found, key=lambda name: statistics.fmean(found[name][0]["slowdown"])):
        real, model = ([one["slowdown"]] for one in found[name])
        low, high = ratio_interval(real, model)
        rows.append([str(load), name, f"{statistics.fmean(real[0]):.3f}", f"{statistics.fmean(model[0]):.3f}",
                     f"{mean_ratio(real, model):.3f} [{low:.3f}, {high:.3f}]", str(int(found[name][0]["own"]))])
    return rows


def same_order(rows):
    """Whether the simulator has the policies in the order in which the server has them."""
    values = [float(row[3]) for row in rows]
    return values == sorted(values)


def measure(arguments, folder):
    table = folder / "latencies.csv"
    profile = once(folder / "profile.json", lambda: park("infer", "profile", "dl_inference_live", "--table", table))
    policies = {name: name for name in HEURISTICS} | {"trained": trained(folder, table)}
    tables = [compared(arguments, folder, table, load, policies) for load in LOADS]
    order = [f"load {load}: the simulator has the policies in {'the same' if same_order(rows) else 'another'} order"
             for load, rows in zip(LOADS, tables, strict=True)]
    figures.write(
        figures.ROOT / "results/inference_twin.json", "A running server of models and its simulation",
        figures.command(), [],
        [f"{METRIC} of {arguments.episodes} episodes of 5 s, the same requests for both; the ratio is server / simulator "
         "with its 95 % interval, paired by episode",
         "asked: ratios within 15 %, the same order of the policies", *order,
         "the table has the latency of a batch in the model alone, and not what a request takes to the server and back",
         f"trained: `park train ENV {' '.join(TRAINING)} --seed 1` at the load 0.45",
         "own rule: batches that the server chose itself, because the policy was late",
         *profile.get("warnings", [])],
        [{"title": "", "columns": ["load", "policy", "server", "simulator", "ratio", "own rule"],
          "rows": [row for rows in tables for row in rows]}], page="dl_inference")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with working_folder(arguments.folder, "park-inference-twin-") as folder:
        measure(arguments, folder)


if __name__ == "__main__":
    main()
