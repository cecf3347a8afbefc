#!/usr/bin/env python3
"""Compares policies of region_assignment with the bounds of bounds.json.

    experiments/region_assignment/measure_headroom.py    writes results/headroom_region_assignment.json

Needs no solver. A figure is total_cost / bound, the mean over the episodes of the suite. The headroom is
that of the best rule, minus 1. Bounds are refused where the generator draws other inputs than they
belong to.
"""

import json
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import headroom_tables as headroom  # noqa: E402

FOLDER = headroom.figures.ROOT / "park/envs/region_assignment"


def check_inputs(solved, seed):
    """Ends the program where the bounds are those of other inputs."""
    with tempfile.TemporaryDirectory() as folder:
        report = headroom.park("data", "accounts", "hindsight", solved["env"], "--seed", seed, "--episodes",
                               len(solved["bound"]), "--out", folder)
    if report["inputs_sha256"] != solved["inputs_sha256"]:
        sys.exit(f"{solved['env']}: the bounds belong to other inputs; solve_bounds.py solves them again")


def ratios(of, bounds):
    """total_cost / bound of each episode."""
    return [cost / bound for cost, bound in zip(of["total_cost"], bounds, strict=True)]


def rows(env, solved, seed):
    """A row for each policy, the best first, and one with the headroom of the best rule."""
    played = headroom.play(solved["env"], env["baselines"], env["episodes"], seed)
    found = {policy: ratios(of, solved["bound"]) for policy, of in played.items()}
    order = sorted(found, key=lambda policy: statistics.fmean(found[policy]))
    best = statistics.fmean(found[order[0]])
    print(f"{solved['env']}: {best:.3f} ({order[0]})", flush=True)
    return [[solved["env"], policy,
             headroom.figures.plus_minus(statistics.fmean(found[policy]),
                                         1.96 * statistics.stdev(found[policy]) / len(found[policy]) ** 0.5),
             f"{statistics.fmean(played[policy]['rejected']):.1f}",
             headroom.cell(best, 1) if policy == order[0] else ""] for policy in order]


def main():
    headroom.start(__doc__)
    suite = json.loads((FOLDER / "suite.json").read_text(encoding="utf-8"))
    bounds = json.loads((FOLDER / "bounds.json").read_text(encoding="utf-8"))
    table = []
    for env, solved in zip(suite["environments"], bounds["environments"], strict=True):
        check_inputs(solved, bounds["seed"])
        table += rows(env, solved, bounds["seed"])
    headroom.write("region_assignment", "Headroom of assignments", [
        "total_cost / bound, the mean over the episodes of the suite `region` with 95 % intervals",
        "bound: the linear program that knows every arrival and departure (HiGHS, bounds.json); it is no target"],
        [{"title": "", "columns": ["environment", "policy", "total_cost / bound", "accounts rejected", "headroom"],
          "rows": table}])


if __name__ == "__main__":
    main()
