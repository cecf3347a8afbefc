#!/usr/bin/env python3
"""Distils a policy to trees of several sizes and compares them with their teacher and with heuristics.

    measure_trees.py batch    makes build/trees/batch-LEAVES-SEED.tree and results/trees_batch.json

Trees are fitted on training inputs, their rounds are chosen on validation inputs, and all policies are compared
on the same held-out episodes. A tree that is there already is not made again; remove build/trees to begin anew.
Settings whose data is not there are skipped.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "learning")]
import measure_learning as learning  # noqa: E402
import settings as learning_settings  # noqa: E402
from intervals import mean_ratio, ratio_cell  # noqa: E402

figures = learning.figures
FOLDER = figures.ROOT / "build/trees"


def distilled(name, setting, leaves, seed):
    """The file of a tree and what `park distill` said of it."""
    tree = FOLDER / f"{name}-{leaves}-{seed}.tree"
    report = tree.with_suffix(".json")
    if not report.exists():
        words = setting.command(leaves, seed, str(tree.relative_to(figures.ROOT)))
        report.write_text(json.dumps(learning.park(*words)), encoding="utf-8")
        print(f"{tree.name}", flush=True)
    return tree, json.loads(report.read_text(encoding="utf-8"))


def agreement_rows(reports):
    """How often trees choose as their teacher, over the seeds of a size: means of shares."""
    rows = []
    for leaves, of_seeds in reports.items():
        for head in of_seeds[0]["agreement"]:
            for kind in ("ruled", "free"):
                found = [one[kind] for report in of_seeds for one in report["agreement"]
                         if one["head"] == head["head"] and one[kind]["decisions"]]
                if found:
                    rows.append([str(leaves), head["head"], kind,
                                 *(f"{sum(one[key] for one in found) / len(found):.3f}"
                                   for key in ("first", "first_three"))])
    return rows


def with_interval(found):
    """A share that `park explain` gives, as a table has it."""
    low, high = found["bootstrap95"]
    return f"{found['value']:.3f} [{low:.3f}, {high:.3f}]"


def explained_rows(setting):
    """What the teacher decides by on training inputs, as `park explain` says: levels with referred elements."""
    said = learning.park("explain", setting.env, "--policy", setting.teacher, "--episodes",
                         str(setting.test_episodes))
    rows = []
    for level in (level for head in said["heads"] for level in head["levels"] if level["forest"]):
        rows += [[level["level"], f"gain ratio of {one['leaf']}", with_interval(one)] for one in level["gain_ratios"]]
        for episodes in ("seen", "unseen"):
            rows += [[level["level"], f"the forest's first {first} hold the choice, {episodes} episodes",
                      with_interval(one)] for first, one in enumerate(level["forest"][episodes], 1)]
    return rows


def measure(name, experiment):
    """Writes the tables of a setting."""
    setting = experiment.setting
    FOLDER.mkdir(parents=True, exist_ok=True)
    trees = {leaves: [distilled(name, setting, leaves, seed) for seed in range(1, setting.seeds + 1)]
             for leaves in setting.leaves}
    texts = {leaves: [f"tree(file={tree.relative_to(figures.ROOT)})" for tree, _ in made]
             for leaves, made in trees.items()}
    policies = [setting.teacher, *setting.heuristics, *(text for of in texts.values() for text in of)]
    played = learning.park("run", setting.env, "--policy", ",".join(policies),
                           "--episodes", str(setting.test_episodes))["results"]
    metric = next(iter(played[0]["metrics"]))
    values = {policy: [one["per_episode"][metric]] for policy, one in zip(policies, played, strict=True)}
    references = [values[setting.teacher], values[setting.heuristics[0]]]
    columns = ["policy", metric, "to the teacher", f"to {setting.heuristics[0]}"]
    rows = [[policy, learning.figure(values[policy]), *(ratio_cell(values[policy], other, 4) for other in references)]
            for policy in (setting.teacher, *setting.heuristics)]
    for leaves, of in texts.items():
        some = [values[text][0] for text in of]
        rows.append([f"{leaves} leaves, all {len(of)} seeds", learning.figure(some),
                     *(ratio_cell(some, other, 4) for other in references)])
    single = [[text, learning.figure(values[text]),
               *(f"{mean_ratio(values[text], other):.4f}" for other in references)]
              for of in texts.values() for text in of]
    shown = learning_settings.shown(setting.command("LEAVES", "SEED", "FILE"))
    notes = [f"trees: `{shown}`",
             f"{setting.test_episodes} held-out episodes of `{setting.env}`, the same for all; heuristics with the "
             "fields of the suites; intervals are of 95 %, Student's t over seeds and over paired episodes",
             *setting.notes]
    explained = explained_rows(setting)
    figures.write(figures.ROOT / f"results/trees_{name}.json", setting.title,
                  f"experiments/trees/measure_trees.py {name}", [], notes,
                  [{"title": "", "columns": columns, "rows": rows},
                   *([{"title": "What the teacher decides by (`park explain`, intervals by the bootstrap)",
                       "columns": ["level", "figure", "share"], "rows": explained}] if explained else []),
                   {"title": "Agreement with the teacher, in the states of the last round", "folded": True,
                    "columns": ["leaves", "head", "decisions", "first choice", "one of the first three"],
                    "rows": agreement_rows({leaves: [said for _, said in made] for leaves, made in trees.items()})},
                   {"title": learning.SINGLE, "folded": True, "columns": columns, "rows": single}],
                  page=experiment.environment)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    experiments = learning_settings.experiments("trees")
    parser.add_argument("setting", choices=experiments)
    arguments = parser.parse_args()
    experiment = experiments[arguments.setting]
    if not learning.is_ready(experiment):
        return 0
    try:
        measure(arguments.setting, experiment)
    except subprocess.CalledProcessError as error:
        raise SystemExit(error.stderr) from error
    return 0


if __name__ == "__main__":
    sys.exit(main())
