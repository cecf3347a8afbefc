#!/usr/bin/env python3
"""Compares the heuristics of dl_inference with round robin and prints the tables of its README.

    experiments/dl_inference/measure_rivals.py --park build/release/bin/park
    experiments/dl_inference/measure_rivals.py --bursts burst_times=fixed,burst_together=true

The figure is the mean macro slowdown over the episodes, relative to rr without a timeout on the same
episodes. Timeouts of rr are the best of a few. With --all every heuristic is played as it is without fields.
"""

import argparse
import json
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIMEOUTS = [0.002, 0.005, 0.01, 0.02, 0.04, 0.08]
SETTINGS = [
    ("equal", "equal", "poisson"),
    ("equal", "equal", "bursts"),
    ("mild", "equal", "poisson"),
    ("mild", "equal", "bursts"),
    ("mild", "equal_load", "poisson"),
    ("hetero", "equal", "poisson"),
    ("hetero", "equal", "bursts"),
    ("cpu", "equal", "poisson"),
]
RIVALS = ["lowest_util", "sfq", "max_slowdown", "aged"]
OTHERS = ["index", "edf", "least_slack", "wspt", "clipper", "clockwork", "nexus", "triton"]
BASE = "rr"


def text_of(apps, rates, arrivals, load, more):
    """The environment of a setting."""
    fields = f"apps={apps},rates={rates},arrivals={arrivals},load={load}"
    return f"dl_inference({fields}{',' + more if more else ''})"


def slowdowns(arguments, env, policies):
    """Mean macro slowdown over the episodes, by policy."""
    words = [arguments.park, "run", env, "--policy", ",".join(policies), "--episodes", str(arguments.episodes),
             "--seed", str(arguments.seed), "--json", "--quiet"]
    done = subprocess.run(words, check=True, capture_output=True, text=True, cwd=ROOT)
    return {one["policy"]: statistics.fmean(one["per_episode"]["macro_slowdown"])
            for one in json.loads(done.stdout)["results"]}


def row(arguments, setting, load, rivals):
    """A line of the table."""
    apps, rates, arrivals = setting
    env = text_of(apps, rates, arrivals, load, arguments.bursts if arrivals == "bursts" else "")
    timeouts = [f"{BASE}(timeout_s={t:g})" for t in TIMEOUTS]
    found = slowdowns(arguments, env, [BASE, *timeouts, *rivals])
    base = found[BASE]
    cells = [min(found[t] for t in timeouts), *(found[policy] for policy in rivals)]
    name = f"{apps}, {arrivals}" + (", equal load" if rates == "equal_load" else "")
    return f"| {name} | {load} | {base:.3g} | " + " | ".join(f"{cell / base:.2f}" for cell in cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--park", default="build/release/bin/park", help="the program")
    parser.add_argument("--episodes", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--loads", type=float, nargs="*", default=[0.5, 0.8])
    parser.add_argument("--bursts", default="", help="fields of settings with bursts")
    parser.add_argument("--all", action="store_true", help="the other heuristics instead")
    arguments = parser.parse_args()
    rivals = OTHERS if arguments.all else RIVALS
    columns = ["setting", "load", "rr", "rr, best timeout > 0", *rivals]
    print("| " + " | ".join(columns) + " |\n|" + " --- |" * len(columns))
    for setting in SETTINGS:
        for load in arguments.loads:
            print(row(arguments, setting, load, rivals), flush=True)


if __name__ == "__main__":
    main()
