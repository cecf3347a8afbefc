#!/usr/bin/env python3
"""Trains the agents of a suite, twice if asked to, and keeps their scores and what they cost.

    scripts/record_agents.py agents-quick --twice       writes results/suite_agents_quick.json
    scripts/record_agents.py agents-v1 --out FOLDER     goes on with what is in a folder of results

A training of the second time has to end with the same figures as that of the first; if not, nothing is written.
The folder of a suite with its trained policies is too large for the tree; `park bench SUITE` makes it again.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import figures

PARK = figures.ROOT / "build/release/bin/park"


def trained(suite, out, workers):
    """The results of a suite in a folder; it goes on where it was stopped."""
    out.parent.mkdir(parents=True, exist_ok=True)
    more = ["--resume"] if (out / "results.json").exists() else []
    subprocess.run([PARK, "bench", suite, "--out", out, "--workers", workers, *more], check=True,
                   stdout=subprocess.DEVNULL, cwd=figures.ROOT)
    return json.loads((out / "results.json").read_bytes())


def same(first, second):
    """Whether two runs of a suite have the same figures; what they cost may differ."""
    def kept(results):
        agents = results["agents"]
        return [one["metrics"] for one in results["results"]], agents["standings"], agents["scores"]
    return kept(first) == kept(second)


def cell(estimate):
    """A value and its 95 % interval."""
    low, high = estimate["bootstrap95"]
    return f"{estimate['value']:.3f} [{low:.3f}, {high:.3f}]"


def over_all(agents):
    """The table of agents over all environments, the best mean first, with their cost."""
    costs = {one["agent"]: one for one in agents["costs"]}
    rows = []
    for one in sorted(agents["scores"], key=lambda one: -one["mean"]["value"]):
        cost = costs[one["agent"]]
        rows.append([one["agent"], str(len(one["environments"])), *(cell(one[name]) for name in
                    ("mean", "iqm", "median", "optimality_gap")), str(cost["trainings"]), str(cost["failed"]),
                     f"{cost['decisions'] / 1e6:.2f}", f"{cost['cpu_s'] / 60:.1f}"])
    return {"title": "All environments", "columns": ["agent", "environments", "mean", "IQM", "median", "optimality gap",
                                                     "trainings", "failed", "million decisions", "core-minutes"],
            "rows": rows}


def by_environment(agents, texts):
    """The mean score of each agent in each environment, of what was trained there."""
    names = [one["agent"] for one in agents["costs"]]
    means = {(one["environment"], one["agent"]): cell(one["mean"]) for one in agents["standings"]
             if one["environment"] == one["trained_on"]}
    rows = [[f"`{text}`", *(means.get((env, name), "-") for name in names)] for env, text in enumerate(texts)]
    return {"title": "Mean score by environment", "columns": ["environment", *names], "rows": rows}


def matrices(agents, texts):
    """For each agent: trained on (rows), played on (columns); of suites with transfer."""
    found = []
    for name in (one["agent"] for one in agents["costs"]):
        means = {(one["trained_on"], one["environment"]): f"{one['mean']['value']:.3f}" for one in agents["standings"]
                 if one["agent"] == name}
        if all(trained_on == played for trained_on, played in means):
            continue
        columns = sorted({played for _, played in means})
        found.append({"title": f"{name}: trained on a row's environment, played on a column's", "folded": True,
                      "columns": ["trained on", *(f"{k + 1}" for k in columns)],
                      "rows": [[f"{row + 1}: `{texts[row]}`", *(means.get((row, k), "-") for k in columns)]
                               for row in columns]})
    return found


def main():
    """Trains, compares and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite")
    parser.add_argument("--twice", action="store_true", help="train all again and compare")
    parser.add_argument("--workers", default="2", help="trainings side by side")
    parser.add_argument("--out", type=Path, help="folder of the results (default: build/suites/SUITE)")
    arguments = parser.parse_args()
    out = (arguments.out or figures.ROOT / "build/suites" / arguments.suite).resolve()
    results = trained(arguments.suite, out, arguments.workers)
    agents, suite = results["agents"], results["suite"]
    if arguments.twice and not same(results, trained(arguments.suite, out.with_name(out.name + "-again"),
                                                     arguments.workers)):
        sys.exit("error: --twice: the second time gave other figures")
    texts = list(dict.fromkeys(one["env"] for one in results["results"]))
    budget = suite["training"]
    seconds = sum(one["cpu_s"] for one in agents["costs"])
    notes = [f"{budget['decisions']} decisions and {budget['seeds']} seeds for each agent in each environment; all "
             f"trainings together took {seconds / 60:.1f} core-minutes",
             "score: 0 is random, 1 the best tuned heuristic; intervals are those of rliable, over trainings",
             *(["everything was trained a second time, with the same figures"] if arguments.twice else []),
             *(f"{one['agent']} does not fit `{texts[one['environment']]}`: {one['reason']}" for one in agents["unfit"])]
    figures.write(figures.ROOT / f"results/suite_{suite['name'].replace('-', '_')}.json", f"Suite {suite['name']}",
                  figures.command(), [], notes, [over_all(agents), by_environment(agents, texts),
                                                 *matrices(agents, texts)],
                  measured=results["manifest"]["host"]["commit"])


if __name__ == "__main__":
    main()
