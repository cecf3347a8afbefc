#!/usr/bin/env python3
"""Trains the policies of one setting and compares them with every heuristic.

    scripts/measure_learning.py batch --train     trains all seeds, two at a time
    scripts/measure_learning.py batch --keep      copies unfinished checkpoints to results/runs
    scripts/measure_learning.py batch             tunes, plays, writes results/learning_batch.json
    scripts/plot_learning.py                      draws the curves of all settings

A training goes on where it was stopped (Ctrl-C): run the same command again. Heuristics are tuned on
training inputs, checkpoints are chosen on validation inputs, and all are compared on the same held-out
episodes. The settings on Decima's profiles need their folder (--profiles); without it they are skipped.
"""

import argparse
import json
import math
import random
import shutil
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import figures
from learning_settings import FIXED, SETTINGS, TUNED, WORKLOAD

PARK = figures.ROOT / "build/release/bin/park"
KEPT = figures.ROOT / "results"  # KEPT/runs/NAME: checkpoints of trainings that are not finished yet
CURVE = ("iteration", "decisions", "cpu_s", "wall_s", "mean")


def park(*words, **options):
    """What a command of park prints, as JSON."""
    done = subprocess.run([str(PARK), *words, "--json", "--quiet"], cwd=figures.ROOT, check=True,
                          capture_output=True, text=True, **options)
    return json.loads(done.stdout)


def manifest(folder):
    """The manifest of a run's newest checkpoint."""
    return json.loads((figures.ROOT / folder / "latest/manifest.json").read_text(encoding="utf-8"))


def train(training, seed):
    """Starts a run or goes on with it, from a kept checkpoint where there is no run."""
    words, folder = training.command(seed), training.run(seed)
    run = figures.ROOT / folder
    run.parent.mkdir(exist_ok=True)
    if not run.exists() and (KEPT / folder).exists():
        shutil.copytree(KEPT / folder, run)
    if (run / "latest").exists():
        words = ["train", "--out", folder, "--resume"]
    subprocess.run([str(PARK), *words], cwd=figures.ROOT, check=True)


def keep(training):
    """Copies what --resume needs of the runs that are not finished."""
    for seed in range(1, training.seeds + 1):
        run, kept = figures.ROOT / training.run(seed), KEPT / training.run(seed)
        shutil.rmtree(kept, ignore_errors=True)
        if not (run / "latest").exists():
            continue
        progress = manifest(training.run(seed))["progress"]
        if progress["part"] >= 1:
            continue
        for part in ("latest", "best"):
            shutil.copytree(run / part, kept / part)
        print(f"{kept.relative_to(figures.ROOT)}: iteration {progress['iteration']}")


def heuristics(env, episodes):
    """Every heuristic, with the fields that are best on training inputs."""
    return [*FIXED, *(park("tune", env, "--policy", policy, "--episodes", str(episodes))["best"]
                      for policy in TUNED)]


def ratio(of, to):
    """Ratio of the means of two lists over the same episodes."""
    return sum(of) / sum(to)


def interval(seeds, reference, draws=2000):
    """95 % of the ratio of the mean over seeds, drawing seeds and episodes again (paired)."""
    draw = random.Random(1)
    episodes = range(len(reference))
    found = []
    for _ in range(draws):
        some = draw.choices(episodes, k=len(reference))
        base = sum(reference[e] for e in some)
        found.append(statistics.fmean(sum(values[e] for e in some) / base
                                      for values in draw.choices(seeds, k=len(seeds))))
    found.sort()
    return found[math.floor(0.025 * draws)], found[math.ceil(0.975 * draws) - 1]


def seeds_row(title, of_seeds, references):
    """The row of all seeds of a training."""
    cells = []
    for reference in references:
        low, high = interval(of_seeds, reference)
        mean = statistics.fmean(ratio(values, reference) for values in of_seeds)
        cells.append(f"{mean:.4f} [{low:.4f}, {high:.4f}]")
    return [title, f"{statistics.fmean(map(statistics.fmean, of_seeds)):.2f}", *cells]


def comparison(setting, tune_episodes):
    """The table of a setting, and the runs in it by training."""
    texts = heuristics(setting.env, tune_episodes)
    runs = {training: [run for run in map(training.run, range(1, training.seeds + 1))
                       if (figures.ROOT / run / "best").exists()] for training in setting.trainings}
    played = [run for found in runs.values() for run in found]
    results = park("run", setting.env, "--policy", ",".join(texts + played), "--episodes",
                   str(setting.episodes))["results"]
    metric = next(iter(results[0]["metrics"]))
    values = {r["policy"]: r["per_episode"][metric] for r in results}
    texts.sort(key=lambda text: statistics.fmean(values[text]))
    others = [texts[0], next(t for t in texts if t.startswith("weighted_fair")), "fair"]
    others = list(dict.fromkeys(others))
    rows = [[text, f"{statistics.fmean(values[text]):.2f}",
             *(f"{ratio(values[text], values[other]):.4f}" for other in others)]
            for text in texts + played]
    for training, found in runs.items():
        if found:
            rows.append(seeds_row(f"{training.name}, all {len(found)} seeds",
                                  [values[run] for run in found], [values[t] for t in others]))
    columns = ["policy", f"{metric}", *(f"to {other}" for other in others)]
    return {"title": "", "columns": columns, "rows": rows}, runs


def cost(runs):
    """What the runs took, a row each."""
    rows = []
    for run in (run for found in runs.values() for run in found):
        progress = manifest(run)["progress"]
        rows.append([run, str(progress["iteration"]), f"{progress['decisions'] / 1e6:.1f}",
                     f"{progress['cpu_s'] / 60:.1f}", f"{progress['wall_s'] / 60:.1f}",
                     f"{progress['decisions'] / progress['cpu_s']:.0f}"])
    return {"title": "Training", "rows": rows, "columns":
            ["run", "iterations", "million decisions", "core-minutes", "minutes",
             "decisions per core-second"]}


def curves(runs):
    """The validations of each run: lists of CURVE."""
    return {run: [[point[key] for key in CURVE] for point in manifest(run)["validations"]]
            for found in runs.values() for run in found}


def shown(words):
    """A command as one types it."""
    return "park " + " ".join(f"'{word}'" if "(" in word else word for word in words)


def measure(name, setting, tune_episodes):
    """Writes the table of a setting."""
    table, runs = comparison(setting, tune_episodes)
    trained = {training: len(found) for training, found in runs.items() if found}
    notes = [f"{training.name}: `{shown(training.command(1))}`, and likewise the other seeds"
             for training in trained]
    notes += setting.notes
    notes.append(f"{setting.episodes} held-out episodes of `{setting.env}`, the same for all; "
                 f"heuristics tuned on {tune_episodes} training episodes; intervals are of 95 %, "
                 "over seeds and episodes, paired")
    figures.write(figures.ROOT / f"results/learning_{name}.json", setting.title,
                  f"scripts/measure_learning.py {name}", [], notes,
                  [table, *([cost(runs)] if trained else [])],
                  curves={"columns": CURVE, "runs": curves(runs)})


def profiles(folder):
    """Makes the workload of Decima's profiles; false where they are not here."""
    if (figures.ROOT / WORKLOAD).exists():
        return True
    if not (figures.ROOT / folder).exists():
        return False
    subprocess.run([str(PARK), "workload", "import-decima", folder, "--out", WORKLOAD],
                   cwd=figures.ROOT, check=True)
    return True


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("setting", choices=SETTINGS)
    parser.add_argument("--train", action="store_true", help="train instead of comparing")
    parser.add_argument("--keep", action="store_true", help="keep checkpoints instead")
    parser.add_argument("--seeds", default="", help="only these, such as 1,2")
    parser.add_argument("--only", default="", help="only this training of the setting")
    parser.add_argument("--together", type=int, default=2, help="trainings side by side")
    parser.add_argument("--tune-episodes", type=int, default=100)
    parser.add_argument("--profiles", default="../shared/data/decima-tpch")
    arguments = parser.parse_args()
    setting = SETTINGS[arguments.setting]
    if WORKLOAD in setting.env and not profiles(arguments.profiles):
        print(f"skipped: no profiles at {arguments.profiles}")
        return 0
    trainings = [t for t in setting.trainings if arguments.only in ("", t.name)]
    if arguments.keep:
        for training in trainings:
            keep(training)
    elif arguments.train:
        some = [int(s) for s in arguments.seeds.split(",") if s]
        jobs = [(t, s) for t in trainings for s in some or range(1, t.seeds + 1)]
        with ThreadPoolExecutor(arguments.together) as pool:
            list(pool.map(lambda job: train(*job), jobs))
    else:
        measure(arguments.setting, setting, arguments.tune_episodes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
