#!/usr/bin/env python3
"""Compares a running server of models with its simulation.

    experiments/dl_inference/compare_twin.py                    writes results/inference_twin.json
    experiments/dl_inference/compare_twin.py --episodes 3       for a look
    experiments/dl_inference/compare_twin.py --folder FOLDER    keeps its files there and goes on with them

It measures the latencies of the four models and trains a policy on them. The server has the policy in its own
process, as `park infer serve --policy` does. At a low load it shows what a decision of each policy takes and what the
ways take. The simulator gets these figures, and both play the same requests at higher loads. Policies take turns.
Wants an otherwise idle machine for a quarter of an hour. Needs build/release/bin/park.
"""

import argparse
import itertools
import json
import math
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "learning")]
from intervals import mean_ratio, ratio_interval  # noqa: E402
from park_runs import PARK, figures, park, working_folder  # noqa: E402

LOADS = (0.3, 0.6)
LOW_LOAD, LOW_SEED = 0.1, 1001  # of the requests that show what decisions and ways take
WAYS = ("dispatch_s", "network_s")
HEURISTICS = ("rr", "aged")
# Small steps: after the imitation those of a default ppo lose what it has learned.
TRAINING = ("--algo", "ppo(learning_rate=1e-4,entropy=0)", "--net", "scorer", "--imitate", "aged", "--imitate-iterations",
            "6", "--iterations", "12")
METRIC = "macro_slowdown"
DURATION_S = 5
START_S = 30  # longest wait for a server to begin or end


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


def simulated(table, load, ways=None):
    more = "".join(f",{name}={seconds:.6f}" for name, seconds in (ways or {}).items())
    return f'dl_inference(apps=table,table="{table}",load={load},duration_s={DURATION_S}{more})'


def live(table, load):
    return f'dl_inference_live(table="{table}",load={load},duration_s={DURATION_S})'


def simulate(env, policy, seed):
    """An episode in the simulator, by metric."""
    return only(park("run", env, "--policy", policy, "--episodes", 1, "--seed", seed))


def serve(env, policy, seed):
    """The same requests to a server with the policy in its process, by metric."""
    with tempfile.TemporaryDirectory() as private:
        endpoint = f"ipc://{private}/requests"
        server = subprocess.Popen([str(PARK), "infer", "serve", env, "--policy", policy, "--endpoint", endpoint, "--quiet"],
                                  cwd=figures.ROOT)
        try:
            return only(park("infer", "load", env, "--endpoint", endpoint, "--seed", seed, "--wait", START_S))
        finally:
            end(server)


def end(server):
    """Ends the server, by force where it does not end by itself."""
    server.send_signal(signal.SIGINT)
    try:
        server.wait(START_S)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
        raise


def only(report):
    """The metrics of the only episode."""
    return {metric: values[0] for metric, values in report["results"][0]["per_episode"].items()}


def rounds(folder, name, play, env_of, policies, seeds):
    """Episodes of all policies, by metric: in each round one of each policy, in random order, since machines drift."""
    found = {policy: [] for policy in policies}
    for seed in seeds:
        print(f"{name}, round {seed}", flush=True)
        order = random.Random(seed).sample(list(policies), len(policies))
        played = once(folder / f"{name}-{seed}.json", lambda order=order, seed=seed: {
            policy: play(env_of(policy), policies[policy], seed) for policy in order})
        for policy, metrics in played.items():
            found[policy].append(metrics)
    return {policy: {metric: [one[metric] for one in all_rounds] for metric in all_rounds[0]}
            for policy, all_rounds in found.items()}


def ways_of(arguments, folder, table, policies):
    """What a decision of each policy takes, and what the ways take, of other requests at a low load."""
    played = rounds(folder, "ways", serve, lambda _: live(table, LOW_LOAD), policies,
                    range(LOW_SEED, LOW_SEED + arguments.episodes))
    return {policy: {way: statistics.fmean(found[way]) for way in WAYS} for policy, found in played.items()}


def order_note(load, server, simulator):
    """Whether the simulator has the policies in the order of the server, as far as that is beyond noise."""
    decided, same = 0, 0
    for some, other in itertools.combinations(server, 2):
        low, high = ratio_interval([server[some][METRIC]], [server[other][METRIC]])
        if low > 1 or high < 1:
            decided += 1
            same += (low > 1) == (statistics.fmean(simulator[some][METRIC]) > statistics.fmean(simulator[other][METRIC]))
    return (f"load {load}: {decided} of {math.comb(len(server), 2)} pairs of policies differ on the server (95 % interval of "
            f"the paired ratio), and {same} of them are in the same order in the simulator")


def compared(arguments, folder, table, load, policies, ways):
    """A row for each policy, the best on the server first, and a note on their order."""
    server, simulator, model_alone = (
        rounds(folder, f"{kind}-{load}", play, env_of, policies, range(1, 1 + arguments.episodes))
        for kind, play, env_of in (("live", serve, lambda _: live(table, load)),
                                   ("simulated", simulate, lambda name: simulated(table, load, ways[name])),
                                   ("model", simulate, lambda _: simulated(table, load))))
    rows = []
    for name in sorted(policies, key=lambda name: statistics.fmean(server[name][METRIC])):
        real, simulation, model = ([one[name][METRIC]] for one in (server, simulator, model_alone))
        low, high = ratio_interval(real, simulation)
        rows.append([str(load), name, *(f"{statistics.fmean(one[0]):.3f}" for one in (real, simulation)),
                     f"{mean_ratio(real, simulation):.3f} [{low:.3f}, {high:.3f}]", f"{mean_ratio(real, model):.3f}",
                     str(int(sum(server[name]["own_rule_batches"])))])
    return rows, order_note(load, server, simulator)


def ways_rows(ways):
    """A row for each policy, in milliseconds."""
    return [[name, *(f"{1e3 * seconds:.3f}" for seconds in of_policy.values())] for name, of_policy in ways.items()]


def measure(arguments, folder):
    table = folder / "latencies.csv"
    profile = once(folder / "profile.json", lambda: park("infer", "profile", "dl_inference_live", "--table", table))
    policies = {name: name for name in HEURISTICS} | {"trained": trained(folder, table)}
    ways = ways_of(arguments, folder, table, policies)
    tables, order = zip(*(compared(arguments, folder, table, load, policies, ways) for load in LOADS), strict=True)
    figures.write(
        figures.ROOT / "results/inference_twin.json", "A running server of models and its simulation",
        figures.command(), [],
        [f"{METRIC} of {arguments.episodes} episodes of {DURATION_S} s, the same requests for both; the ratio is server / "
         "simulator with its 95 % interval, paired by episode",
         "asked: ratios within 15 %, the same order of the policies", *order,
         "in each round one episode of each policy, in random order",
         f"what a decision takes (dispatch) and the ways of request and reply together (network) are measured on the "
         f"server at the load {LOW_LOAD} with other requests, and given to the simulator; the last but one column is the "
         "ratio without them",
         f"trained: `park train ENV {' '.join(TRAINING)} --seed 1` at the load 0.45",
         "own rule: batches that the server chose itself, because the policy was late",
         *profile.get("warnings", [])],
        [{"title": "", "columns": ["load", "policy", "server", "simulator", "ratio", "without ways", "own rule"],
          "rows": [row for rows in tables for row in rows]},
         {"title": "what decisions and ways take, in ms", "columns": ["policy", "dispatch", "network"],
          "rows": ways_rows(ways)}], page="dl_inference")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with working_folder(arguments.folder, "park-inference-twin-") as folder:
        measure(arguments, folder)


if __name__ == "__main__":
    main()
