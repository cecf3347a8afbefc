#!/usr/bin/env python3
"""Plays one simulator of others from a checkout; prints a JSON object per episode. Called by
compare_neighbours.py with the Python of build/neighbours.

    simulators.py spark-sched-sim PATH --executors N --jobs N --interval-s S     in a folder with data/tpch

Reads seeds from standard input, one per line. Times are processor time.
"""

import argparse
import json
import sys
import time
import types
from pathlib import Path


def spark_sched_sim(arguments):
    """Its environment under its fair scheduler; a function of a seed."""
    sys.path.insert(0, str(arguments.path))
    package = types.ModuleType("schedulers")  # the package and the base class of networks need PyTorch
    package.__path__ = [str(arguments.path / "schedulers")]
    base = types.ModuleType("schedulers.scheduler")
    base.Scheduler = object
    sys.modules.update({"schedulers": package, "schedulers.scheduler": base})
    from schedulers.heuristics.round_robin import RoundRobinScheduler
    from spark_sched_sim import metrics
    from spark_sched_sim.spark_sched_sim import SparkSchedSimEnv
    env = SparkSchedSimEnv({"num_executors": arguments.executors, "job_arrival_cap": arguments.jobs,
                            "job_arrival_rate": 1e-3 / arguments.interval_s, "moving_delay": 2000.0,
                            "warmup_delay": 1000.0, "data_sampler_cls": "TPCHDataSampler"})
    scheduler = RoundRobinScheduler(arguments.executors, dynamic_partition=True)

    def play(seed):
        start, decisions, over = time.process_time(), 0, False
        observation, _ = env.reset(seed=seed, options={"time_limit": float("inf")})
        while not over:
            action, _ = scheduler.schedule(observation)
            observation, _, terminated, truncated, _ = env.step(action)
            decisions, over = decisions + 1, terminated or truncated
        return {"decisions": decisions, "time_s": time.process_time() - start,
                "avg_jct_s": metrics.avg_job_duration(env) / 1000}
    return play


SIMULATORS = {"spark-sched-sim": spark_sched_sim}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("simulator", choices=SIMULATORS)
    parser.add_argument("path", type=Path)
    parser.add_argument("--executors", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=50)
    parser.add_argument("--interval-s", type=float, default=25)
    arguments = parser.parse_args()
    out, sys.stdout = sys.stdout, sys.stderr  # what a simulator prints is no answer
    play = SIMULATORS[arguments.simulator](arguments)
    for line in sys.stdin:
        print(json.dumps(play(int(line))), file=out, flush=True)


if __name__ == "__main__":
    main()
