#!/usr/bin/env python3
"""Trains the policies of one setting and compares them with every heuristic.

    scripts/measure_learning.py batch --train           trains all seeds, two at a time
    scripts/measure_learning.py batch --keep            copies unfinished checkpoints to results/runs
    scripts/measure_learning.py batch                   tunes, plays, writes results/learning_batch.json

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
from dataclasses import dataclass, field
from pathlib import Path

import figures

PARK = figures.ROOT / "build/release/bin/park"
KEPT = figures.ROOT / "results"  # KEPT/runs/NAME: checkpoints of trainings that are not finished yet
WORKLOAD = "build/decima.park"
DECIMA = f"moving_delay_s=2,warmup_delay_s=1,workload={WORKLOAD}"
FIXED = ("fifo", "sjf_cp", "fair", "naive_weighted_fair", "tetris")
TUNED = ("weighted_fair", "srpt_capped", "graphene_star")
PPO = ("ppo(sequences=4,rollouts=4,lambda=1,epochs=1,minibatch=512,learning_rate=0.002,"
       "final_learning_rate=5e-5,entropy=0.03,entropy_until=0.9,slots=16)")


@dataclass
class Setting:
    """What is trained, and where it is tested."""
    title: str
    env: str
    iterations: int
    seeds: int
    budget: str
    algorithm: str = PPO
    baseline: str = "sequence_mean"
    network: str = "park(hidden1=64,hidden2=32)"
    test_env: str = ""
    episodes: int = 100
    notes: list = field(default_factory=list)

    @property
    def tested(self):
        """The environment of the comparison."""
        return self.test_env or self.env


BATCH = f"dag_scheduling(executors=50,jobs=20,{DECIMA})"
SETTINGS = {
    "batch": Setting("Batches of 20 jobs, Decima's profiles", BATCH, 8000, 5, "60m"),
    "bundled": Setting("Batches of 20 jobs, bundled workload",
                       "dag_scheduling(executors=50,jobs=20)", 8000, 3, "60m"),
}


def park(*words, **options):
    """What a command of park prints, as JSON."""
    done = subprocess.run([str(PARK), *words, "--json", "--quiet"], cwd=figures.ROOT, check=True,
                          capture_output=True, text=True, **options)
    return json.loads(done.stdout)


def folder(name, seed):
    """The run of one seed, from the root of the repository."""
    return f"runs/{name}-{seed}"


def training_command(name, setting, seed):
    """The command that trains one seed from its first iteration."""
    return ["train", setting.env, "--algo", setting.algorithm, "--baseline", setting.baseline, "--net",
            setting.network, "--iterations", str(setting.iterations), "--budget", setting.budget,
            "--seed", str(seed), "--out", folder(name, seed)]


def train(name, setting, seed):
    """Starts a run or goes on with it, from a kept checkpoint where there is no run."""
    words = training_command(name, setting, seed)
    run = figures.ROOT / folder(name, seed)
    run.parent.mkdir(exist_ok=True)
    if not run.exists() and (KEPT / folder(name, seed)).exists():
        shutil.copytree(KEPT / folder(name, seed), run)
    if (run / "latest").exists():
        words = ["train", "--out", folder(name, seed), "--resume"]
    subprocess.run([str(PARK), *words], cwd=figures.ROOT, check=True)


def heuristics(env, episodes):
    """Every heuristic, with the fields that are best on training inputs."""
    return [*FIXED, *(park("tune", env, "--policy", policy, "--episodes", str(episodes))["best"]
                      for policy in TUNED)]


def keep(name, setting):
    """Copies what --resume needs of the runs that are not finished."""
    for seed in range(1, setting.seeds + 1):
        run, kept = figures.ROOT / folder(name, seed), KEPT / folder(name, seed)
        shutil.rmtree(kept, ignore_errors=True)
        if not (run / "latest").exists():
            continue
        progress = json.loads((run / "latest/manifest.json").read_text())["progress"]
        if progress["iteration"] >= setting.iterations:
            continue
        for part in ("latest", "best"):
            shutil.copytree(run / part, kept / part)
        print(f"{kept.relative_to(figures.ROOT)}: iteration {progress['iteration']}")


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


def comparison(name, setting, tune_episodes):
    """Rows of the table, and notes."""
    texts = heuristics(setting.tested, tune_episodes)
    runs = [folder(name, seed) for seed in range(1, setting.seeds + 1)
            if (figures.ROOT / folder(name, seed) / "best").exists()]
    results = park("run", setting.tested, "--policy", ",".join(texts + runs), "--episodes",
                   str(setting.episodes))["results"]
    metric = next(iter(results[0]["metrics"]))
    values = {r["policy"]: r["per_episode"][metric] for r in results}
    texts.sort(key=lambda text: statistics.fmean(values[text]))
    fair = next(t for t in texts if t.startswith("weighted_fair"))
    rows = []
    for text in texts + runs:
        mean = statistics.fmean(values[text])
        rows.append([text, f"{mean:.2f}", f"{ratio(values[text], values[texts[0]]):.4f}",
                     f"{ratio(values[text], values[fair]):.4f}"])
    if runs:
        of_seeds = [values[run] for run in runs]
        bounds = [(statistics.fmean(ratio(v, values[t]) for v in of_seeds), *interval(of_seeds, values[t]))
                  for t in (texts[0], fair)]
        rows.append([f"all {len(runs)} seeds", f"{statistics.fmean(map(statistics.fmean, of_seeds)):.2f}",
                     *(f"{mean:.4f} [{low:.4f}, {high:.4f}]" for mean, low, high in bounds)])
    columns = ["policy", f"{metric}", f"to {texts[0]}", f"to {fair}"]
    return {"title": "", "columns": columns, "rows": rows}, runs


def cost(runs):
    """What the runs took, a row each."""
    rows = []
    for run in runs:
        progress = json.loads((figures.ROOT / run / "latest/manifest.json").read_text())["progress"]
        rows.append([run, str(progress["iteration"]), f"{progress['decisions'] / 1e6:.1f}",
                     f"{progress['cpu_s'] / 60:.1f}", f"{progress['decisions'] / progress['cpu_s']:.0f}"])
    return {"title": "Training", "rows": rows, "columns":
            ["run", "iterations", "million decisions", "core-minutes", "decisions per core-second"]}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("setting", choices=SETTINGS)
    parser.add_argument("--train", action="store_true", help="train instead of comparing")
    parser.add_argument("--keep", action="store_true", help="keep checkpoints instead")
    parser.add_argument("--seeds", default="", help="only these, such as 1,2")
    parser.add_argument("--together", type=int, default=2, help="trainings side by side")
    parser.add_argument("--tune-episodes", type=int, default=100)
    parser.add_argument("--profiles", default="../shared/data/decima-tpch")
    arguments = parser.parse_args()
    setting = SETTINGS[arguments.setting]
    if WORKLOAD in setting.env and not (figures.ROOT / WORKLOAD).exists():
        if not (figures.ROOT / arguments.profiles).exists():
            print(f"skipped: no profiles at {arguments.profiles}")
            return 0
        subprocess.run([str(PARK), "workload", "import-decima", arguments.profiles, "--out", WORKLOAD],
                       cwd=figures.ROOT, check=True)
    if arguments.keep:
        keep(arguments.setting, setting)
        return 0
    if arguments.train:
        seeds = [int(s) for s in arguments.seeds.split(",") if s] or range(1, setting.seeds + 1)
        with ThreadPoolExecutor(arguments.together) as pool:
            list(pool.map(lambda seed: train(arguments.setting, setting, seed), seeds))
        return 0
    table, runs = comparison(arguments.setting, setting, arguments.tune_episodes)
    commands = ["park " + " ".join(f"'{w}'" if "(" in w else w for w in
                                   training_command(arguments.setting, setting, seed)) for seed in (1,)]
    notes = [f"trained by {commands[0]}, and likewise the other seeds", *setting.notes,
             f"{setting.episodes} held-out episodes, the same for all; heuristics tuned on "
             f"{arguments.tune_episodes} training episodes, the best of them is the best on the held-out "
             "ones; intervals are of 95 %, over seeds and episodes, "
             "paired"]
    figures.write(figures.ROOT / f"results/learning_{arguments.setting}.json", setting.title,
                  f"scripts/measure_learning.py {arguments.setting}", [], notes,
                  [table, *([cost(runs)] if runs else [])])
    return 0


if __name__ == "__main__":
    sys.exit(main())
