#!/usr/bin/env python3
"""Trains the policies of one setting and compares them with every heuristic.

    measure_learning.py batch --train     trains all seeds, two at a time
    measure_learning.py batch --keep      keeps the policies of its finished runs in results/policies
    measure_learning.py batch             tunes, plays, writes results/learning_batch.json
    plot_learning.py                      draws the curves of all settings

A training goes on where it was stopped (Ctrl-C): run the same command again. Heuristics are tuned on
training inputs, checkpoints are chosen on validation inputs, and all are compared on the same held-out
episodes. Settings whose data is not there are skipped. Runs that are not here are restored from
results/policies; runs that are not kept there have to be trained first. A table needs every seed, trained
to its end.
"""

import argparse
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import policies
import settings
from intervals import mean_ratio, ratio_cell

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import figures  # noqa: E402
import park_runs  # noqa: E402
import reference_data  # noqa: E402
from park_runs import is_trained, manifest  # noqa: E402

SINGLE = "Single seeds"
CURVE = ("iteration", "decisions", "cpu_s", "wall_s", "mean")


def park(*words):
    """What a command reports, with the paths of reference data."""
    return park_runs.park(*map(reference_data.resolved, words))


def command(*words):
    """A command of park, with the paths of reference data."""
    return [str(park_runs.PARK), *map(reference_data.resolved, words)]


def restored(folder):
    """The folder of a run, from what was kept of it where it is not there."""
    run = figures.ROOT / folder
    if not run.exists():
        policies.restore(run)
    return run


def train(training, seed):
    """Starts the run of a seed or goes on with it. A finished one may be what was kept of it, which cannot be resumed."""
    if training.init:
        restored(training.first(seed))
    restored(training.run(seed))
    if not is_trained(training.run(seed)):
        park_runs.train(training.run(seed), list(map(reference_data.resolved, training.command(seed))))


def keep(training):
    """Keeps the policies of the runs that are finished."""
    for seed in range(1, training.seeds + 1):
        run = figures.ROOT / training.run(seed)
        if not (run / "latest").exists():
            continue
        if is_trained(training.run(seed)):
            policies.keep(run)
            print(f"{run.name}: iteration {manifest(training.run(seed))['progress']['iteration']}")


def heuristics(setting):
    """Every heuristic, with the fields that are best on training inputs."""
    env, some = setting.tune_env or setting.env, setting.heuristics
    episodes = str(setting.tune_episodes)
    texts = [*some.fixed, *(park("tune", env, "--policy", policy, "--episodes", episodes)["best"]
                            for policy in some.tuned)]
    return list(dict.fromkeys(texts))


def seeds_row(title, some, references):
    """The row of all seeds of a training."""
    return [title, figure(some), *(ratio_cell(some, others, 4) for others in references)]


def figure(some):
    """Their mean, in four digits."""
    return f"{statistics.fmean(map(statistics.fmean, some)):.4g}"


def whole(trainings):
    """The runs of trainings, of which every seed has to be there and trained to its end."""
    runs = {training: [training.run(seed) for seed in range(1, training.seeds + 1)] for training in trainings}
    lacking = []
    for run in (run for found in runs.values() for run in found):
        if not (restored(run) / "best").exists():
            lacking.append(f"{run} is absent")
        elif not is_trained(run):
            lacking.append(f"{run} is not trained to its end")
    if lacking:
        raise SystemExit(f"{', '.join(lacking)}; --train does that")
    return runs


def comparison(setting):
    """The tables of a setting, all seeds and single ones, and the runs in it by training."""
    runs = whole(setting.trainings)
    texts = heuristics(setting)
    played = [run for found in runs.values() for run in found]
    bounds = list(setting.heuristics.bounds)
    results = park("run", setting.env, "--policy", ",".join(texts + bounds + played), "--episodes",
                   str(setting.episodes))["results"]
    metric = next(iter(results[0]["metrics"]))
    values = {r["policy"]: [r["per_episode"][metric]] for r in results}
    texts.sort(key=lambda text: sum(values[text][0]), reverse=setting.higher)
    names = [next(t for t in texts if t.split("(")[0] == name) for name in setting.heuristics.named]
    references = {text: values[text] for text in dict.fromkeys([texts[0], *names])}
    seeds = {training: [values[run][0] for run in found] for training, found in runs.items()}
    if len(seeds) > 1:
        first = next(iter(seeds))
        references[f"{first.name}, all seeds"] = seeds[first]
    columns = ["policy", metric, *(f"to {other}" for other in references)]

    def rows(of):
        return [[text, figure(values[text]),
                 *(f"{mean_ratio(values[text], other):.4f}" for other in references.values())]
                for text in of]

    tables = [{"title": "", "columns": columns, "rows": rows(bounds + texts) + [
        seeds_row(f"{training.name}, all {len(some)} seeds", some, references.values())
        for training, some in seeds.items()]}]
    tables.append({"title": SINGLE, "folded": True, "columns": columns, "rows": rows(played)})
    return tables, runs


def validations(setting):
    """The table of tries in a list, the best first, and their runs by training; all of them are
    finished."""
    runs = whole(setting.trainings)
    found = []
    for training, (run,) in runs.items():
        points = [point["mean"] for point in manifest(run)["validations"]]
        best = max(points) if setting.higher else min(points)
        found.append((best, [training.name, training.baseline, training.algorithm, f"{best:.4g}"]))
    found.sort(reverse=setting.higher)
    columns = ["training", "baseline", "algorithm", "best validation"]
    rows = [row for _, row in found]
    return [{"title": SINGLE, "folded": True, "columns": columns, "rows": rows}], runs


def cost(runs):
    """What the runs took, a row each."""
    rows = []
    for run in (run for found in runs.values() for run in found):
        content = manifest(run)
        progress, before = content["progress"], sum(part["cpu_s"] for part in content["init"])
        rows.append([run, str(progress["iteration"]), f"{progress['decisions'] / 1e6:.1f}",
                     f"{progress['cpu_s'] / 60:.1f}", f"{before / 60:.1f}",
                     f"{progress['wall_s'] / 60:.1f}",
                     f"{progress['decisions'] / progress['cpu_s']:.0f}",
                     content["host"]["commit"].replace("-dirty", "+changes")])
    return {"title": "Training", "folded": True, "rows": rows, "columns":
            ["run", "iterations", "million decisions", "core-minutes", "of its first weights",
             "minutes", "decisions per core-second", "commit"]}


def curves(runs):
    """The validations of each run: lists of CURVE."""
    return {run: [[point[key] for key in CURVE] for point in manifest(run)["validations"]]
            for found in runs.values() for run in found}


def measure(name, experiment):
    """Writes the tables of a setting."""
    setting = experiment.setting
    tables, runs = validations(setting) if setting.tries else comparison(setting)
    notes = [f"{training.name}: `{settings.shown(training.command(1))}`, and likewise the other seeds"
             for training in runs]
    notes += setting.notes
    where = f" of `{setting.tune_env}`" if setting.tune_env else ""
    if not setting.tries:
        notes.append(f"{setting.episodes} held-out episodes of `{setting.env}`, the same for all; "
                     f"heuristics tuned on {setting.tune_episodes} training episodes{where}; "
                     "intervals are of 95 %, Student's t over seeds and over paired episodes")
    figures.write(figures.ROOT / f"results/learning_{name}.json", setting.title,
                  f"experiments/learning/measure_learning.py {name}", [], notes,
                  [*tables, *([cost(runs)] if runs else [])],
                  curves={"columns": CURVE, "runs": curves(runs)}, page=experiment.environment)


def missing(experiment):
    """The sets of reference data that a setting needs and that are not here; makes the files that
    it needs of those that are."""
    lacking = reference_data.missing(experiment.setting.env)
    paths = reference_data.sets()
    for made in experiment.made:
        if (figures.ROOT / made.file).exists():
            continue
        absent = [name for name in made.sources if not paths[name].exists()]
        if not absent:
            subprocess.run(command(*made.command(paths, made.file)), cwd=figures.ROOT, check=True)
        lacking += absent
    return lacking


def command_line(description, names=(), flags=()):
    """What a script that trains one policy or compares it was asked for; `names` are its settings, `flags` are
    more options, without a value."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    if names:
        parser.add_argument("setting", choices=names)
    for flag in flags:
        parser.add_argument(flag, action="store_true", help="see above")
    parser.add_argument("--train", action="store_true", help="train instead of comparing")
    parser.add_argument("--seeds", default="", help="train only these, such as 1,2")
    parser.add_argument("--together", type=int, default=2, help="trainings side by side")
    return parser.parse_args()


def train_seeds(training, arguments):
    """Trains the seeds that were asked for, or all, side by side; what is finished stays."""
    seeds = [int(s) for s in arguments.seeds.split(",") if s] or range(1, training.seeds + 1)
    with ThreadPoolExecutor(arguments.together) as pool:
        list(pool.map(lambda seed: train(training, seed), seeds))


def is_ready(experiment):
    """Whether all that a setting needs is here; says so where it is not."""
    lacking = missing(experiment)
    if lacking:
        print(f"skipped: there is no {', '.join(lacking)} in {reference_data.root()}")
    return not lacking


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    experiments = settings.experiments()
    parser.add_argument("setting", choices=experiments)
    parser.add_argument("--train", action="store_true", help="train instead of comparing")
    parser.add_argument("--keep", action="store_true", help="keep runs instead")
    parser.add_argument("--seeds", default="", help="only these, such as 1,2")
    parser.add_argument("--only", default="", help="only this training of the setting")
    parser.add_argument("--together", type=int, default=2, help="trainings side by side")
    arguments = parser.parse_args()
    experiment = experiments[arguments.setting]
    if not is_ready(experiment):
        return 0
    trainings = [t for t in experiment.setting.trainings if arguments.only in ("", t.name)]
    if arguments.keep:
        for training in trainings:
            keep(training)
    elif arguments.train:
        some = [int(s) for s in arguments.seeds.split(",") if s]
        jobs = [(t, s) for t in trainings for s in some or range(1, t.seeds + 1)]
        with ThreadPoolExecutor(arguments.together) as pool:
            list(pool.map(lambda job: train(*job), jobs))
    else:
        measure(arguments.setting, experiment)
    return 0


if __name__ == "__main__":
    sys.exit(main())
