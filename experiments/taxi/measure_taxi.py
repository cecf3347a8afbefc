#!/usr/bin/env python3
"""Park's ppo learns Taxi of Gymnasium, which Python serves: the number of a state is a category.

    measure_taxi.py PARK [--seeds 5] [--at-once 1] [--wall 8m] [--out results/taxi.json]

PARK is the command `park`; the Python is one that has park_sdk and gymnasium. Each seed trains on its own and
plays 200 episodes that training has not seen. Core-minutes are those of the trainer and of the server
together. Exit status 0 where every mean return is at least 6 and no run took more than 20 core-minutes.
"""

import argparse
import concurrent.futures
import json
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))
import figures  # noqa: E402  (of this checkout)

TARGET, MOST_CORE_MINUTES, EPISODES = 6, 20, 200
ALGORITHM = (
    "ppo(sequences=64,rollouts=1,slots=64,minibatch=256,epochs=4,learning_rate=0.002,"
    "discount_rate=0.02,entropy=0.02)"
)
BASELINE = "value(epochs=4,minibatch=256)"
NETWORK = "mlp"


def newest_taxi():
    """The newest version that the installed Gymnasium has, and the version of Gymnasium."""
    import gymnasium

    return max(name for name in gymnasium.registry if name.startswith("Taxi-v")), gymnasium.__version__


def park(binary, *words):
    """What the command prints as JSON."""
    done = subprocess.run([binary, *words, "--json", "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def core_s():
    """CPU seconds of this process, which serves, and of the commands that it has run."""
    return sum(resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime
               for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def measured(binary, env_id, seed, wall):
    """Trains one seed and plays it: return, core-minutes, seconds, decisions."""
    import park_sdk

    with tempfile.TemporaryDirectory() as folder, park_sdk.serve_env(
        env_id, endpoint=f"ipc://{folder}/socket"
    ) as server:
        env = f'remote(endpoint="{server.endpoint}")'
        begin, begin_core = time.monotonic(), core_s()
        trained = park(binary, "train", env, "--algo", ALGORITHM, "--baseline", BASELINE, "--net", NETWORK,
                       "--wall", wall, "--seed", str(seed), "--validate-every", "25%",
                       "--validation-episodes", "20", "--out", f"{folder}/run")
        took, core_minutes = time.monotonic() - begin, (core_s() - begin_core) / 60
        played = park(binary, "run", env, "--policy", f"{folder}/run", "--episodes", str(EPISODES))
    mean = played["results"][0]["metrics"]["episode_return"]["mean"]
    found = {"seed": seed, "mean_return": mean, "core_minutes": core_minutes, "wall_s": took,
             "decisions": trained["decisions"]}
    print(json.dumps(found), flush=True)
    return found


def write(path, env_id, version, wall, runs):
    def figure(name, unit, member, doc):
        return figures.figure(name, unit, [run[member] for run in runs], doc)

    figures.write(
        path, f"ppo in C++ on {env_id} of Gymnasium, served from Python",
        figures.command({sys.argv[1]: "PARK"}),
        [figure("mean return", "1", "mean_return",
                f"of {EPISODES} episodes that training has not seen, a run per seed; the aim: {TARGET}"),
         figure("core-minutes", "min", "core_minutes",
                f"of trainer and server, training and validations; the aim: at most {MOST_CORE_MINUTES}"),
         figure("training", "s", "wall_s", f"with --wall {wall}"),
         figure("decisions", "1", "decisions", "of a training")],
        [f"`--algo '{ALGORITHM}' --baseline '{BASELINE}' --net {NETWORK}`; Gymnasium {version}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("park")
    parser.add_argument("--seeds", type=int, default=5, help="how many trainings (default 5)")
    parser.add_argument("--at-once", type=int, default=1, help="trainings at a time (default 1)")
    parser.add_argument("--wall", default="8m", help="time of a training on the clock (default 8m)")
    parser.add_argument("--out", help="write the figures to this file")
    args = parser.parse_args()
    env_id, version = newest_taxi()
    # A process for each seed, so that what it used is its own.
    with concurrent.futures.ProcessPoolExecutor(args.at_once, multiprocessing.get_context("spawn"),
                                                max_tasks_per_child=1) as pool:
        started = [pool.submit(measured, args.park, env_id, seed, args.wall) for seed in range(1, args.seeds + 1)]
        runs = [one.result() for one in started]
    if args.out:
        write(args.out, env_id, version, args.wall, runs)
    good = all(run["mean_return"] >= TARGET and run["core_minutes"] <= MOST_CORE_MINUTES for run in runs)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
