#!/usr/bin/env python3
"""Solves the episodes of the suite of region_assignment in hindsight and writes bounds.json.

    python3 -m venv build/venv && build/venv/bin/pip install -r experiments/region_assignment/requirements.txt
    build/venv/bin/python experiments/region_assignment/solve_bounds.py --park build/release/bin/park

Park writes each episode as a linear program (`park data accounts hindsight`), and HiGHS solves it. The
optimum is a lower bound on total_cost of every policy. Playing needs no solver: the bounds are kept
with the checksum of the inputs that they belong to. With --integer the programs are solved in whole
numbers too, and the means of both are printed; nothing is written.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import highspy
except ImportError:  # the help needs no solver
    highspy = None

ROOT = Path(__file__).resolve().parents[2]
SUITE = ROOT / "park/envs/region_assignment/suite.json"
BOUNDS = ROOT / "park/envs/region_assignment/bounds.json"


def text_of(env):
    """The text of an environment of a suite."""
    fields = ",".join(f"{name}={value}" for name, value in env["config"].items() if value != "")
    return f"{env['env']}({fields})"


def write_programs(park, env, seed, episodes, folder):
    """Has Park write the programs of the first episodes; returns its report."""
    words = [park, "data", "accounts", "hindsight", env, "--seed", str(seed), "--episodes", str(episodes),
             "--out", folder, "--json"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True, cwd=ROOT).stdout)


def solve(path, integer=False, gap=1e-4, time_limit_s=60):
    """The optimum of a program, or the best integer solution and its bound."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("mip_rel_gap", gap)
    solver.setOptionValue("time_limit", float(time_limit_s))
    solver.readModel(str(path))
    if integer:
        count = solver.getNumCol()
        kinds = [highspy.HighsVarType.kInteger] * count
        solver.changeColsIntegrality(count, list(range(count)), kinds)
    solver.run()
    info = solver.getInfo()
    if not integer and solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        sys.exit(f"{path}: {solver.modelStatusToString(solver.getModelStatus())}")
    return info.objective_function_value, info.mip_dual_bound if integer else info.objective_function_value


def bounds_of(arguments, env, seed, episodes):
    """The report of Park and the optimum of each episode."""
    with tempfile.TemporaryDirectory() as folder:
        report = write_programs(arguments.park, env, seed, episodes, folder)
        paths = [Path(folder) / f"episode-{k}.mps" for k in range(episodes)]
        found = [solve(path)[0] for path in paths]
        if arguments.integer:
            whole = [solve(path, integer=True, time_limit_s=arguments.limit_s) for path in paths]
            ratios = [lp / ip for lp, (ip, _) in zip(found, whole)]
            print(f"{env}: LP / ILP {statistics.fmean(ratios):.5f}, least {min(ratios):.5f}; open gap "
                  f"{statistics.fmean(1 - low / ip for ip, low in whole):.5f}", flush=True)
            report["ilp"] = [ip for ip, _ in whole]
    report["bound"] = found
    return report


def costs_of(park, env, policies, seed, episodes):
    """total_cost of every episode, by policy."""
    words = [park, "run", env, "--policy", ",".join(policies), "--episodes", str(episodes), "--seed", str(seed),
             "--json", "--quiet"]
    done = subprocess.run(words, check=True, capture_output=True, text=True, cwd=ROOT)
    return {one["policy"]: one["per_episode"]["total_cost"] for one in json.loads(done.stdout)["results"]}


def compare(arguments):
    """Policies against the integer optimum, in the static problem."""
    policies = ["cheapest", "exponential_price", "learned_prices", "random"]
    print("load", *policies)
    for load in arguments.loads:
        env = f"region_assignment(accounts=200,lifetimes=permanent,load={load})"
        report = bounds_of(arguments, env, arguments.seed, arguments.episodes)
        found = costs_of(arguments.park, env, policies, arguments.seed, arguments.episodes)
        print(load, *(f"{statistics.fmean(c / ip for c, ip in zip(costs, report['ilp'])):.4f}"
                      for costs in found.values()), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--park", default="build/release/bin/park", help="the program")
    parser.add_argument("--integer", action="store_true", help="the static problem in whole numbers; writes nothing")
    parser.add_argument("--loads", type=float, nargs="*", default=[0.6, 0.75, 0.85, 0.92], help="of --integer")
    parser.add_argument("--episodes", type=int, default=24, help="of --integer")
    parser.add_argument("--seed", type=int, default=1, help="of --integer")
    parser.add_argument("--limit-s", type=float, default=60, help="of each whole-number program")
    arguments = parser.parse_args()
    if highspy is None:
        sys.exit("solve_bounds: there is no highspy; see --help")
    if arguments.integer:
        compare(arguments)
        return
    suite = json.loads(SUITE.read_text())
    solved = []
    for env in suite["environments"]:
        report = bounds_of(arguments, text_of(env), suite["seed"], env["episodes"])
        solved.append({name: report[name] for name in ("env", "inputs_sha256", "bound")})
    BOUNDS.write_text(json.dumps({"suite": suite["name"], "seed": suite["seed"],
                                  "solver": f"highspy {highspy.Highs().version()}",
                                  "environments": solved}, indent=1) + "\n")


if __name__ == "__main__":
    main()
