#!/usr/bin/env python3
"""Compares the searches of `park tune` on the environments of the bundled suites: one descent, descents
from several starts, and the whole grid.

    compare_searches.py [FILE...]      writes results/tuning_searches.json; without FILE for all suites

All searches play the same training episodes, so that the whole grid is never worse on them. The table
has the mean of each search's best there, and by how much the whole grid's best is better than the others
on held-out inputs, with the 95 % interval of the paired difference. Policies with one field are left
out: their grid is always tried whole.
"""

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import figures  # noqa: E402
import tune_suites  # noqa: E402

SEARCHES = {"one descent": ("--search", "descent", "--starts", "1"),
            "descents, 200 tries": ("--search", "descent", "--budget-evals", "200"),
            "whole grid": ("--search", "grid", "--budget-evals", "100000")}
COLUMNS = ["environment", "policy", "grid"] + [f"{name}: mean (tries)" for name in SEARCHES] + [
    "whole grid better than one descent, held out", "whole grid better than descents, held out"]


def several_fields(park, env, name):
    """Whether a policy has more than one field to tune."""
    fields = park.ask("describe", env)["policy_info"][name]["config"]
    return sum(1 for field in fields if field["tune"]) > 1


def found(park, env, name, words, episodes):
    """What a search finds, and its mean on the training episodes."""
    best = park.ask("tune", env, "--policy", name, "--episodes", str(episodes), *words)
    mean = next(trial["mean"] for trial in best["tried"] if trial["policy"] == best["best"])
    return best, mean


def better(park, env, old, new, arguments):
    """How much better the second one is on held-out inputs, as text."""
    if old["best"] == new["best"]:
        return "the same fields"
    mean, low, high = tune_suites.gain(park, env, old["best"], new["best"], arguments.held_out, new["metric"])
    return f"{mean:.3g} [{low:.3g}, {high:.3g}]" + (" +" if low > 0 else "")


def row(park, env, name, arguments):
    """The line of a policy on an environment of a suite."""
    tuning = env.get("tuning", {})
    text = tune_suites.env_text(env, tuning.get("training"))
    results = [found(park, text, name, words, arguments.episodes) for words in SEARCHES.values()]
    whole = results[-1][0]
    held_out = tune_suites.env_text(env, tuning.get("validation"))
    return [whole["env"], name, str(whole["tries"])] + [
        f"{mean:.4g} ({best['tries']})" for best, mean in results] + [
        better(park, held_out, best, whole, arguments) for best, _ in results[:-1]]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--park", default=str(ROOT / "build/release/bin/park"), help="the program")
    parser.add_argument("--episodes", type=int, default=40, help="training episodes of each try")
    parser.add_argument("--held-out", type=int, default=200, help="episodes of a comparison")
    parser.add_argument("--out", default=str(ROOT / "results/tuning_searches.json"), help="file")
    arguments = parser.parse_args()
    park, rows = tune_suites.Park(arguments.park), {}
    for path in arguments.files or tune_suites.suites():
        for env in json.loads(path.read_text(encoding="utf-8"))["environments"]:
            names = {tune_suites.name_of(policy) for policy in env["baselines"]}
            text = tune_suites.env_text(env)
            for name in sorted(names & park.tunable(text)):
                if (text, name) in rows or not several_fields(park, text, name):
                    continue
                rows[text, name] = row(park, env, name, arguments)
                print(" | ".join(rows[text, name]), file=sys.stderr, flush=True)
    figures.write(arguments.out, "Searches for the fields of heuristics", figures.command(), [],
                  [f"{arguments.episodes} training episodes of each try, {arguments.held_out} held-out episodes; "
                   "+: the whole grid's best is better with 95 % confidence"],
                  [{"title": "One descent, descents from several starts, and the whole grid", "columns": COLUMNS,
                    "rows": list(rows.values())}])


if __name__ == "__main__":
    main()
