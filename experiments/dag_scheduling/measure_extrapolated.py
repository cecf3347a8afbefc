#!/usr/bin/env python3
"""Prints the share of tasks whose durations are extrapolated: those that begin while their job holds more
executors than its workload was measured with, of the first episode of each policy.

    experiments/dag_scheduling/measure_extrapolated.py 'dag_scheduling(executors=50,jobs=20)' fair,fifo

Needs build/release. An executor is attached to a job from the end of its move there until it moves again or
the job is done (park/envs/dag_scheduling/README.md), which the timeline tells.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MEASURED = 2  # executors, of the bundled workload


def timelines(env, policies, seed):
    """The timeline of each policy."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "t.json"
        subprocess.run([ROOT / "build/release/bin/park", "run", env, "--policy", policies, "--episodes", "1",
                        "--seed", str(seed), "--timeline", file, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        return json.loads(file.read_text(encoding="utf-8"))["timelines"]


def events(timeline):
    """Times at which something changes, as (time, order, kind, executor, job, seconds): executors leave
    before others come, and those that have come count for the tasks that begin then."""
    found = []
    spans = timeline["spans"]
    for lane, start, end, job, target in zip(spans["lane"], spans["start_s"], spans["end_s"],
                                             spans["args"]["job"], spans["args"]["to_job"]):
        if job is None:
            found += [(start, 0, "leave", lane, None, 0), (end, 1, "join", lane, target, 0)]
        else:
            found.append((start, 2, "task", lane, job, end - start))
    return sorted(found, key=lambda event: event[:2])


def share(timeline):
    """The shares of tasks and of their seconds that begin above what was measured."""
    job_of, held = {}, defaultdict(int)
    counts, seconds = [0, 0], [0.0, 0.0]
    for _, _, kind, lane, job, took in events(timeline):
        if kind == "leave" and lane in job_of:
            held[job_of.pop(lane)] -= 1
        elif kind == "join" or (kind == "task" and job_of.get(lane) != job):
            if lane in job_of:
                held[job_of[lane]] -= 1
            job_of[lane] = job
            held[job] += 1
        if kind == "task":
            above = held[job] > MEASURED
            counts[above] += 1
            seconds[above] += took
    return counts[1] / sum(counts), seconds[1] / sum(seconds)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("env")
    parser.add_argument("policies")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for timeline in timelines(arguments.env, arguments.policies, arguments.seed):
        tasks, seconds = share(timeline)
        print(f"{timeline['policy']}: {100 * tasks:.1f} % of the tasks, {100 * seconds:.1f} % of their seconds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
